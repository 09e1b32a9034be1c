// These tests check what a power loss may take, and what it must not take.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/damaged_store.h"
#include "tests/support/gated_store.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Each test runs with many seeds, since the seed chooses how much of the unsynced writes is lost.
class DurabilityTest : public ::testing::TestWithParam<std::uint64_t>, public CrashableEngine {
 protected:
  DurabilityTest() : CrashableEngine(GetParam()) {
    must(engine_->create_queue(
        "orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
  }

  void power_loss() {
    crash();
    run_due_until_quiet(*engine_, clock_);
  }

  void send(const std::string& body, Durability durability) {
    EXPECT_EQ(must(engine_->send("orders", {.body = body}, {.durability = durability})).durability,
              durability);
  }
  Delivery receive_one(std::string_view queue = "orders") {
    return std::move(must(engine_->receive(queue)).at(0));
  }
  QueueCounts counts(std::string_view queue = "orders") {
    return must(engine_->describe_queue(queue)).counts;
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, DurabilityTest, ::testing::Range<std::uint64_t>(1, 21));

TEST_P(DurabilityTest, KeepsFsyncedSends) {
  for (int i = 0; i < 10; ++i) send(std::to_string(i), Durability::kFsync);
  power_loss();
  EXPECT_EQ(counts(), (QueueCounts{.ready = 10}));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(receive_one().body, std::to_string(i));
}

TEST_P(DurabilityTest, LosesOnlyTheNewestBufferedSends) {
  for (int i = 0; i < 10; ++i) send(std::to_string(i), Durability::kBuffered);
  power_loss();
  const std::uint64_t left = counts().ready;
  EXPECT_LE(left, 10U);
  for (std::uint64_t i = 0; i < left; ++i) EXPECT_EQ(receive_one().body, std::to_string(i));
}

// The first attempt was buffered, since its queue said so at that time. The queue was altered after it, and
// its alteration is fsynced.
TEST_P(DurabilityTest, ARepeatedAckIsAsDurableAsItsQueueHasItByNow) {
  must(engine_->alter_queue("orders", {.durability = Durability::kBuffered}));
  send("x", Durability::kFsync);
  const Receipt receipt = receive_one().receipt;
  must(engine_->ack(receipt, {.request_id = "r1"}));
  must(engine_->alter_queue("orders", {.durability = Durability::kFsync}));
  must(engine_->ack(receipt, {.request_id = "r1"}));
  power_loss();
  EXPECT_EQ(counts(), QueueCounts{});
}

TEST_P(DurabilityTest, AnFsyncCoversAllBeforeIt) {
  for (int i = 0; i < 5; ++i) send("buffered", Durability::kBuffered);
  send("fsynced", Durability::kFsync);
  power_loss();
  EXPECT_EQ(counts(), (QueueCounts{.ready = 6}));
}

// The move to the tail is a commit of its own, behind that of the release.
TEST_P(DurabilityTest, WhatIsOnItsWayToTheTailGetsThereAfterACrash) {
  for (int i = 0; i < 5; ++i) send("x", Durability::kFsync);
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = 5})))
    must(engine_->release(delivery.receipt, {.to = ReturnTo::kTail}));
  power_loss();
  clock_.advance(10s);
  run_due_until_quiet(*engine_, clock_);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 5}));
}

TEST_P(DurabilityTest, AScheduledMessageComesOnceWhateverIsLostWhileItEnters) {
  const Timestamp at = clock_.now() + 2h;
  for (int i = 0; i < 5; ++i) {
    must(engine_->send("orders", {.body = std::to_string(i), .visible_at = at}));
  }
  power_loss();
  EXPECT_EQ(counts(), (QueueCounts{.waiting = 5}));
  clock_.set(at);
  engine_->run_due();
  power_loss();  // what has entered is lost, and enters again
  EXPECT_EQ(counts(), (QueueCounts{.ready = 5}));
  for (int i = 0; i < 5; ++i) {
    const Delivery delivery = receive_one();
    EXPECT_EQ(delivery.body, std::to_string(i));
    must(engine_->ack(delivery.receipt));
  }
  power_loss();
  EXPECT_EQ(counts(), QueueCounts{});
}

TEST_P(DurabilityTest, AnExpiryThatWasLostComesAgain) {
  for (int i = 0; i < 3; ++i) {
    must(engine_->send("orders", {.body = std::to_string(i), .time_to_live = 1min}));
  }
  send("stays", Durability::kFsync);
  power_loss();
  clock_.advance(1min);
  engine_->run_due();
  power_loss();
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 3, .dead = 3}));
  EXPECT_EQ(receive_one().body, "stays");
}

TEST_P(DurabilityTest, ALongReleaseIsNeverDoubled) {
  send("a", Durability::kFsync);
  must(engine_->release(receive_one().receipt, {.delay = 1h}));
  engine_->run_due();
  power_loss();
  // The message is where it was before the release, before it left the window, or after that.
  const QueueCounts now = counts();
  EXPECT_EQ(now.ready + now.waiting + now.leased, 1U);
  advance(*engine_, clock_, 2h);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1}));
  EXPECT_EQ(receive_one().body, "a");
}

TEST_P(DurabilityTest, KeepsFsyncedAcks) {
  send("a", Durability::kFsync);
  must(engine_->ack(receive_one().receipt, {.durability = Durability::kFsync}));
  power_loss();
  EXPECT_EQ(counts(), QueueCounts{});
}

TEST_P(DurabilityTest, KeepsFsyncedRejectsWithTheirRecords) {
  send("a", Durability::kFsync);
  must(engine_->reject(receive_one().receipt, {.category = "c", .reason = "r"}));
  power_loss();
  EXPECT_EQ(counts(), QueueCounts{});
  const auto page = must(engine_->list_dead_letters("dlq", {.bodies = true}));
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items[0].body, "a");
  EXPECT_EQ(page.items[0].record.reason, "r");
}

TEST_P(DurabilityTest, ABufferedMoveIsThereInWholeOrNotAtAll) {
  send("a", Durability::kFsync);
  must(engine_->reject(receive_one().receipt, {.category = "c"}, {.durability = Durability::kBuffered}));
  power_loss();
  advance(*engine_, clock_, 1h);
  const QueueCounts source = counts();
  const QueueCounts dead = counts("dlq");
  EXPECT_EQ(source.ready + dead.ready, 1U);
  EXPECT_EQ(dead.dead, dead.ready);
  EXPECT_EQ(must(engine_->list_dead_letters("dlq")).items.size(), dead.dead);
}

TEST_P(DurabilityTest, KeepsRedrives) {
  send("a", Durability::kFsync);
  must(engine_->reject(receive_one().receipt, {}));
  EXPECT_EQ(must(engine_->redrive("dlq")).moved, 1U);
  power_loss();
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1}));
  EXPECT_EQ(receive_one().replays, 1U);
}

TEST_P(DurabilityTest, KeepsTheEndOfARedriveTask) {
  for (int i = 0; i < 5; ++i) {
    send("a", Durability::kFsync);
    must(engine_->reject(receive_one().receipt, {}));
  }
  const TaskId task = must(engine_->redrive("dlq", {.rate = 1, .wait = false})).task;
  EXPECT_EQ(must(engine_->cancel_redrive(task)).state, TaskState::kCancelled);
  power_loss();
  EXPECT_EQ(must(engine_->redrive_status(task)).state, TaskState::kCancelled);
}

TEST_P(DurabilityTest, KeepsDeletions) {
  must(engine_->create_queue("brief"));
  must(engine_->delete_queue("brief"));
  power_loss();
  EXPECT_THAT(engine_->describe_queue("brief"), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(DurabilityTest, KeepsImports) {
  send("a", Durability::kFsync);
  must(engine_->reject(receive_one().receipt, {}));
  const auto letters = must(engine_->list_dead_letters("dlq", {.bodies = true})).items;
  must(engine_->discard_dead_letters("dlq", {.all = true}));
  EXPECT_EQ(must(engine_->import_dead_letters("dlq", letters)).imported, 1U);
  power_loss();
  EXPECT_EQ(counts("dlq").dead, 1U);
}

TEST_P(DurabilityTest, NeverUsesAReceiptAgain) {
  send("a", Durability::kFsync);
  std::vector<Receipt> lost;
  for (int i = 0; i < 5; ++i) {
    for (const Delivery& delivery : must(engine_->receive("orders", {.lease = 1h}))) {
      for (const Receipt& receipt : lost) EXPECT_NE(delivery.receipt, receipt);
      lost.push_back(delivery.receipt);
    }
    power_loss();
  }
}

// If the delivery was lost, its receipt holds nothing. If it was not lost, its receipt still holds the
// message.
TEST_P(DurabilityTest, AReceiptOfALostDeliveryHoldsNothing) {
  send("a", Durability::kFsync);
  const Receipt receipt = receive_one().receipt;
  power_loss();
  if (counts().leased == 1) {
    must(engine_->ack(receipt));
    return;
  }
  EXPECT_THAT(engine_->ack(receipt), FailsAsSettled());
  const Delivery again = receive_one();
  EXPECT_THAT(engine_->ack(receipt), FailsAsSettled());
  must(engine_->ack(again.receipt));
}

TEST_P(DurabilityTest, KeepsTriage) {
  for (int i = 0; i < 5; ++i) {
    send("a", Durability::kFsync);
    must(engine_->reject(receive_one().receipt, {.reason = "r"}));
  }
  EXPECT_EQ(must(engine_->change_dead_letters("dlq", {.all = true}, {.assignee = "ann"})).changed, 5U);
  power_loss();
  for (const DeadLetter& letter : must(engine_->list_dead_letters("dlq")).items)
    EXPECT_EQ(letter.triage.assignee, "ann");
}

TEST_P(DurabilityTest, KeepsTriageWhoseLastStepHadNothingToChange) {
  constexpr std::size_t kOneStepAndOne = 513;
  must(engine_->send_batch("orders", std::vector<Message>(kOneStepAndOne, Message{.body = "a"})));
  std::vector<Receipt> all;
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = kOneStepAndOne})))
    all.push_back(delivery.receipt);
  for (const auto& rejected : must(engine_->reject_batch(all, {.reason = "r"}))) must(rejected);
  const Seq last = must(engine_->list_dead_letters("dlq", {.max = 1, .newest_first = true})).items.at(0).seq;
  must(engine_->change_dead_letters("dlq", {.filter = {.seqs = {last}}}, {.assignee = "ann"}));
  EXPECT_EQ(must(engine_->change_dead_letters("dlq", {.all = true}, {.assignee = "ann"})).changed,
            kOneStepAndOne - 1);
  power_loss();
  const auto assigned =
      must(engine_->list_dead_letters("dlq", {.filter = {.assignee = "ann"}, .max = 1000})).items;
  EXPECT_EQ(assigned.size(), kOneStepAndOne);
}

// The first call has changed some dead letters when it fails, and has made no fsync.
TEST(BulkDurability, WhatIsSoAlreadyIsFsyncedLikeWhatIsChanged) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto disk = std::make_shared<MemoryDisk>(seed);
    const PowerSwitch power = power_on();
    const auto damage = std::make_shared<DamagedRows>();
    {
      Engine engine = must(EngineInside::open_over(
          std::make_unique<DamagedStore>(
              std::make_unique<SwitchedStore>(must(open_memory_store(disk)), power), damage),
          {.background = false}));
      must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
      must(engine.send_batch("orders", std::vector<Message>(600, Message{.body = "a"})));
      for (const Delivery& delivery : must(engine.receive("orders", {.max = 600})))
        must(engine.reject(delivery.receipt, {}, {.durability = Durability::kBuffered}));
      damage->add(Family::kDeadLetters, keys::queue_seq(must(engine.describe_queue("dlq")).id, Seq{550}));
      EXPECT_THAT(engine.change_dead_letters("dlq", {.all = true}, {.assignee = "ann"}),
                  FailsNaming(ErrorCode::kOutcomeUnknown, "damaged"));
      const auto changed =
          must(engine.change_dead_letters("dlq", {.filter = {.seqs = {Seq{1}}}}, {.assignee = "ann"}));
      EXPECT_EQ(changed.unchanged, 1U);
      *power = false;
    }
    disk->crash();
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
    EXPECT_EQ(
        must(engine.list_dead_letters("dlq", {.filter = {.seqs = {Seq{1}}}})).items.at(0).triage.assignee,
        "ann");
  }
}

// Callers that come while a commit is under way share the commit after it.
TEST(GroupDurability, AGroupIsFsyncedIfOneOfItsCallsIs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto disk = std::make_shared<MemoryDisk>(seed);
    const PowerSwitch power = power_on();
    const CommitGate shut = open_gate();
    {
      Engine engine = must(EngineInside::open_over(
          std::make_unique<GatedStore>(must(open_memory_store(disk)), power, shut), {}));
      must(engine.create_queue("orders"));
      *shut = true;
      std::vector<std::thread> callers;
      for (const Durability durability : {Durability::kBuffered, Durability::kBuffered, Durability::kFsync}) {
        callers.emplace_back(
            [&, durability] { must(engine.send("orders", {.body = "x"}, {.durability = durability})); });
        while (must(engine.describe_queue("orders")).counts.ready < callers.size()) std::this_thread::yield();
      }
      *shut = false;
      shut->notify_all();
      for (std::thread& caller : callers) caller.join();
      *power = false;
    }
    disk->crash();
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
    EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, 3U);
  }
}

}  // namespace
}  // namespace holdfast::testing
