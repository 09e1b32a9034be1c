// After a failed write the engine refuses work until it is reopened, and the reopened one knows the truth.
#include <future>

#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "storage/memory_store.h"
#include "support/answer.h"
#include "support/engine_time.h"
#include "support/result_matchers.h"
#include "support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;

class FailStopTest : public ::testing::TestWithParam<CommitOutcome> {
 protected:
  FailStopTest() {
    open();
    must(engine_->create_queue("orders", {.dead_letter_queue = "dlq", .lease = 10s}));
    must(engine_->send("orders", {.body = "before"}));
  }

  void open() {
    engine_.emplace(
        must(Engine::open(must(open_memory_store(disk_)), {.clock = &clock_, .background = false})));
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
  EXPECT_THAT(engine_->send("orders", {.body = "refused"}), failed);
  EXPECT_THAT(engine_->receive("orders"), failed);
  EXPECT_THAT(engine_->ack(receipt), failed);
  EXPECT_THAT(engine_->extend(receipt, 1s), failed);
  EXPECT_THAT(engine_->release(receipt), failed);
  EXPECT_THAT(engine_->reject(receipt, {}), failed);
  EXPECT_THAT(engine_->redrive("dlq"), failed);
  EXPECT_THAT(engine_->purge_queue("orders"), failed);
  EXPECT_THAT(engine_->create_queue("more"), failed);
  EXPECT_THAT(engine_->delete_queue("orders"), failed);
  EXPECT_THAT(engine_->describe_queue("orders"), failed);

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

TEST_P(FailStopTest, AFailedWriteEndsReceivesThatWait) {
  must(engine_->create_queue("empty"));
  std::vector<Answer<Result<Deliveries>>> answers(3);
  for (auto& answer : answers) engine_->async_receive("empty", {.wait = 1h}, answer.callback());
  auto blocked = std::async(std::launch::async, [&] { return engine_->receive("empty", {.wait = 1h}); });
  disk_->fail_commit(1, GetParam());
  EXPECT_THAT(engine_->send("orders", {.body = "lost"}), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_THAT(engine_->close(), FailsWith(ErrorCode::kStorageFailed));
  for (auto& answer : answers) EXPECT_THAT(answer.get(), FailsWith(ErrorCode::kStorageFailed));
  // Its thread may have come too late.
  EXPECT_THAT(blocked.get(), AnyOf(FailsWith(ErrorCode::kStorageFailed), FailsWith(ErrorCode::kClosed)));
}

// Also if it was known before the call asked for its answer: the send waits for others that make room for it.
TEST_P(FailStopTest, AFailedWriteIsToldToCallbacks) {
  must(engine_->create_queue("short", {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}));
  must(engine_->send("short", {.body = "1"}));
  disk_->fail_commit(1, GetParam());
  Answer<Result<std::vector<Result<Sent>>>> answer;
  engine_->async_send_batch("short", {{.body = "2"}}, {}, answer.callback());
  EXPECT_THAT(answer.get(), FailsWith(ErrorCode::kStorageFailed));
}

// Nothing is handed out whose delivery was not counted.
TEST_P(FailStopTest, AFailedReceiveHandsOutNothing) {
  disk_->fail_commit(1, GetParam());
  EXPECT_THAT(engine_->receive("orders"), FailsWith(ErrorCode::kStorageFailed));
  reopen();
  advance(*engine_, clock_, 10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  const std::uint32_t deliveries = must(engine_->receive("orders")).at(0).deliveries;
  EXPECT_LE(deliveries, GetParam() == CommitOutcome::kUnknown ? 2U : 1U);
}

// The failing commit is each one of a redrive in turn.
TEST_P(FailStopTest, AFailedRedriveNeitherLosesNorDoubles) {
  for (std::uint64_t nth = 1; nth <= 6; ++nth) {
    must(engine_->purge_queue("orders"));
    must(engine_->purge_queue("dlq"));
    must(engine_->send_batch("orders", std::vector<Message>(3000, {.body = "x"})));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : must(engine_->receive("orders", {.max = 3000})))
      receipts.push_back(delivery.receipt);
    for (const auto& rejected : engine_->reject_batch(receipts, {})) must(rejected);
    ASSERT_EQ(counts("dlq"), (QueueCounts{.ready = 3000, .dead = 3000}));

    disk_->fail_commit(nth, GetParam());
    if (engine_->redrive("dlq")) {
      // It took fewer commits than that: the next one fails.
      (void)engine_->send("orders", {.body = "to be refused"});
      (void)engine_->send("orders", {.body = "to be refused"});
      (void)engine_->send("orders", {.body = "to be refused"});
      (void)engine_->send("orders", {.body = "to be refused"});
    }
    ASSERT_THAT(engine_->list_queues(), FailsWith(ErrorCode::kStorageFailed));
    reopen();
    run_due_until_quiet(*engine_, clock_);
    EXPECT_EQ(counts("dlq").ready, counts("dlq").dead);
    const std::uint64_t total = counts("orders").ready + counts("dlq").ready;
    EXPECT_GE(total, 3000U) << "commit " << nth;
    EXPECT_LE(total, 3004U) << "commit " << nth;
  }
}

TEST_P(FailStopTest, AWriteThatFailsInTheBackgroundIsSeenByTheNextCall) {
  must(engine_->receive("orders"));
  must(engine_->alter_queue("orders", {.max_deliveries = 1}));
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

// Every read of an opening and of a session fails in turn; each is reported, and none changes anything.
TEST_P(ReadFaultTest, IsReportedAndHarmless) {
  const ManualClock clock;
  const EngineOptions options{.clock = &clock, .background = false, .message_cache_bytes = 1};
  const auto disk = std::make_shared<MemoryDisk>(3);
  const auto open = [&] { return Engine::open(must(open_memory_store(disk)), options); };
  {
    Engine engine = must(open());
    must(engine.create_queue("orders", {.dead_letter_queue = "dlq"}));
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
    const auto letters = engine->list_dead_letters("dlq", {.bodies = true});
    const auto received = engine->receive("orders", {.max = 10, .lease = 1h});
    if (letters) {
      EXPECT_EQ(letters->items.size(), 1U);
    } else {
      EXPECT_THAT(letters, FailsWith(GetParam()));
    }
    if (!received) {
      EXPECT_THAT(received, FailsWith(GetParam()));
    }
    if (!letters || !received) ++failures;
  }
  EXPECT_GT(failures, 3U);
  {
    // The last fault was not reached; use it up.
    auto engine = open();
    while (engine && engine->list_dead_letters("dlq")) {
    }
  }
  Engine engine = must(open());
  const QueueCounts left = must(engine.describe_queue("orders")).counts;
  EXPECT_EQ(left.ready + left.leased, 299U);
  EXPECT_EQ(must(engine.describe_queue("dlq")).counts, (QueueCounts{.ready = 1, .dead = 1}));
}

// The lease is over, so no timer of its own brings the message back.
TEST(FailedReads, DoNotKeepADyingMessageFromItsDeadLetterQueue) {
  std::uint64_t late = 0;
  for (std::uint64_t nth = 1; nth < 6; ++nth) {
    SCOPED_TRACE("read " + std::to_string(nth));
    ManualClock clock;
    const auto disk = std::make_shared<MemoryDisk>(1);
    const EngineOptions options{.clock = &clock, .background = false, .message_cache_bytes = 1};
    {
      Engine engine = must(Engine::open(must(open_memory_store(disk)), options));
      must(engine.create_queue("orders", {.max_deliveries = 1, .dead_letter_queue = "dlq", .lease = 10s}));
      must(engine.send("orders", {.body = "x"}));
      must(engine.receive("orders"));
    }
    Engine engine = must(Engine::open(must(open_memory_store(disk)), options));
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

// Cannot read the messages of keys before one.
class DamagedStore final : public SwitchedStore {
 public:
  DamagedStore(std::unique_ptr<Store> store, std::string whole_from)
      : SwitchedStore(std::move(store), power_on()), whole_from_(std::move(whole_from)) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    if (family == Family::kMessages && key < whole_from_) return fail(ErrorCode::kCorruption, "damaged");
    return SwitchedStore::get(family, key);
  }

 private:
  std::string whole_from_;
};

TEST(FailedReads, OfSomeMessagesHoldUpNoOthersOfTheirQueue) {
  ManualClock clock;
  const auto disk = std::make_shared<MemoryDisk>(1);
  const EngineOptions options{.clock = &clock, .background = false};
  constexpr int kDamaged = 2;
  {
    Engine engine = must(Engine::open(must(open_memory_store(disk)), options));
    must(engine.create_queue("orders", {.max_deliveries = 1, .dead_letter_queue = "dlq", .lease = 10s}));
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
    Engine engine = must(Engine::open(std::make_unique<DamagedStore>(std::move(store), whole_from), options));
    engine.run_due();
    EXPECT_EQ(dead(engine), 1U);
    EXPECT_GT(engine.run_due(), clock.now());  // the others are not tried without a pause
  }
  Engine engine = must(Engine::open(must(open_memory_store(disk)), options));
  engine.run_due();
  EXPECT_EQ(dead(engine), 1U + kDamaged * limits::kChunkMessages);
}

TEST(DeletedQueues, HaveNothingDue) {
  ManualClock clock;
  Engine engine = must(Engine::open(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
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
