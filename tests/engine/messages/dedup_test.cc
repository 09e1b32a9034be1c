// Deduplication where the conformance tests cannot look: with many threads, after crashes, and on disk.
#include <algorithm>
#include <map>
#include <thread>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/paused_store.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class DedupTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  DedupTest() {
    open();
    must(engine_->create_queue("orders", {.deduplication = {.mode = Deduplication::kById, .window = 60s}}));
  }

  void open() {
    power_ = power_on();
    auto store = std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_);
    store_ = store.get();
    engine_.emplace(must(EngineInside::open_over(std::move(store), {.clock = &clock_, .background = false})));
  }
  void power_loss() {
    *power_ = false;
    engine_.reset();
    disk_->crash();
    open();
  }
  Sent send(const std::string& id, Durability durability = Durability::kFsync) {
    return must(engine_->send("orders", {.body = id, .deduplication_id = id}, {.durability = durability}));
  }
  std::size_t rows() {
    std::size_t count = 0;
    const std::string end(16, '\xff');
    for (const auto scan = store_->scan(Family::kDedup, {}, end); scan->valid(); scan->next()) ++count;
    return count;
  }

  Random random_{GetParam()};
  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(GetParam());
  PowerSwitch power_;
  SwitchedStore* store_ = nullptr;
  std::optional<Engine> engine_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, DedupTest, ::testing::Range<std::uint64_t>(1, 11));

// Many threads send with one id. Exactly one send stays, whichever group of the pipeline each send meets.
TEST_P(DedupTest, ConcurrentSendsLeaveOne) {
  constexpr int kThreads = 6;
  constexpr int kIds = 60;
  std::vector<std::vector<Sent>> answers(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kIds; ++i) answers[t].push_back(send(std::to_string(i), Durability::kBuffered));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kIds; ++i) {
    int first = 0;
    for (const auto& sent : answers) {
      first += sent[i].duplicate ? 0 : 1;
      EXPECT_EQ(sent[i].id, answers[0][i].id);
    }
    EXPECT_EQ(first, 1) << "id " << i;
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, kIds);
}

// After every crash, a message is in the queue at most once. A send is known again exactly if its message is
// there.
TEST_P(DedupTest, APowerLossTakesAMessageWithItsRow) {
  for (int round = 0; round < 20; ++round) {
    const std::string base = std::to_string(round) + ".";
    std::map<std::string, Sent> sent;
    for (int i = 0; i < 6; ++i) {
      const auto durability = random_.one_in(4) ? Durability::kFsync : Durability::kBuffered;
      const std::string id = base + std::to_string(i);
      sent.emplace(id, send(id, durability));
    }
    power_loss();
    std::map<std::string, MessageId> there;
    for (const Delivery& delivery : must(engine_->receive("orders", {.max = 100, .lease = 1ms}))) {
      there.emplace(delivery.body, delivery.id);
      must(engine_->ack(delivery.receipt));
    }
    for (const auto& [id, first] : sent) {
      const Sent again = send(id);
      EXPECT_EQ(again.duplicate, there.contains(id)) << id;
      if (again.duplicate) {
        EXPECT_EQ(again.id, first.id);
        EXPECT_EQ(there[id], first.id);
      }
    }
    for (const Delivery& delivery : must(engine_->receive("orders", {.max = 100}))) {
      must(engine_->ack(delivery.receipt));
    }
    advance(*engine_, clock_, Duration(std::chrono::seconds(random_.below(40))));
  }
}

// The model is a map that has the time of the last send that counted, for each id.
TEST_P(DedupTest, IsWhatAMapOfTimesSays) {
  std::map<std::string, Timestamp> known;
  Duration window = 60s;
  for (int i = 0; i < 400; ++i) {
    const std::string id = std::to_string(random_.below(12));
    const Sent sent = send(id, Durability::kBuffered);
    const bool expected = known.contains(id) && clock_.now() < known[id] + window;
    ASSERT_EQ(sent.duplicate, expected) << "step " << i << ", id " << id;
    if (!sent.duplicate) known[id] = clock_.now();
    advance(*engine_, clock_, Duration(std::chrono::seconds(random_.below(25))));
    if (random_.one_in(40)) {
      must(engine_->close());
      open();
    }
    if (random_.one_in(40)) {
      // The window only becomes shorter: a longer one would not bring back what is forgotten.
      window = std::max<Duration>(1s, window - 5s);
      must(engine_->alter_queue("orders", {.deduplication = {.window = window}}));
    }
    ASSERT_LE(rows(), 400U);
  }
}

// What was sent by the later time is known for its whole length from then on, whatever the clock that was set
// back says.
TEST_P(DedupTest, IsKnownThoughTheClockWasSetBackOverARestart) {
  send("a");
  advance(*engine_, clock_, 30s);
  send("b");
  clock_.step(-25s);
  must(engine_->close());
  open();
  send("c");
  advance(*engine_, clock_, 59s);
  EXPECT_TRUE(send("b").duplicate);
  advance(*engine_, clock_, 1s);
  EXPECT_FALSE(send("b").duplicate);
}

TEST_P(DedupTest, ForgetsOnDisk) {
  for (int i = 0; i < 10; ++i) {
    send(std::to_string(i));
    advance(*engine_, clock_, 10s);
  }
  EXPECT_LE(rows(), 10U);
  EXPECT_GE(rows(), 6U);
  must(engine_->close());
  open();
  advance(*engine_, clock_, 200s);
  EXPECT_EQ(rows(), 0U);
  send("a");
  must(engine_->alter_queue("orders", {.deduplication = {.mode = Deduplication::kNone}}));
  EXPECT_EQ(rows(), 0U);
}

// Recovery goes from bucket to bucket, and there is none after the last one.
TEST(DedupRecovery, ADamagedBucketIsNamed) {
  for (const std::int64_t bucket : {INT64_MAX, std::int64_t{-1}}) {
    const auto disk = std::make_shared<MemoryDisk>(1);
    must(must(EngineInside::open_over(must(open_memory_store(disk)), {}))
             .create_queue("orders", {.deduplication = {.mode = Deduplication::kById}}));
    auto store = must(open_memory_store(disk));
    const auto queue = keys::parse_queue_row(
        store->scan(Family::kCatalog, keys::kDefinitionsBegin, keys::kDefinitionsEnd)->key());
    const auto batch = store->new_batch();
    batch->put(Family::kDedup, keys::dedup(queue.value(), Timestamp(Duration(bucket)), "id"), "");
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
    EXPECT_THAT(EngineInside::open_over(std::move(store), {}), FailsWith(ErrorCode::kCorruption));
  }
}

TEST(DedupLookup, IsRepeatedWhenDeduplicationChangesMeanwhile) {
  const auto pause = std::make_shared<Pause>(Family::kDedup);
  Engine engine = must(EngineInside::open_over(
      std::make_unique<PausedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), open_gate(),
                                    pause),
      {}));
  must(engine.create_queue("orders", {.deduplication = {.mode = Deduplication::kById}}));
  // The lookup needs something to read.
  must(engine.send("orders", {.body = "first", .deduplication_id = "1"}));
  pause->arm();
  std::vector<Result<Sent>> late;
  std::thread sender([&] {
    late = must(engine.send_batch("orders", std::vector<Message>{{.body = "second", .deduplication_id = "2"},
                                                                 {.body = "by its content"}}));
  });
  pause->wait_until_held();
  must(engine.alter_queue("orders", {.deduplication = {.mode = Deduplication::kByContent}}));
  const Sent before = must(engine.send("orders", {.body = "by its content"}));
  pause->go_on();
  sender.join();
  ASSERT_EQ(late.size(), 2U);
  EXPECT_FALSE(must(late[0]).duplicate);
  EXPECT_TRUE(must(late[1]).duplicate);
  EXPECT_EQ(must(late[1]).id, before.id);
}

// What the lookup has read was forgotten when the option was turned off, though the option is now as it was.
TEST(DedupLookup, IsRepeatedWhenDeduplicationWasTurnedOffAndOnMeanwhile) {
  const auto pause = std::make_shared<Pause>(Family::kDedup);
  Engine engine = must(EngineInside::open_over(
      std::make_unique<PausedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), open_gate(),
                                    pause),
      {}));
  must(engine.create_queue("orders", {.deduplication = {.mode = Deduplication::kById}}));
  must(engine.send("orders", {.body = "first", .deduplication_id = "1"}));
  pause->arm();
  std::optional<Sent> again;
  std::thread sender(
      [&] { again = must(engine.send("orders", {.body = "second", .deduplication_id = "1"})); });
  pause->wait_until_held();
  must(engine.alter_queue("orders", {.deduplication = {.mode = Deduplication::kNone}}));
  must(engine.alter_queue("orders", {.deduplication = {.mode = Deduplication::kById}}));
  pause->go_on();
  sender.join();
  EXPECT_FALSE(again->duplicate);
  EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, 2U);
}

}  // namespace
}  // namespace holdfast::testing
