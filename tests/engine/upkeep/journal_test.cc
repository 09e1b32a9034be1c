// These tests check what restarts, power losses, retention and salvage leave of journals.
#include <functional>
#include <string>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum StepKind;

std::vector<StepKind> kinds(Engine& engine, const MessageId& id) {
  std::vector<StepKind> result;
  for (const HistoryStep& step : must(engine.message_history(id)).steps) result.push_back(step.kind);
  return result;
}

class JournalCrashTest : public ::testing::TestWithParam<std::uint64_t>, public CrashableEngine {
 protected:
  JournalCrashTest() : CrashableEngine(GetParam()) {}

  // Counts the rows of the journals one by one.
  std::uint64_t rows() {
    engine_.reset();
    std::uint64_t count = 0;
    {
      const auto store = must(open_memory_store(disk_));
      for (auto scan = store->scan(Family::kJournal, "", "\xff"); scan->valid(); scan->next()) ++count;
    }
    open();
    return count;
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, JournalCrashTest, ::testing::Range<std::uint64_t>(1, 11));

// A power loss takes an effect and its step together.
TEST_P(JournalCrashTest, TellsWhatIsTrueAfterAPowerLoss) {
  must(engine_->create_queue("orders", {.journal = {.max_entries = 1000}}));
  Random random(GetParam());
  std::vector<MessageId> all;
  for (int i = 0; i < 60; ++i) {
    const auto durability = random.one_in(8) ? Durability::kFsync : Durability::kBuffered;
    all.push_back(must(engine_->send("orders", {.body = "x"}, {.durability = durability})).id);
    if (random.one_in(2)) continue;
    const auto receipt = must(engine_->receive("orders")).at(0).receipt;
    if (random.one_in(2)) must(engine_->ack(receipt, {.durability = durability}));
  }
  crash();
  QueueCounts counts;
  for (const MessageId& id : all) {
    const auto steps = kinds(*engine_, id);
    if (steps.empty()) continue;  // the send was lost
    const auto page = must(engine_->peek("orders", {.id = id}));
    EXPECT_EQ(page.items.empty(), steps.back() == kAcked);
    if (steps.back() == kSent) ++counts.ready;
    if (steps.back() == kDelivered) ++counts.leased;
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts, counts);
  EXPECT_THAT(must(engine_->verify()).findings, IsEmpty());
  const MessageId more = must(engine_->send("orders", {.body = "x"})).id;
  EXPECT_THAT(kinds(*engine_, more), ElementsAre(kSent));
}

// A busy queue has a small journal, over restarts and power losses.
TEST_P(JournalCrashTest, IsBounded) {
  constexpr std::uint64_t kMax = limits::kJournalEntriesMin;
  must(engine_->create_queue("orders", {.lease = 1s, .journal = {.max_entries = kMax, .keep = 10min}}));
  Random random(GetParam());
  std::vector<Receipt> held;
  for (int i = 0; i < 300; ++i) {
    switch (random.below(7)) {
      case 0:
      case 1:
        must(engine_->send_batch("orders", std::vector<Message>(1 + random.below(40), {.body = "x"})));
        break;
      case 2:
        for (const auto& each : must(engine_->receive("orders", {.max = 20}))) held.push_back(each.receipt);
        break;
      case 3:
        must(engine_->ack_batch(held));
        held.clear();
        break;
      case 4:
        clock_.advance(Duration(random.below(1'000'000'000)));
        run_due_until_quiet(*engine_, clock_);
        break;
      case 5:
        if (random.one_in(5)) must(engine_->purge_queue("orders"));
        break;
      default:
        if (random.one_in(10)) crash();
        if (random.one_in(10)) must(engine_->alter_queue("orders", {.journal = JournalOptions{kMax, 5min}}));
    }
  }
  EXPECT_THAT(must(engine_->verify()).findings, IsEmpty());
  EXPECT_LE(rows(), kMax);
  must(engine_->alter_queue("orders", {.journal = JournalOptions{}}));
  EXPECT_EQ(rows(), 0U);
  EXPECT_THAT(must(engine_->verify()).findings, IsEmpty());
}

TEST(JournalTest, AQueueWithoutOneWritesNothing) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  {
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)),
                                                 {.background = false, .free_space_reserve = 0}));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    must(engine.send_batch("orders", std::vector<Message>(3, {.body = "x"})));
    const auto deliveries = must(engine.receive("orders", {.max = 3}));
    must(engine.ack(deliveries[0].receipt));
    must(engine.reject(deliveries[1].receipt, {}));
    must(engine.release(deliveries[2].receipt));
    must(engine.redrive("dlq"));
    must(engine.purge_queue("orders"));
  }
  const auto store = must(open_memory_store(disk));
  EXPECT_FALSE(store->scan(Family::kJournal, "", "\xff")->valid());
}

TEST(JournalTest, TellsOfRetention) {
  TempDir archive;
  ManualClock clock;
  Engine engine = must(
      EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                              {.clock = &clock, .background = false, .archive_directory = archive.path()}));
  must(engine.create_queue("dlq", {.retention = {.abandoned = 24h}, .journal = {.max_entries = 100}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  const MessageId id = must(engine.send("orders", {.body = "x"})).id;
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
  must(engine.change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  clock.advance(25h);
  run_due_until_quiet(engine, clock);
  EXPECT_THAT(kinds(engine, id), ElementsAre(kDeadLettered, kArchived));
}

// The engine reads the chunk to find the id, since no cache has it after a restart.
TEST(JournalTest, FindsTheIdsOfMessagesFromBeforeARestart) {
  TempDir temp;
  ManualClock clock;
  const EngineOptions options{.clock = &clock, .background = false};
  std::vector<MessageId> ids;
  std::vector<Receipt> receipts;
  {
    Engine engine = must(Engine::open(temp / "data", options));
    must(engine.create_queue("orders", {.journal = {.max_entries = 10'000}}));
    for (const auto& sent : must(engine.send_batch("orders", std::vector<Message>(300, {.body = "x"}))))
      ids.push_back(must(sent).id);
    for (const auto& delivery : must(engine.receive("orders", {.max = 300})))
      receipts.push_back(delivery.receipt);
  }
  Engine engine = must(Engine::open(temp / "data", options));
  for (const auto& acked : must(engine.ack_batch(receipts))) must(acked);
  for (const MessageId& id : ids) EXPECT_THAT(kinds(engine, id), ElementsAre(kSent, kDelivered, kAcked));
}

TEST(JournalTest, SalvageBringsItOver) {
  TempDir temp;
  ManualClock clock;
  const EngineOptions options{.clock = &clock, .background = false};
  std::vector<MessageId> ids;
  {
    Engine engine = must(Engine::open(temp / "data", options));
    must(engine.create_queue("orders", {.journal = {.max_entries = 160}}));
    for (const auto& sent : must(engine.send_batch("orders", std::vector<Message>(200, {.body = "x"}))))
      ids.push_back(must(sent).id);
  }
  must(Engine::salvage(temp / "data", temp / "salvaged"));
  EXPECT_THAT(must(Engine::verify(temp / "salvaged")).findings, IsEmpty());
  Engine engine = must(Engine::open(temp / "salvaged", options));
  EXPECT_THAT(kinds(engine, ids.back()), ElementsAre(kSent));
  EXPECT_THAT(kinds(engine, ids.front()), IsEmpty());
  must(engine.ack(must(engine.receive("orders")).at(0).receipt));
  EXPECT_THAT(kinds(engine, ids.front()), ElementsAre(kDelivered, kAcked));
}

// The wall clock was a year ahead when the journal began, so stored time still is.
class SalvagedYearAhead : public ::testing::Test {
 protected:
  static constexpr Duration kKeep = 1h;

  // Sends a message, whose step is in a bucket of its own, and salvages the directory once `damage` has had
  // it.
  MessageId salvage(const std::function<void()>& damage) {
    MessageId id;
    clock_.step(24h * 365);
    for (const bool first : {true, false}) {
      Engine engine = open("data");
      if (first) must(engine.create_queue("other"));
      if (first) must(engine.create_queue("orders", {.journal = {.max_entries = 1000, .keep = kKeep}}));
      advance(engine, clock_, 2 * kKeep);
      id = must(engine.send("orders", {.body = "x"})).id;
      must(engine.send("other", {.body = "x"}));
      must(engine.close());
      if (first) clock_.step(-24h * 365);
    }
    damage();
    must(Engine::salvage(temp_ / "data", temp_ / "salvaged"));
    return id;
  }

  void expect_to_keep(const MessageId& id) {
    Engine engine = open("salvaged");
    advance(engine, clock_, kKeep - 1min);
    EXPECT_THAT(kinds(engine, id), ElementsAre(kSent));
    advance(engine, clock_, 2min);
    EXPECT_THAT(kinds(engine, id), IsEmpty());
  }

  Engine open(const std::string& name) {
    return must(Engine::open(temp_ / name, {.clock = &clock_, .background = false}));
  }

  TempDir temp_;
  ManualClock clock_;
};

TEST_F(SalvagedYearAhead, KeepsAJournalAsLongAsItWasToBeKept) {
  expect_to_keep(salvage([] {}));
}

TEST_F(SalvagedYearAhead, KeepsAJournalWhoseCheckpointIsLost) {
  expect_to_keep(salvage([&] {
    const auto store = must(open_rocksdb_store(temp_ / "data"));
    const auto batch = store->new_batch();
    batch->remove(Family::kCatalog, keys::queue_checkpoint(QueueId{2}));
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
    must(store->close());
  }));
}

}  // namespace
}  // namespace holdfast::testing
