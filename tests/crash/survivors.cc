#include "crash/survivors.h"

#include <map>

#include "crash/load.h"
#include "crash/queues.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "support/engine_time.h"
#include "support/result_matchers.h"

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

void search(Engine& engine, const std::string& queue, Findings& findings) {
  const auto complain = [&](const std::string& why) { findings.wrong.push_back(queue + ": " + why); };
  const QueueCounts counts = must(engine.describe_queue(queue)).counts;
  auto dead_letters = all_dead_letters(engine, queue);
  if (counts.leased + counts.waiting != 0) complain("leases or delays are not over");
  if (counts.dead != dead_letters.size()) complain("dead is not what a listing finds");

  std::vector<Receipt> receipts;
  for (;;) {
    const Deliveries deliveries = must(engine.receive(queue, {.max = 1000}));
    if (deliveries.empty()) break;
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
  for (const auto& released : engine.release_batch(receipts, {.count = false})) must(released);
  if (must(engine.describe_queue(queue)).counts != counts) complain("the counts changed by looking");
}

void read_transfers(Engine& engine, Findings& findings) {
  const ApplicationFamily family = must(engine.open_family(kTransfers));
  std::string from;
  for (;;) {
    const auto rows = must(engine.scan(family, from, ""));
    if (rows.empty()) return;
    for (const FamilyRow& row : rows) findings.transfers.emplace(row.key, row.value);
    from = rows.back().key + '\0';
  }
}

}  // namespace

Findings find_survivors(const std::filesystem::path& directory, Timestamp time) {
  const ManualClock clock(time);
  Engine engine = must(Engine::open(directory, {.clock = &clock, .background = false}));
  run_due_until_quiet(engine, clock);
  Findings findings;
  for (const QueueInfo& queue : must(engine.list_queues())) search(engine, queue.name, findings);
  read_transfers(engine, findings);
  must(engine.close());
  return findings;
}

}  // namespace holdfast::testing
