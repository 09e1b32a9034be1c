#include "tools/examples/demo/books.h"

#include <unordered_set>

#include "holdfast/limits.h"
#include "tools/examples/demo/ledger.h"
#include "tools/examples/demo/packages/stanza.h"
#include "tools/examples/demo/producer.h"

namespace holdfast::demo {
namespace {

// What is known about each stanza and message.
class Accounts {
 public:
  explicit Accounts(std::size_t stanzas) : processed_(stanzas), dead_(stanzas) {}

  // The ledgers of one life of the messages.
  void add_life(const std::vector<Line>& lines) {
    std::unordered_set<MessageId> seen;
    for (const Line& line : lines) {
      if (line.number >= processed_.size()) continue;
      if (line.entry == Entry::kHandedOut && !seen.insert(line.id).second) ++books_.redelivered;
      if (line.entry == Entry::kGivenBack) ++books_.given_back;
      if (line.entry != Entry::kProcessed) continue;
      processed_[line.number] = true;
      if (!processed_ids_.insert(line.id).second) ++books_.processed_again;
      ids_.insert(line.id);
    }
  }

  void add_dead(const DeadLetter& letter) {
    const auto number = number_of(letter.record.correlation_id);
    if (!number || *number >= dead_.size()) return;
    dead_[*number] = true;
    ids_.insert(letter.record.message_id);
  }

  Books close(const QueueInfo& queue) {
    books_.sent = processed_.size();
    for (std::size_t i = 0; i < processed_.size(); ++i) {
      if (processed_[i]) ++books_.processed;
      if (processed_[i] && dead_[i]) ++books_.both;
      if (!processed_[i] && dead_[i]) ++books_.dead;
      if (!processed_[i] && !dead_[i]) ++books_.lost;
    }
    books_.accepted = queue.totals.sent;
    books_.accounted = ids_.size();
    books_.left_behind = queue.counts.ready + queue.counts.waiting + queue.counts.leased;
    books_.sent_twice = ids_.size() - (books_.processed + books_.dead);
    return books_;
  }

 private:
  std::vector<bool> processed_;
  std::vector<bool> dead_;
  std::unordered_set<MessageId> processed_ids_;
  std::unordered_set<MessageId> ids_;
  Books books_;
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

Result<Books> balance(Broker& broker, std::size_t stanzas, const std::filesystem::path& ledgers) {
  Accounts accounts(stanzas);
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
