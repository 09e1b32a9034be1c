// The outcomes of redriven messages over crashes, and what is stored of them.
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/dead_letter_audit.h"
#include "tests/support/gated_store.h"
#include "tests/support/paused_store.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class ReplayTest : public ::testing::Test, public CrashableEngine {
 protected:
  ReplayTest() : CrashableEngine(1) {
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  }

  Receipt receive() { return must(engine_->receive("orders")).at(0).receipt; }
  void reject() { must(engine_->reject(receive(), {.reason = "bad"})); }
  DeadLetter record() {
    auto items = must(engine_->list_dead_letters("dlq", {.filter = {.history = true}, .bodies = true})).items;
    EXPECT_EQ(items.size(), 1U);
    return items.at(0);
  }
  ReplayOutcome outcome() { return record().replay.value().outcome; }
  void expect_sound() {
    const auto report = must(engine_->verify());
    EXPECT_TRUE(report.sound()) << report.findings.at(0).kind << ": " << report.findings.at(0).what;
  }
  // Returns the bytes of all rows about dead letters.
  std::size_t stored_bytes() {
    must(engine_->close());
    engine_.reset();
    std::size_t bytes = 0;
    {
      const auto store = must(open_memory_store(disk_));
      for (const Family family :
           {Family::kDeadLetters, Family::kHistory, Family::kDeadLetterIndex, Family::kDeadLetterIds}) {
        const auto scan = store->scan(family, {}, std::string(32, '\xff'));
        for (; scan->valid(); scan->next()) bytes += scan->key().size() + scan->value().size();
      }
      EXPECT_EQ(stored_index(*store), expected_index(*store));
      must(store->close());
    }
    open();
    return bytes;
  }
};

TEST_F(ReplayTest, OutcomeAndAckAreLostTogether) {
  must(engine_->send("orders", {.body = "a"}));
  reject();
  must(engine_->redrive("dlq"));
  must(engine_->ack(receive(), {.durability = Durability::kBuffered}));
  EXPECT_EQ(outcome(), ReplayOutcome::kAcked);
  crash();
  const bool lost = must(engine_->describe_queue("orders")).counts != QueueCounts{};
  EXPECT_EQ(outcome(), lost ? ReplayOutcome::kPending : ReplayOutcome::kAcked);
  if (lost) {
    clock_.advance(1h);
    run_due_until_quiet(*engine_, clock_);
    must(engine_->ack(receive(), {.durability = Durability::kFsync}));
  }
  crash();
  EXPECT_EQ(outcome(), ReplayOutcome::kAcked);
  expect_sound();
}

TEST_F(ReplayTest, DeathAndTheRecordItTakesOverAreLostTogether) {
  must(engine_->send("orders", {.body = "a"}));
  reject();
  must(engine_->redrive("dlq", {.edit = {.body = "b"}}));
  must(engine_->reject(receive(), {.reason = "again"}, {.durability = Durability::kBuffered}));
  EXPECT_FALSE(record().history);
  crash();
  const bool lost = must(engine_->describe_queue("orders")).counts != QueueCounts{};
  EXPECT_EQ(record().history, lost);
  EXPECT_EQ(record().original.value().body, "a");
  expect_sound();
  if (lost) {
    clock_.advance(1h);
    run_due_until_quiet(*engine_, clock_);
    must(engine_->reject(receive(), {.reason = "again"}, {.durability = Durability::kFsync}));
  }
  crash();
  EXPECT_FALSE(record().history);
  EXPECT_EQ(record().original.value().body, "a");
  EXPECT_EQ(record().body, "b");
  expect_sound();
}

TEST_F(ReplayTest, FiftyReplaysStoreNoMoreThanOne) {
  must(engine_->send("orders", {.body = "a"}));
  reject();
  const Timestamp first_died_at = record().record.died_at;
  clock_.advance(1s);
  must(engine_->redrive("dlq", {.edit = {.body = "b"}}));
  reject();
  const std::size_t after_one = stored_bytes();
  for (int replay = 2; replay <= 50; ++replay) {
    must(engine_->redrive("dlq", {.edit = {.body = "b"}}));
    reject();
  }
  EXPECT_EQ(record().record.replays, 50U);
  EXPECT_EQ(record().record.first_death->died_at, first_died_at);
  // Some numbers have become a byte longer.
  EXPECT_LE(stored_bytes(), after_one + 16);
}

// The calls that come while a commit waits gather in one group.
TEST(ReplayOutcome, OfAnAckThatIsCommittedWithTheDeletionOfItsQueueIsKept) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  const CommitGate shut = open_gate();
  Engine engine = must(EngineInside::open_over(
      std::make_unique<GatedStore>(must(open_memory_store(disk)), power_on(), shut), {}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine.create_queue("replays"));
  must(engine.create_queue("others"));
  must(engine.send("orders", {.body = "a"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
  must(engine.redrive("dlq", {.to = "replays"}));
  const Receipt receipt = must(engine.receive("replays")).at(0).receipt;
  must(engine.send("replays", {.body = "goes with its queue"}));
  const std::vector<Receipt> other{must(engine.receive("replays")).at(0).receipt};
  const auto leased = [&] { return must(engine.describe_queue("replays")).counts.leased; };
  *shut = true;
  std::vector<std::thread> callers;
  callers.emplace_back([&] { must(engine.send("others", {.body = "holds the gate"})); });
  while (must(engine.describe_queue("others")).counts.ready == 0) std::this_thread::yield();
  callers.emplace_back([&] { must(engine.ack(receipt)); });
  while (leased() == 2) std::this_thread::yield();
  callers.emplace_back([&] { must(engine.delete_queue("replays")); });
  while (!must(EngineInside::leased(engine, other)).empty()) std::this_thread::yield();
  *shut = false;
  shut->notify_all();
  for (std::thread& caller : callers) caller.join();
  const auto records = must(engine.list_dead_letters("dlq", {.filter = {.history = true}})).items;
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].replay.value().outcome, ReplayOutcome::kAcked);
}

TEST(ReplayOutcome, OfAnAckThatIsCommittedWithAPurgeOfItsRecordIsNotStored) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  const CommitGate shut = open_gate();
  Engine engine = must(EngineInside::open_over(
      std::make_unique<GatedStore>(must(open_memory_store(disk)), power_on(), shut), {}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine.create_queue("replays"));
  must(engine.create_queue("others"));
  const auto send_and_reject = [&] {
    must(engine.send("orders", {.body = "a"}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
  };
  send_and_reject();
  must(engine.redrive("dlq", {.to = "replays"}));
  const Receipt receipt = must(engine.receive("replays")).at(0).receipt;
  send_and_reject();  // by this one the test sees that the purge has started
  *shut = true;
  std::vector<std::thread> callers;
  callers.emplace_back([&] { must(engine.send("others", {.body = "holds the gate"})); });
  while (must(engine.describe_queue("others")).counts.ready == 0) std::this_thread::yield();
  callers.emplace_back([&] { must(engine.purge_queue("dlq")); });
  while (must(engine.describe_queue("dlq")).counts.dead == 1) std::this_thread::yield();
  callers.emplace_back([&] { must(engine.ack(receipt)); });
  while (must(engine.describe_queue("replays")).counts.leased == 1) std::this_thread::yield();
  *shut = false;
  shut->notify_all();
  for (std::thread& caller : callers) caller.join();
  must(engine.close());
  const auto store = must(open_memory_store(disk));
  EXPECT_FALSE(store->scan(Family::kHistory, {}, std::string(32, '\xff'))->valid());
}

// Changes of the record of a redriven dead letter, while its message dies again or the record is purged.
class HistoryTest : public ::testing::Test {
 protected:
  // Tells when the caller under test, which holds its locks, asks for the time.
  class AskedClock final : public Clock {
   public:
    Timestamp now() const override { return kTestEpoch; }
    Duration steady() const override {
      if (std::this_thread::get_id() == who) {
        asked = true;
        asked.notify_all();
      }
      return Duration{0};
    }
    std::atomic<std::thread::id> who;
    mutable std::atomic<bool> asked = false;
  };

  HistoryTest() {
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    must(engine_.create_queue("others"));
    must(engine_.send("orders", {.body = "a"}));
    must(engine_.reject(receive(), {.reason = "bad"}));
    must(engine_.redrive("dlq"));
  }

  Receipt receive() { return must(engine_.receive("orders")).at(0).receipt; }
  // Adds a note. `changed` becomes the number of dead letters that are said to have it now.
  std::thread add_note(std::uint64_t& changed) {
    pause_->arm();
    return std::thread([&] {
      clock_.who = std::this_thread::get_id();
      changed = must(engine_.change_dead_letters("dlq", {.filter = {.history = true}, .all = true},
                                                 {.note = "seen"}))
                    .changed;
      clock_.who = std::thread::id();
    });
  }
  std::size_t notes() {
    std::size_t count = 0;
    for (const DeadLetter& letter :
         must(engine_.list_dead_letters("dlq", {.filter = {.history = true}})).items)
      count += letter.triage.notes.size();
    return count;
  }
  std::uint64_t dead() { return must(engine_.describe_queue("dlq")).counts.dead; }

  AskedClock clock_;
  const CommitGate shut_ = open_gate();
  const std::shared_ptr<Pause> pause_ = std::make_shared<Pause>(Family::kHistory);
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<PausedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), shut_, pause_),
      {.clock = &clock_, .background = false}));
};

TEST_F(HistoryTest, NoNoteIsSaidToBeAddedToWhatIsGone) {
  const Receipt receipt = receive();
  std::uint64_t changed = 0;
  std::thread caller = add_note(changed);
  pause_->wait_until_held();
  must(engine_.reject(receipt, {.reason = "again"}));
  pause_->go_on();
  caller.join();
  EXPECT_EQ(dead(), 1U);
  EXPECT_EQ(notes(), changed);
}

TEST_F(HistoryTest, NoNoteIsSaidToBeAddedToWhatIsPurged) {
  std::uint64_t changed = 0;
  std::thread caller = add_note(changed);
  pause_->wait_until_held();
  must(engine_.purge_queue("dlq"));
  pause_->go_on();
  caller.join();
  EXPECT_EQ(changed, 0U);
  EXPECT_EQ(notes(), 0U);
}

// While a commit waits, the note and the death gather in the group behind it.
TEST_F(HistoryTest, ANoteIsTakenOverByADeathInTheSameCommit) {
  const Receipt receipt = receive();
  std::uint64_t changed = 0;
  std::thread caller = add_note(changed);
  pause_->wait_until_held();
  *shut_ = true;
  std::thread other([&] { must(engine_.send("others", {.body = "holds the gate"})); });
  while (must(engine_.describe_queue("others")).counts.ready == 0) std::this_thread::yield();
  pause_->go_on();
  clock_.asked.wait(false);
  std::thread death([&] { must(engine_.reject(receipt, {.reason = "again"})); });
  while (dead() == 0) std::this_thread::yield();
  *shut_ = false;
  shut_->notify_all();
  for (std::thread* each : {&caller, &other, &death}) each->join();
  EXPECT_EQ(changed, 1U);
  EXPECT_EQ(notes(), 1U);
}

}  // namespace
}  // namespace holdfast::testing
