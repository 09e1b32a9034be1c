#include "tools/examples/demo/reconciliation.h"

#include <unordered_set>

#include "holdfast/limits.h"
#include "tools/examples/demo/ledger.h"
#include "tools/examples/demo/packages/package.h"
#include "tools/examples/demo/producer.h"

namespace holdfast::demo {
namespace {

// Collects what is known about each package and message.
class Accounts {
 public:
  explicit Accounts(std::size_t packages) : processed_(packages), dead_(packages) {}

  // Adds the ledgers of one life of the messages.
  void add_life(const std::vector<Line>& lines) {
    std::unordered_set<MessageId> seen;
    for (const Line& line : lines) {
      if (line.number >= processed_.size()) continue;
      if (line.entry == Entry::kHandedOut && !seen.insert(line.id).second) ++reconciliation_.redelivered;
      if (line.entry == Entry::kGivenBack) ++reconciliation_.given_back;
      if (line.entry != Entry::kProcessed) continue;
      processed_[line.number] = true;
      if (!processed_ids_.insert(line.id).second) ++reconciliation_.processed_again;
      ids_.insert(line.id);
    }
  }

  void add_dead(const DeadLetter& letter) {
    const auto number = number_of(letter.record.correlation_id);
    if (!number || *number >= dead_.size()) return;
    dead_[*number] = true;
    ids_.insert(letter.record.message_id);
  }

  Reconciliation close(const QueueInfo& queue) {
    reconciliation_.sent = processed_.size();
    for (std::size_t i = 0; i < processed_.size(); ++i) {
      if (processed_[i]) ++reconciliation_.processed;
      if (processed_[i] && dead_[i]) ++reconciliation_.both;
      if (!processed_[i] && dead_[i]) ++reconciliation_.dead;
      if (!processed_[i] && !dead_[i]) ++reconciliation_.lost;
    }
    reconciliation_.accepted = queue.totals.sent;
    reconciliation_.accounted = ids_.size();
    reconciliation_.left_behind = queue.counts.ready + queue.counts.waiting + queue.counts.leased;
    reconciliation_.sent_twice = ids_.size() - (reconciliation_.processed + reconciliation_.dead);
    return reconciliation_;
  }

 private:
  std::vector<bool> processed_;
  std::vector<bool> dead_;
  std::unordered_set<MessageId> processed_ids_;
  std::unordered_set<MessageId> ids_;
  Reconciliation reconciliation_;
};

}  // namespace

Result<std::vector<DeadLetter>> all_dead_letters(Broker& broker) {
  std::vector<DeadLetter> letters;
  ListDeadLettersOptions options{.max = limits::kListPage};
  do {
    auto page = broker.list_dead_letters(kDeadLetterQueue, options);
    if (!page) return tl::unexpected(page.error());
    letters.insert(letters.end(), page->items.begin(), page->items.end());
    options.after = page->next;
  } while (options.after);
  return letters;
}

Result<Reconciliation> balance(Broker& broker, std::size_t packages, const std::filesystem::path& ledgers) {
  Accounts accounts(packages);
  for (const char* life : {"strict", "relaxed"}) {
    auto lines = read_ledgers(ledgers, life);
    if (!lines) return tl::unexpected(lines.error());
    accounts.add_life(*lines);
  }
  auto letters = all_dead_letters(broker);
  if (!letters) return tl::unexpected(letters.error());
  for (const DeadLetter& letter : *letters) accounts.add_dead(letter);
  auto queue = broker.describe_queue(kQueue);
  if (!queue) return tl::unexpected(queue.error());
  return accounts.close(*queue);
}

}  // namespace holdfast::demo
