#include "tests/crash/survivors.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "holdfast/transaction.h"
#include "tests/crash/load.h"
#include "tests/crash/queues.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

std::map<MessageId, DeadLetter> all_dead_letters(Engine& engine, const std::string& queue) {
  std::map<MessageId, DeadLetter> result;
  std::optional<DeadLetterCursor> after;
  do {
    DeadLetterPage page =
        must(engine.list_dead_letters(queue, {.after = after, .max = limits::kListPage, .bodies = true}));
    for (DeadLetter& dead : page.items) result.emplace(dead.record.message_id, std::move(dead));
    after = page.next;
  } while (after);
  return result;
}

// In an ordered queue, messages that were not replayed come in the order in which they were sent.
void check_order(const Deliveries& deliveries, const std::function<void(const std::string&)>& complain) {
  std::map<std::string, std::uint64_t> last;
  for (const Delivery& delivery : deliveries) {
    const std::string key = key_of(delivery.body, delivery.attributes);
    if (delivery.replays > 0 || key.empty()) continue;
    std::uint64_t& before = last[group_of(key)];
    if (delivery.group != group_of(key)) complain(key + " has changed its group");
    if (number_of(key) <= before) complain(key + " comes behind number " + std::to_string(before));
    before = number_of(key);
  }
}

void give_back(Engine& engine, std::span<const Receipt> receipts) {
  while (!receipts.empty()) {
    const auto some = receipts.first(std::min(receipts.size(), limits::kBatchEntries));
    for (const auto& released : must(engine.release_batch(some, {.charge = false}))) must(released);
    receipts = receipts.subspan(some.size());
  }
}

// Looks only at what is handed out now: while a group is held, not all of it can be received.
void search_in_order(Engine& engine, const std::string& queue, Findings& findings) {
  const auto complain = [&](const std::string& why) { findings.wrong.push_back(queue + ": " + why); };
  const Deliveries deliveries = must(engine.receive(queue, {.max = limits::kReceiveMax}));
  check_order(deliveries, complain);
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  give_back(engine, receipts);
}

void search(Engine& engine, const std::string& queue, Findings& findings) {
  const auto complain = [&](const std::string& why) { findings.wrong.push_back(queue + ": " + why); };
  const QueueCounts counts = must(engine.describe_queue(queue)).counts;
  auto dead_letters = all_dead_letters(engine, queue);
  if (counts.leased + counts.waiting != 0) complain("leases or delays are not over");
  if (counts.dead != dead_letters.size()) complain("dead is not what a listing finds");

  std::vector<Receipt> receipts;
  for (;;) {
    const Deliveries deliveries = must(engine.receive(queue, {.max = limits::kReceiveMax}));
    if (deliveries.empty()) break;
    if (crash_queue(queue).options.grouping.mode == Grouping::kOrdered) check_order(deliveries, complain);
    for (const Delivery& delivery : deliveries) {
      receipts.push_back(delivery.receipt);
      Survivor survivor{.key = key_of(delivery.body, delivery.attributes),
                        .queue = queue,
                        .id = delivery.id,
                        .replays = delivery.replays,
                        .charged = delivery.deliveries - 1};
      if (survivor.key.empty()) complain("a message is not what was sent");
      if (auto dead = dead_letters.extract(delivery.id); !dead.empty()) {
        survivor.record = dead.mapped().record;
        if (key_of(dead.mapped().body, dead.mapped().attributes) != survivor.key) {
          complain("a dead letter is listed with another body");
        }
      }
      findings.survivors.push_back(std::move(survivor));
    }
  }
  if (!dead_letters.empty()) complain("a dead letter is listed that cannot be received");
  if (counts.ready != receipts.size()) {
    complain(std::to_string(counts.ready) + " are ready, " + std::to_string(receipts.size()) +
             " were received");
  }
  give_back(engine, receipts);
  if (must(engine.describe_queue(queue)).counts != counts) complain("the counts changed by looking");
}

void take_transfers(Engine& engine, Findings& findings) {
  const ApplicationFamily family = must(engine.open_family(kTransfers));
  for (;;) {
    const auto rows = must(engine.scan(family, "", ""));
    if (rows.empty()) return;
    Transaction removal;
    for (const FamilyRow& row : rows) {
      findings.transfers.emplace(row.key, row.value);
      removal.remove(family, row.key);
    }
    must(engine.commit(std::move(removal)));
  }
}

}  // namespace

Findings find_survivors(const std::filesystem::path& directory, Timestamp time) {
  const ManualClock clock(time);
  Engine engine = must(Engine::open(directory, {.clock = &clock, .background = false}));
  Findings findings = find_survivors(engine, clock);
  must(engine.close());
  return findings;
}

Findings find_survivors(Engine& engine, const Clock& clock) {
  run_due_until_quiet(engine, clock);
  Findings findings;
  for (const QueueInfo& queue : must(engine.list_queues())) {
    const bool ordered = queue.options.grouping.mode == Grouping::kOrdered;
    if (ordered) {
      search_in_order(engine, queue.name, findings);
      must(engine.alter_queue(queue.name, {.grouping = {.mode = Grouping::kNone}}));
    }
    search(engine, queue.name, findings);
    if (ordered) must(engine.alter_queue(queue.name, {.grouping = {.mode = Grouping::kOrdered}}));
  }
  take_transfers(engine, findings);
  for (const auto& finding : must(engine.verify()).findings)
    findings.wrong.push_back("verify: " + finding.where + ": " + finding.what);
  return findings;
}

}  // namespace holdfast::testing
