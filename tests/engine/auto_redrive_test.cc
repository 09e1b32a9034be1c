// Redrive by policy where much is left in place.
#include "holdfast/engine.h"
#include "storage/memory_store.h"
#include "support/engine_time.h"
#include "support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A round looks at a bounded number of dead letters: the next one goes on behind them.
TEST(AutoRedrive, GetsBehindWhatItLeaves) {
  constexpr std::size_t kLeft = 9000;
  constexpr std::size_t kBatch = 1000;
  ManualClock clock;
  Engine engine = must(Engine::open(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                    {.clock = &clock, .background = false}));
  must(engine.create_queue("orders", {.dead_letter_queue = "dead", .durability = Durability::kBuffered}));
  must(engine.alter_queue(
      "dead", {.auto_redrive = AutoRedrive{.every = 10s, .categories = {"timeout"}, .backoff = 0s}}));
  const auto die = [&](std::size_t count, const std::string& category) {
    must(engine.send_batch("orders", std::vector<Message>(count, {.body = category})));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : must(engine.receive("orders", {.max = count})))
      receipts.push_back(delivery.receipt);
    for (const auto& rejected : engine.reject_batch(receipts, {.category = category})) must(rejected);
  };
  for (std::size_t i = 0; i < kLeft; i += kBatch) die(kBatch, "validation");
  die(1, "timeout");
  for (int round = 0; round < 4; ++round) advance(engine, clock, 10s);
  EXPECT_EQ(must(engine.describe_queue("orders")).counts, (QueueCounts{.ready = 1}));
}

}  // namespace
}  // namespace holdfast::testing
