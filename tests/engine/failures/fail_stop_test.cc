// After a failed write the engine refuses work until it is reopened. The reopened engine knows what was
// written.
#include <future>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/base/each_verb.h"
#include "tests/support/answer.h"
#include "tests/support/damaged_store.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Not;

class FailStopTest : public ::testing::TestWithParam<CommitOutcome> {
 protected:
  FailStopTest() {
    open();
    must(engine_->create_queue("orders", {.lease = 10s, .dead_letters = {.queue = "dlq"}},
                               MissingQueues::kCreate));
    must(engine_->send("orders", {.body = "before"}));
  }

  void open() {
    engine_.emplace(must(
        EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false})));
  }
  void reopen() {
    engine_.reset();
    open();
  }
  QueueCounts counts(std::string_view queue) { return must(engine_->describe_queue(queue)).counts; }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(7);
  std::optional<Engine> engine_;
};
INSTANTIATE_TEST_SUITE_P(Outcomes, FailStopTest,
                         ::testing::Values(CommitOutcome::kFailed, CommitOutcome::kFenced,
                                           CommitOutcome::kUnknown));

TEST_P(FailStopTest, RefusesAllWorkAfterAFailedWrite) {
  const Receipt receipt = must(engine_->receive("orders")).at(0).receipt;
  disk_->fail_commit(1, GetParam());
  const auto failed = FailsWith(ErrorCode::kStorageFailed);
  EXPECT_THAT(engine_->send("orders", {.body = "lost"}), failed);
  for_each_verb([&](std::string_view name, auto verb) {
    EXPECT_THAT(call_verb(*engine_, verb, {.receipt = receipt}), failed) << name;
  });

  reopen();
  must(engine_->ack(receipt));
  const std::uint64_t ready = counts("orders").ready;
  EXPECT_LE(ready, GetParam() == CommitOutcome::kUnknown ? 1U : 0U);
  must(engine_->send("orders", {.body = "after"}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = ready + 1}));
}

TEST_P(FailStopTest, AFailedAckLeavesTheMessageOrTakesItWhole) {
  const Receipt receipt = must(engine_->receive("orders")).at(0).receipt;
  disk_->fail_commit(1, GetParam());
  EXPECT_THAT(engine_->ack(receipt), FailsWith(ErrorCode::kStorageFailed));
  reopen();
  const QueueCounts after = counts("orders");
  if (after.leased == 1) must(engine_->ack(receipt));
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(FailStopTest, AFailedWriteAndAClosingLeaveNoReceiveWaiting) {
  must(engine_->create_queue("empty"));
  std::vector<Answer<Result<Deliveries>>> answers(3);
  for (auto& answer : answers) engine_->async_receive("empty", {.wait = 1h}, answer.callback());
  auto blocked = std::async(std::launch::async, [&] { return engine_->receive("empty", {.wait = 1h}); });
  disk_->fail_commit(1, GetParam());
  EXPECT_THAT(engine_->send("orders", {.body = "lost"}), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_THAT(engine_->close(), FailsWith(ErrorCode::kStorageFailed));
  for (auto& answer : answers) EXPECT_THAT(answer.get(), FailsWith(ErrorCode::kStorageFailed));
  // The thread may have called too late, or at the moment at which closing ends receives with an empty list.
  const auto end = blocked.get();
  if (end) {
    EXPECT_TRUE(end->empty());
  } else {
    EXPECT_THAT(end, AnyOf(FailsWith(ErrorCode::kStorageFailed), FailsWith(ErrorCode::kClosed)));
  }
}

// The receives end at once, and not only when the engine is closed, which would also end them.
TEST_P(FailStopTest, AFailedWriteEndsReceivesThatWaitAtOnce) {
  must(engine_->create_queue("empty"));
  std::vector<Answer<Result<Deliveries>>> answers(3);
  for (auto& answer : answers) engine_->async_receive("empty", {.wait = 1h}, answer.callback());
  disk_->fail_commit(1, GetParam());
  EXPECT_THAT(engine_->send("orders", {.body = "lost"}), FailsWith(ErrorCode::kStorageFailed));
  for (auto& answer : answers) EXPECT_THAT(answer.get(), FailsWith(ErrorCode::kStorageFailed));
}

// The queue may be there when the engine is opened again.
TEST_P(FailStopTest, AFailedDeletionIsNotToldToReceivesThatWait) {
  must(engine_->create_queue("empty"));
  Answer<Result<Deliveries>> answer;
  engine_->async_receive("empty", {.wait = 1h}, answer.callback());
  disk_->fail_commit(1, GetParam());
  EXPECT_THAT(engine_->delete_queue("empty"), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_THAT(answer.get(), FailsWith(ErrorCode::kStorageFailed));
  reopen();
  if (GetParam() != CommitOutcome::kUnknown) {
    EXPECT_THAT(engine_->describe_queue("empty"), Succeeds());
  }
}

// A callback is told even if the failure was known before its call asked for an answer: the send waits for
// others that make room for it.
TEST_P(FailStopTest, AFailedWriteIsToldToCallbacks) {
  must(engine_->create_queue("short",
                             {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
  must(engine_->send("short", {.body = "1"}));
  disk_->fail_commit(1, GetParam());
  Answer<BatchResult<Sent>> answer;
  engine_->async_send_batch("short", {{.body = "2"}}, {}, answer.callback());
  EXPECT_THAT(answer.get(), FailsWith(ErrorCode::kStorageFailed));
}

// No message is handed out whose delivery was not counted.
TEST_P(FailStopTest, AFailedReceiveHandsOutNothing) {
  disk_->fail_commit(1, GetParam());
  EXPECT_THAT(engine_->receive("orders"), FailsWith(ErrorCode::kStorageFailed));
  reopen();
  advance(*engine_, clock_, 10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  const std::uint32_t deliveries = must(engine_->receive("orders")).at(0).deliveries;
  EXPECT_LE(deliveries, GetParam() == CommitOutcome::kUnknown ? 2U : 1U);
}

TEST_P(FailStopTest, AWriteThatFailsInTheBackgroundIsSeenByTheNextCall) {
  must(engine_->receive("orders"));
  must(engine_->alter_queue("orders", {.retry = {.max_deliveries = 1}}));
  disk_->fail_commit(1, GetParam());
  clock_.advance(10s);
  engine_->run_due();
  EXPECT_THAT(engine_->send("orders", {.body = "x"}), FailsWith(ErrorCode::kStorageFailed));
  reopen();
  run_due_until_quiet(*engine_, clock_);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

class ReadFaultTest : public ::testing::TestWithParam<ErrorCode> {};
INSTANTIATE_TEST_SUITE_P(Codes, ReadFaultTest,
                         ::testing::Values(ErrorCode::kCorruption, ErrorCode::kStorageFailed));

// Every read of an opening and of a session fails in turn. Each failure is reported, and none changes
// anything.
TEST_P(ReadFaultTest, IsReportedAndHarmless) {
  const ManualClock clock;
  const EngineOptions options{.clock = &clock, .background = false, .message_cache_bytes = 1};
  const auto disk = std::make_shared<MemoryDisk>(3);
  const auto open = [&] { return EngineInside::open_over(must(open_memory_store(disk)), options); };
  {
    Engine engine = must(open());
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    must(engine.send_batch("orders", std::vector<Message>(300, {.body = "x"})));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
    must(engine.receive("orders"));
  }
  std::size_t failures = 0;
  for (std::uint64_t nth = 1; failures + 1 == nth; ++nth) {
    disk->fail_read(nth, GetParam());
    auto engine = open();
    if (!engine) {
      EXPECT_THAT(engine, FailsWith(GetParam()));
      ++failures;
      continue;
    }
    const auto counts = [&] { return must(engine->describe_queue("orders")).counts; };
    const QueueCounts before = counts();
    const auto letters = engine->list_dead_letters("dlq", {.bodies = true});
    const auto received = engine->receive("orders", {.max = 10, .lease = 1h});
    if (letters) {
      EXPECT_EQ(letters->items.size(), 1U);
    } else {
      EXPECT_THAT(letters, FailsWith(GetParam()));
    }
    if (!received) {
      EXPECT_THAT(received, FailsWith(GetParam()));
      EXPECT_EQ(counts().leased, before.leased);
    }
    const bool passed_over = counts().waiting > before.waiting;
    if (!letters || !received || passed_over) ++failures;
  }
  EXPECT_GT(failures, 3U);
  {
    // Nothing has met the last fault yet. These reads use it up.
    auto engine = open();
    while (engine && engine->list_dead_letters("dlq")) {
    }
  }
  Engine engine = must(open());
  const QueueCounts left = must(engine.describe_queue("orders")).counts;
  EXPECT_EQ(left.ready + left.waiting + left.leased, 299U);
  EXPECT_EQ(must(engine.describe_queue("dlq")).counts, (QueueCounts{.ready = 1, .dead = 1}));
}

// The lease is over, so the message has no timer that would bring it back.
TEST(FailedReads, DoNotKeepADyingMessageFromItsDeadLetterQueue) {
  std::uint64_t late = 0;
  for (std::uint64_t nth = 1; nth < 6; ++nth) {
    SCOPED_TRACE("read " + std::to_string(nth));
    ManualClock clock;
    const auto disk = std::make_shared<MemoryDisk>(1);
    const EngineOptions options{.clock = &clock, .background = false, .message_cache_bytes = 1};
    {
      Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), options));
      must(engine.create_queue(
          "orders", {.lease = 10s, .retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}},
          MissingQueues::kCreate));
      must(engine.send("orders", {.body = "x"}));
      must(engine.receive("orders"));
    }
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), options));
    clock.advance(11s);
    disk->fail_read(nth, ErrorCode::kStorageFailed);
    engine.run_due();
    if (!engine.health().writes) continue;  // what a commit needs is read as part of it
    late += must(engine.describe_queue("dlq")).counts.dead == 0 ? 1 : 0;
    clock.advance(1min);
    run_due_until_quiet(engine, clock);
    EXPECT_EQ(must(engine.describe_queue("dlq")).counts.dead, 1U);
  }
  EXPECT_GT(late, 0U);
}

TEST(FailedReads, OfSomeMessagesHoldUpNoOthersOfTheirQueue) {
  ManualClock clock;
  const auto disk = std::make_shared<MemoryDisk>(1);
  const EngineOptions options{.clock = &clock, .background = false};
  constexpr int kDamaged = 2;
  {
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), options));
    must(engine.create_queue("orders",
                             {.lease = 10s, .retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}},
                             MissingQueues::kCreate));
    const std::vector<Message> full(limits::kChunkMessages, Message{.body = "x"});
    for (int chunk = 0; chunk < kDamaged; ++chunk) must(engine.send_batch("orders", full));
    must(engine.send("orders", {.body = "whole"}));
    for (int i = 0; i <= kDamaged; ++i) must(engine.receive("orders", {.max = limits::kChunkMessages}));
  }
  auto store = must(open_memory_store(disk));
  std::string whole_from;
  {
    const auto chunks = store->scan(Family::kMessages, {}, std::string(32, '\xff'));
    for (int i = 0; i < kDamaged; ++i) chunks->next();
    whole_from = chunks->key();
  }
  const auto dead = [](Engine& engine) { return must(engine.describe_queue("dlq")).counts.dead; };
  clock.advance(11s);
  {
    const auto damage = std::make_shared<DamagedRows>();
    damage->add(Family::kMessages, {}, whole_from);
    Engine engine =
        must(EngineInside::open_over(std::make_unique<DamagedStore>(std::move(store), damage), options));
    engine.run_due();
    EXPECT_EQ(dead(engine), 1U);
    EXPECT_GT(engine.run_due(), clock.now());  // the rest is not tried without a pause
  }
  Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), options));
  engine.run_due();
  EXPECT_EQ(dead(engine), 1U + kDamaged * limits::kChunkMessages);
}

// A queue whose first chunk cannot be read.
class DamagedChunkTest : public ::testing::Test {
 protected:
  void create(QueueOptions options = {}) {
    options.retry.max_deliveries = 2;
    options.dead_letters.queue = "dlq";
    options.lease = 10s;
    must(engine_.create_queue("orders", options, MissingQueues::kCreate));
  }
  void send(const std::vector<Message>& chunk) {
    for (const auto& sent : must(engine_.send_batch("orders", chunk))) must(sent);
  }
  void damage_first_chunk() {
    const QueueId queue = must(engine_.describe_queue("orders")).id;
    damage_->add(Family::kMessages, keys::queue_seq(queue, Seq{1}));
  }
  QueueCounts counts(std::string_view queue) { return must(engine_.describe_queue(queue)).counts; }
  std::vector<std::string> receive_bodies(const ReceiveOptions& options) {
    std::vector<std::string> bodies;
    for (const Delivery& delivery : must(engine_.receive("orders", options))) {
      EXPECT_EQ(delivery.deliveries, 1U);
      bodies.emplace_back(delivery.body);
    }
    return bodies;
  }

  ManualClock clock_;
  std::shared_ptr<DamagedRows> damage_ = std::make_shared<DamagedRows>();
  // The engine's cache keeps the last chunk only.
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<DamagedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), damage_),
      {.clock = &clock_, .background = false, .message_cache_bytes = 1}));
};

TEST_F(DamagedChunkTest, IsPassedOverAndNeitherItNorANeighbourIsCharged) {
  create();
  send(std::vector<Message>(limits::kChunkMessages, Message{.body = "damaged"}));
  send({{.body = "whole"}});
  damage_first_chunk();
  for (const bool started : {true, false, true, false, true}) {
    const auto deliveries = must(engine_.receive("orders", {.max = 2, .prefetch = !started}));
    ASSERT_EQ(deliveries.size(), 1U);
    EXPECT_EQ(deliveries[0].body, "whole");
    EXPECT_EQ(deliveries[0].deliveries, 1U);
    EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = limits::kChunkMessages, .leased = 1}));
    must(engine_.release(deliveries[0].receipt, {.charge = false}));
    advance(engine_, clock_, 11s);
  }
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  damage_->repair();
  EXPECT_EQ(receive_bodies({.max = limits::kReceiveMax}).size(), limits::kChunkMessages + 1);
}

// Nothing goes before a message of its ordered group, whichever of its rows cannot be read.
TEST_F(DamagedChunkTest, AFailureRecordThatCannotBeReadHoldsUpItsGroup) {
  must(engine_.create_queue("dlq", {.grouping = {.mode = Grouping::kOrdered}}));
  create();
  send({{.body = "first", .group = "g"}, {.body = "second", .group = "g"}});
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : must(engine_.receive("orders", {.max = 2})))
    receipts.push_back(delivery.receipt);
  for (const auto& rejected : must(engine_.reject_batch(receipts, {}))) must(rejected);
  damage_->add(Family::kDeadLetters, keys::queue_seq(must(engine_.describe_queue("dlq")).id, Seq{1}));
  EXPECT_THAT(engine_.receive("dlq", {.max = 2}), FailsWith(ErrorCode::kCorruption));
  damage_->repair();
  advance(engine_, clock_, 1s);
  const Deliveries deliveries = must(engine_.receive("dlq", {.max = 2}));
  ASSERT_EQ(deliveries.size(), 2U);
  EXPECT_EQ(deliveries[0].body, "first");
}

TEST_F(DamagedChunkTest, IsToldIfThereIsNothingElseAndNothingIsLeased) {
  create();
  send({{.body = "a"}, {.body = "b"}, {.body = "c"}});
  must(engine_.create_queue("other"));
  must(engine_.send("other", {.body = "takes the place in the cache"}));
  damage_first_chunk();
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(engine_.receive("orders"), FailsWith(ErrorCode::kCorruption));
    EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 3}));
    EXPECT_TRUE(must(engine_.receive("orders")).empty());  // the chunk is not tried again without a pause
    advance(engine_, clock_, 1s);
    EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  }
  damage_->repair();
  EXPECT_EQ(receive_bodies({.max = 3}), (std::vector<std::string>{"a", "b", "c"}));
}

// A load reads many chunks ahead, also after a start, when no chunk is known.
TEST(DamagedChunk, HoldsUpNothingThatLiesBeforeIt) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  QueueId queue{};
  {
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
    must(engine.create_queue("orders"));
    for (const char* body : {"first", "second", "damaged", "behind"})
      must(engine.send("orders", {.body = body}));
    queue = must(engine.describe_queue("orders")).id;
  }
  const auto damage = std::make_shared<DamagedRows>();
  damage->add(Family::kMessages, keys::queue_seq(queue, Seq{3}));
  Engine engine = must(EngineInside::open_over(
      std::make_unique<DamagedStore>(must(open_memory_store(disk)), damage), {.background = false}));
  EXPECT_THAT(must(engine.receive("orders", {.max = 10})),
              ElementsAre(Field(&Delivery::body, "first"), Field(&Delivery::body, "second")));
  EXPECT_THAT(engine.receive("orders", {.max = 10}), FailsWith(ErrorCode::kCorruption));
}

TEST_F(DamagedChunkTest, PushesNothingOutOfTheJournal) {
  create({.journal = JournalOptions{.max_entries = 100}});
  const MessageId id = must(engine_.send("orders", {.body = "a"})).id;
  must(engine_.create_queue("other"));
  must(engine_.send("other", {.body = "takes the place in the cache"}));
  damage_first_chunk();
  for (int round = 0; round < 200; ++round) {
    EXPECT_THAT(engine_.receive("orders"), FailsWith(ErrorCode::kCorruption));
    advance(engine_, clock_, 2s);
  }
  EXPECT_THAT(must(engine_.message_history(id)).steps,
              ElementsAre(Field(&HistoryStep::kind, StepKind::kSent)));
}

// The message is gone, as the ack asked. Only its record does not tell what became of it.
TEST_F(DamagedChunkTest, OrRecordOfARedrivenMessageDoesNotStopItsAck) {
  create();
  must(engine_.create_queue("other"));
  for (const Family family : {Family::kMessages, Family::kHistory}) {
    SCOPED_TRACE(static_cast<int>(family));
    send({{.body = "a"}});
    must(engine_.reject(must(engine_.receive("orders")).at(0).receipt, {}));
    must(engine_.redrive("dlq"));
    const Receipt receipt = must(engine_.receive("orders")).at(0).receipt;
    must(engine_.send("other", {.body = "takes the place in the cache"}));
    damage_->add(family);
    must(engine_.ack(receipt));
    must(engine_.health().writes);
    damage_->repair();
    EXPECT_EQ(counts("orders"), QueueCounts{});
  }
  const auto records = must(engine_.list_dead_letters("dlq", {.filter = {.history = true}})).items;
  ASSERT_EQ(records.size(), 2U);
  for (const DeadLetter& record : records) EXPECT_EQ(record.replay.value().outcome, ReplayOutcome::kPending);
}

TEST_F(DamagedChunkTest, IsPassedOverByCallbacksToo) {
  create();
  send({{.body = "a"}, {.body = "b"}});
  send({{.body = "whole"}});
  damage_first_chunk();
  Answer<Result<Deliveries>> answer;
  engine_.async_receive("orders", {.wait = 1h}, answer.callback());
  EXPECT_EQ(must(answer.get()).at(0).body, "whole");
  Answer<Result<Deliveries>> waited;
  engine_.async_receive("orders", {.wait = 1h}, waited.callback());
  EXPECT_FALSE(waited.here());
  advance(engine_, clock_, 1s);
  EXPECT_THAT(waited.get(), FailsWith(ErrorCode::kCorruption));
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 2, .leased = 1}));
}

TEST_F(DamagedChunkTest, HoldsUpItsGroupsAndNoOthers) {
  create({.grouping = {.mode = Grouping::kOrdered}});
  send({{.body = "a1", .group = "a"}, {.body = "b1", .group = "b"}});
  send({{.body = "a2", .group = "a"}, {.body = "c1", .group = "c"}});
  damage_first_chunk();
  EXPECT_EQ(receive_bodies({.max = 10}), (std::vector<std::string>{"c1"}));
  EXPECT_TRUE(receive_bodies({.max = 10}).empty());
  damage_->repair();
  advance(engine_, clock_, 1s);
  EXPECT_EQ(receive_bodies({.max = 10}), (std::vector<std::string>{"a1", "a2", "b1"}));
}

TEST(FailedReads, OfWhatAReceiveWaitsForAreNotRepeatedWithoutAPause) {
  ManualClock clock;
  const auto disk = std::make_shared<MemoryDisk>(1);
  const EngineOptions options{.clock = &clock, .background = false};
  {
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), options));
    must(engine.create_queue("orders"));
    must(engine.send("orders", {.body = "x"}));
  }
  const auto damage = std::make_shared<DamagedRows>();
  Engine engine = must(EngineInside::open_over(
      std::make_unique<DamagedStore>(must(open_memory_store(disk)), damage), options));
  // The queue is resumed after the receive, which therefore waits although there is a message that must be
  // read first.
  must(engine.pause_queue("orders", {.deliveries = true}));
  Answer<Result<Deliveries>> answer;
  engine.async_receive("orders", {.wait = 1h}, answer.callback());
  must(engine.resume_queue("orders", {.deliveries = true}));
  damage->add(Family::kMessages);
  engine.run_due();
  EXPECT_GT(engine.run_due(), clock.now());
  EXPECT_FALSE(answer.here());
  damage->repair();
  advance(engine, clock, 1s);
  EXPECT_EQ(must(answer.get()).at(0).body, "x");
}

TEST(FailedReads, OfWhatAnAlertIsJudgedByAreNotRepeatedWithoutAPause) {
  ManualClock clock;
  const auto damage = std::make_shared<DamagedRows>();
  Engine engine = must(EngineInside::open_over(
      std::make_unique<DamagedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), damage),
      {.clock = &clock, .background = false}));
  must(engine.create_queue("dlq", {.alerts = AlertRules{.oldest = {.above = 30s}}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "x"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  const auto rules = [&] {
    std::vector<std::string> names;
    for (const Alert& alert : must(engine.describe_queue("dlq")).alerts) names.push_back(alert.rule);
    return names;
  };
  run_due_until_quiet(engine, clock);
  damage->add(Family::kDeadLetterIndex);
  clock.advance(1min);
  engine.run_due();
  EXPECT_GT(engine.run_due(), clock.now());
  EXPECT_THAT(rules(), Not(Contains("oldest")));
  damage->repair();
  advance(engine, clock, 1s);
  EXPECT_THAT(rules(), Contains("oldest"));
}

TEST(DeletedQueues, HaveNothingDue) {
  ManualClock clock;
  Engine engine = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                               {.clock = &clock, .background = false}));
  must(engine.create_queue("brief"));
  run_due_until_quiet(engine, clock);
  const Timestamp before = engine.run_due();
  must(engine.send("brief", {.body = "x", .delay = 24h * 365}));
  EXPECT_LT(engine.run_due(), before);
  must(engine.delete_queue("brief"));
  EXPECT_EQ(engine.run_due(), before);
}

}  // namespace
}  // namespace holdfast::testing
