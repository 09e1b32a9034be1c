// Redrive by policy where many dead letters are left in place, or cannot be read.
#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/damaged_store.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A round looks at a bounded number of dead letters, and the round after it goes on behind them.
TEST(AutoRedrive, GetsBehindWhatItLeaves) {
  constexpr std::size_t kLeft = 9000;
  constexpr std::size_t kBatch = 1000;
  ManualClock clock;
  Engine engine = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                               {.clock = &clock, .background = false}));
  must(engine.create_queue("orders", {.durability = Durability::kBuffered, .dead_letters = {.queue = "dead"}},
                           MissingQueues::kCreate));
  must(engine.alter_queue(
      "dead", {.dead_letters = {.auto_redrive =
                                    AutoRedrive{.every = 10s, .categories = {"timeout"}, .backoff = 0s}}}));
  const auto die = [&](std::size_t count, const std::string& category) {
    must(engine.send_batch("orders", std::vector<Message>(count, {.body = category})));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : must(engine.receive("orders", {.max = count})))
      receipts.push_back(delivery.receipt);
    for (const auto& rejected : must(engine.reject_batch(receipts, {.category = category}))) must(rejected);
  };
  for (std::size_t i = 0; i < kLeft; i += kBatch) die(kBatch, "validation");
  die(1, "timeout");
  for (int round = 0; round < 4; ++round) advance(engine, clock, 10s);
  EXPECT_EQ(must(engine.describe_queue("orders")).counts, (QueueCounts{.ready = 1}));
}

// A queue with two dead letters. Each is in a chunk of its own, and one of them cannot be read.
class AutoRedriveOfDamaged : public ::testing::Test {
 protected:
  AutoRedriveOfDamaged() {
    must(engine_.create_queue("dead", {.dead_letters = {.auto_redrive = {.every = 10s, .backoff = 0s}}}));
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
    for (const char* body : {"first", "second"}) {
      must(engine_.send("orders", {.body = body}));
      must(engine_.reject(must(engine_.receive("orders")).at(0).receipt, {}));
    }
    seqs_ = {must(engine_.list_dead_letters("dead")).items.at(0).seq,
             must(engine_.list_dead_letters("dead")).items.at(1).seq};
  }
  void damage(Family family, Seq seq) {
    damage_->add(family, keys::queue_seq(must(engine_.describe_queue("dead")).id, seq));
  }
  std::vector<std::string> redriven() {
    advance(engine_, clock_, 10s);
    std::vector<std::string> bodies;
    for (const Delivery& delivery : must(engine_.receive("orders", {.max = 10, .lease = 12h})))
      bodies.emplace_back(delivery.body);
    return bodies;
  }

  ManualClock clock_;
  std::shared_ptr<DamagedRows> damage_ = std::make_shared<DamagedRows>();
  // The engine's cache keeps the last chunk only.
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<DamagedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), damage_),
      {.clock = &clock_, .background = false, .message_cache_bytes = 1}));
  std::vector<Seq> seqs_;
};

TEST_F(AutoRedriveOfDamaged, GoesPastAMessageThatCannotBeReadAndComesBackToIt) {
  damage(Family::kMessages, seqs_[0]);
  EXPECT_EQ(redriven(), std::vector<std::string>{"second"});
  EXPECT_TRUE(redriven().empty());
  damage_->repair();
  EXPECT_EQ(redriven(), std::vector<std::string>{"first"});
}

TEST_F(AutoRedriveOfDamaged, MovesWhatIsBeforeARecordThatCannotBeRead) {
  damage(Family::kDeadLetters, seqs_[1]);
  EXPECT_EQ(redriven(), std::vector<std::string>{"first"});
  damage_->repair();
  EXPECT_EQ(redriven(), std::vector<std::string>{"second"});
}

// An import says which queue a dead letter came from. So it can name a way between queues that no queue's
// options have.
class AutoRedriveOfImported : public ::testing::TestWithParam<const char*> {};

TEST_P(AutoRedriveOfImported, EndsWhateverQueueItNames) {
  ManualClock clock;
  Engine engine = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                               {.clock = &clock, .background = false}));
  must(engine.create_queue("grave", {}));
  must(engine.create_queue("parked", {.dead_letters = {.queue = "grave"}}, MissingQueues::kCreate));
  must(engine.create_queue("dead",
                           {.dead_letters = {.parking_queue = "parked",
                                             .auto_redrive = {.every = 1s, .backoff = 0s, .max_replays = 2}}},
                           MissingQueues::kCreate));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "poison"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  DeadLetter letter = must(engine.list_dead_letters("dead", {.bodies = true})).items.at(0);
  must(engine.purge_queue("dead"));
  letter.record.source_queue = GetParam();
  ASSERT_EQ(must(engine.import_dead_letters("dead", {letter})).imported, 1U);

  std::size_t deliveries = 0;
  for (int round = 0; round < 50; ++round) {
    advance(engine, clock, 1s);
    for (const char* queue : {"orders", "parked"}) {
      for (const Delivery& delivery : must(engine.receive(queue, {.max = 10}))) {
        ++deliveries;
        must(engine.reject(delivery.receipt, {}));
      }
    }
  }
  EXPECT_LE(deliveries, 4U) << "two replays, once where it is parked, and one more of slack";
}

INSTANTIATE_TEST_SUITE_P(Sources, AutoRedriveOfImported,
                         ::testing::Values("orders", "dead", "parked", "grave", "absent"));

}  // namespace
}  // namespace holdfast::testing
