// Request ids at their edges: after crashes, with calls side by side, when they are forgotten, and in
// transactions.
#include <future>
#include <latch>
#include <set>
#include <thread>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/engine_time.h"
#include "tests/support/paused_store.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RequestsTest : public ::testing::Test {
 protected:
  RequestsTest() {
    open();
    must(engine_->create_queue("orders"));
  }

  void open() {
    engine_.reset();
    power_ = power_on();
    auto store = std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_);
    store_ = store.get();
    engine_.emplace(must(EngineInside::open_over(std::move(store), {.clock = &clock_, .background = false})));
  }
  void crash() {
    *power_ = false;
    engine_.reset();
    disk_->crash();
    open();
  }
  // Lets time pass that the engine sees.
  void live(Duration time) {
    for (; time > 0s; time -= 5s) {
      clock_.advance(5s);
      engine_->run_due();
    }
  }
  Result<Sent> send(const std::string& id, Durability durability = Durability::kFsync) {
    return engine_->send("orders", {.body = "x"}, {.durability = durability, .request_id = id});
  }
  std::uint64_t ready() { return must(engine_->describe_queue("orders")).counts.ready; }
  std::size_t remembered() {
    std::size_t rows = 0;
    for (auto scan = store_->scan(Family::kDedup, "", "\xff"); scan->valid(); scan->next()) ++rows;
    return rows;
  }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(17);
  PowerSwitch power_;
  Store* store_ = nullptr;
  std::optional<Engine> engine_;
};

// Recovery goes from bucket to bucket, and there is none after the last one.
TEST(RequestsRecovery, ADamagedBucketIsNamed) {
  for (const std::uint64_t bucket : {UINT64_MAX, std::uint64_t{INT64_MAX}}) {
    const auto disk = std::make_shared<MemoryDisk>(1);
    must(must(EngineInside::open_over(must(open_memory_store(disk)), {})).close());
    auto store = must(open_memory_store(disk));
    const auto batch = store->new_batch();
    batch->put(Family::kDedup, keys::request(bucket, 0, "id"), "");
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
    EXPECT_THAT(EngineInside::open_over(std::move(store), {}),
                FailsNaming(ErrorCode::kCorruption, "request"));
  }
}

// Whatever a failed write or a crash has left, a repetition ends with one message.
TEST_F(RequestsTest, ARetryAfterAFailureSendsOnce) {
  for (std::uint64_t i = 1; i <= 40; ++i) {
    const std::string id = std::to_string(i);
    disk_->fail_commit(1, i % 2 == 0 ? CommitOutcome::kUnknown : CommitOutcome::kFailed);
    EXPECT_THAT(send(id), FailsWith(ErrorCode::kStorageFailed));
    i % 3 == 0 ? crash() : open();
    must(send(id));
    EXPECT_EQ(ready(), i);
  }
}

// The id of a task is known by the task, and other ids by their answers. A call that failed leaves none.
TEST_F(RequestsTest, TheServerLearnsWhetherAnIdWasUsed) {
  const auto is_known = [&](const std::string& id) {
    return must(EngineInside::knows_request(*engine_, id));
  };
  must(send("send"));
  must(engine_->redrive("orders", {.wait = false, .request_id = "task"}));
  EXPECT_THAT(engine_->send("missing", {.body = "x"}, {.request_id = "failed"}),
              FailsWith(ErrorCode::kQueueNotFound));
  for (int i = 0; i < 2; ++i) {
    for (const char* used : {"send", "task"}) EXPECT_TRUE(is_known(used)) << used;
    for (const char* unused : {"", "failed", "never"}) EXPECT_FALSE(is_known(unused)) << unused;
    crash();
  }
  EXPECT_THAT(EngineInside::knows_request(*engine_, std::string(limits::kRequestIdBytes + 1, 'x')),
              FailsWith(ErrorCode::kLimitExceeded));
}

TEST_F(RequestsTest, AClockSetBackForgetsNothing) {
  clock_.advance(24h);
  const Sent first = must(send("a"));
  for (int i = 0; i < 3; ++i) {
    clock_.step(-limits::kRequestWindow);
    open();
    EXPECT_EQ(must(send("a")).id, first.id);
    must(send("b" + std::to_string(i)));
  }
  EXPECT_EQ(ready(), 4U);
}

// What is remembered from a time to come is forgotten when that time has passed.
TEST_F(RequestsTest, AClockThatIsAheadAfterARestartForgetsNothing) {
  const Sent first = must(send("a"));
  for (const Duration ahead : {Duration(12min), Duration(24h), Duration(24h * 365 * 50)}) {
    clock_.step(ahead);
    open();
    EXPECT_EQ(must(send("a")).id, first.id) << format_duration(ahead) << " ahead";
  }
  // The engine has still been open for less than the window.
  live(limits::kRequestWindow - 5s);
  EXPECT_EQ(must(send("a")).id, first.id);
  EXPECT_EQ(ready(), 1U);
}

// What is remembered ages by the time in which an engine is open. The number of restarts does not age it,
// whatever the clock says at each. It also does not grow beyond what came in two windows.
TEST_F(RequestsTest, ShortLivesAgeWhatIsRememberedByTheirLength) {
  const Sent first = must(send("a"));
  std::size_t most = 0;
  for (int life = 1; life <= 60; ++life) {
    clock_.step(life % 3 == 0 ? -1h : 40min);
    open();
    must(send(std::to_string(life)));
    live(1min);
    must(send(std::to_string(life) + ", later"));
    if (life < 5) {
      EXPECT_EQ(must(send("a")).id, first.id) << "life " << life;
    }
    most = std::max(most, remembered());
  }
  EXPECT_LE(most, 2U * 11U + 2U);
}

// Lives that do nothing for most of their time age what is remembered too.
TEST_F(RequestsTest, IdleLivesAgeWhatIsRememberedByTheirLength) {
  for (int life = 1; life <= 5; ++life) {
    must(send(std::to_string(life)));
    live(limits::kRequestWindow);
    open();
  }
  EXPECT_LE(remembered(), 3U);
}

// A process that is stopped does not see time passing. It only sees later that time has passed, and then
// reads what clients have sent again meanwhile.
TEST_F(RequestsTest, WhileTheProcessStandsStillNothingIsForgotten) {
  const Sent first = must(send("a"));
  for (const Duration stopped : {Duration(1min), Duration(12min), Duration(24h), Duration(20min)}) {
    clock_.advance(stopped);
    EXPECT_EQ(must(send("a")).id, first.id) << "stopped for " << format_duration(stopped);
  }
  EXPECT_EQ(ready(), 1U);
  // What was sent before the last stop has aged only by the time that the process has seen since.
  const Sent second = must(send("b"));
  clock_.advance(12min);
  live(limits::kRequestWindow - 10s);
  EXPECT_EQ(must(send("b")).id, second.id);
}

// The process never answered a client's call. The client repeats the call with the process that is started
// after it.
TEST_F(RequestsTest, NorOverARestartAfterItHasStoodStill) {
  const Sent first = must(send("a"));
  int seen = 0;
  for (const Duration stopped : {Duration(1min), Duration(12min), Duration(24h), Duration(20min)}) {
    for (const bool killed : {true, false}) {
      clock_.advance(stopped);
      must(send("seen " + std::to_string(++seen)));
      killed ? crash() : open();
      EXPECT_EQ(must(send("a")).id, first.id) << "stopped for " << format_duration(stopped);
    }
  }
  EXPECT_EQ(ready(), 9U);
}

// The call looked for its answer before the process stood still, and has its effect after that.
TEST_F(RequestsTest, NorWhatIsDoneByACallThatWasUnderWay) {
  engine_.reset();
  const auto pause = std::make_shared<Pause>(Family::kDedup);
  const auto open_paused = [&] {
    engine_.reset();
    engine_.emplace(must(EngineInside::open_over(
        std::make_unique<PausedStore>(must(open_memory_store(disk_)), open_gate(), pause),
        {.clock = &clock_, .background = false})));
  };
  open_paused();
  must(send("earlier"));
  open_paused();  // so the engine must look each id up
  pause->arm();
  auto held_up = std::async(std::launch::async, [&] { return must(send("a")).id; });
  pause->wait_until_held();
  clock_.advance(12min);
  must(send("seen"));
  pause->go_on();
  const MessageId first = held_up.get();
  open_paused();
  EXPECT_EQ(must(send("a")).id, first);
  EXPECT_EQ(ready(), 3U);
}

TEST_F(RequestsTest, WhatWasKeptForAProcessThatStoodStillIsForgottenWhenItsTimeHasPassed) {
  const Sent first = must(send("a"));
  clock_.advance(12min);
  must(send("b"));
  live(3 * limits::kRequestWindow);
  EXPECT_EQ(remembered(), 0U);
  EXPECT_NE(must(send("a")).id, first.id);
}

TEST_F(RequestsTest, AClockSetBackLeavesNoRows) {
  clock_.advance(24h);
  must(send("a"));
  clock_.step(-2 * limits::kRequestWindow);
  open();
  must(send("b"));
  live(3 * limits::kRequestWindow);
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(RequestsTest, ACrashTakesTheAnswerWithTheEffect) {
  for (std::uint64_t i = 1; i <= 40; ++i) {
    const std::string id = std::to_string(i);
    must(send(id, Durability::kBuffered));
    crash();
    must(send(id, Durability::kBuffered));
    EXPECT_EQ(ready(), i);
    must(send("sync " + id));
    must(engine_->ack(must(engine_->receive("orders")).at(0).receipt));
  }
}

// A repetition must not answer that something is on disk only because it would be by default.
TEST_F(RequestsTest, ARepeatedSendIsAsDurableAsItSays) {
  must(engine_->alter_queue("orders", {.durability = Durability::kBuffered}));
  std::uint64_t before = 0;
  for (int i = 0; i < 40; ++i) {
    const SendOptions options{.request_id = std::to_string(i)};
    must(engine_->send("orders", {.body = "x"}, options));
    const Durability durability = must(engine_->send("orders", {.body = "x"}, options)).durability;
    crash();
    EXPECT_TRUE(durability == Durability::kBuffered || ready() > before) << i;
    before = ready();
  }
}

TEST_F(RequestsTest, ARepeatedSendSaysWhatItGot) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(must(send("fsynced")).durability, Durability::kFsync);
    EXPECT_EQ(must(send("buffered", Durability::kBuffered)).durability, Durability::kBuffered);
  }
}

TEST_F(RequestsTest, CallsSideBySideHaveOneEffect) {
  for (int round = 0; round < 20; ++round) {
    const std::string id = std::to_string(round);
    std::latch start(4);
    std::array<MessageId, 4> ids;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        ids[t] = must(send(id)).id;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_THAT(std::set(ids.begin(), ids.end()), SizeIs(1));
    EXPECT_EQ(ready(), static_cast<std::uint64_t>(round) + 1);
  }
}

TEST_F(RequestsTest, CallsWithACallbackHaveOneEffect) {
  std::mutex mutex;
  std::set<MessageId> ids;
  std::latch answered(8);
  for (int i = 0; i < 8; ++i) {
    engine_->async_send_batch("orders", {{.body = "x"}}, {.request_id = "one"}, [&](auto results) {
      {
        const std::scoped_lock lock(mutex);
        ids.insert(must(must(std::move(results)).at(0)).id);
      }
      answered.count_down();
    });
  }
  answered.wait();
  EXPECT_THAT(ids, SizeIs(1));
  EXPECT_EQ(ready(), 1U);
}

TEST_F(RequestsTest, WhatIsOldIsForgottenAlsoAfterARestart) {
  constexpr Duration kBucket = (limits::kRequestWindow + 10s) * 21 / 20;
  for (int i = 0; i < 10; ++i) must(send(std::to_string(i)));
  EXPECT_EQ(remembered(), 10U);
  live(kBucket);
  must(send("new"));
  open();
  EXPECT_EQ(remembered(), 11U);
  live(kBucket);
  EXPECT_EQ(remembered(), 1U);
  live(kBucket);
  EXPECT_EQ(remembered(), 0U);
}

// A reject of large messages takes several commits. A repetition gives again the answers of the first
// commits, and does the rest.
class LongRejectTest : public RequestsTest {
 protected:
  static constexpr std::size_t kMessages = 12;

  LongRejectTest() {
    must(engine_->create_queue("large", {.lease = 10s, .dead_letters = {.queue = "dlq"}},
                               MissingQueues::kCreate));
    for (std::size_t i = 0; i < kMessages; ++i)
      must(engine_->send("large", {.body = std::string(limits::kBodyBytes, 'x')}));
    for (const Delivery& delivery : must(engine_->receive("large", {.max = kMessages})))
      receipts_.push_back(delivery.receipt);
  }

  BatchResult<void> reject() { return engine_->reject_batch(receipts_, {}, {.request_id = "one"}); }
  // Stops in the second commit. Returns how many messages were rejected.
  std::size_t reject_half() {
    disk_->fail_commit(2, CommitOutcome::kFailed);
    EXPECT_THAT(reject(), FailsWith(ErrorCode::kStorageFailed));
    open();
    EXPECT_GT(dead(), 0U);
    EXPECT_LT(dead(), kMessages);
    return dead();
  }
  std::size_t dead() { return must(engine_->describe_queue("dlq")).counts.dead; }

  std::vector<Receipt> receipts_;
};

TEST_F(LongRejectTest, RepeatedAfterAFailureDoesTheRest) {
  reject_half();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(must(reject()), Each(Succeeds()));
    EXPECT_EQ(dead(), kMessages);
    if (i == 1) open();
  }
}

TEST_F(LongRejectTest, RepeatedAfterAFailureAnswersWhatWasDoneAndWhatIsTooLate) {
  const std::size_t done = reject_half();
  advance(*engine_, clock_, 11s);
  const auto results = must(reject());
  for (std::size_t i = 0; i < kMessages; ++i) {
    if (i < done) {
      EXPECT_THAT(results[i], Succeeds()) << i;
    } else {
      EXPECT_THAT(results[i], FailsWith(ErrorCode::kReceiptStale)) << i;
    }
  }
  EXPECT_EQ(dead(), done);
}

TEST_F(LongRejectTest, RepeatedGivesEachAnswerAgain) {
  for (const std::size_t acked : {0U, 1U, 5U, 6U, 11U}) must(engine_->ack(receipts_[acked]));
  receipts_.insert(receipts_.begin() + 3, Receipt{receipts_[3].queue, receipts_[3].seq, LeaseId{9}});
  const auto first = must(reject());
  EXPECT_EQ(dead(), kMessages - 5);
  for (int i = 0; i < 2; ++i) {
    const auto again = must(reject());
    ASSERT_THAT(again, SizeIs(first.size()));
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (first[k]) {
        EXPECT_THAT(again[k], Succeeds()) << k;
      } else {
        EXPECT_THAT(again[k], FailsWith(first[k].error().code)) << k;
      }
    }
    open();
  }
  EXPECT_EQ(dead(), kMessages - 5);
}

TEST_F(LongRejectTest, WithoutAnEffectMayBeTriedAgain) {
  must(engine_->alter_queue("large", {.dead_letters = {.queue = ""}}));
  EXPECT_THAT(must(reject()), Each(FailsWith(ErrorCode::kNoDeadLetterQueue)));
  must(engine_->alter_queue("large", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  EXPECT_THAT(must(reject()), Each(Succeeds()));
  EXPECT_EQ(dead(), kMessages);
}

// The calls are over several queues. One of the queues is deleted between a call and its repetition.
TEST_F(RequestsTest, WhatWasSettledBeforeItsQueueWasDeletedIsAnsweredAgain) {
  must(engine_->create_queue("gone", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  const auto receive = [&](const std::string& queue) {
    must(engine_->send(queue, {.body = "x"}));
    return must(engine_->receive(queue)).front().receipt;
  };
  const std::vector<Receipt> acked = {receive("orders"), receive("gone")};
  const std::vector<Receipt> rejected = {receive("gone"), receive("gone")};
  const Receipt held = receive("gone");
  EXPECT_THAT(must(engine_->ack_batch(acked, {.request_id = "ack"})), Each(Succeeds()));
  EXPECT_THAT(must(engine_->reject_batch(rejected, {.reason = "bad"}, {.request_id = "reject"})),
              Each(Succeeds()));
  must(engine_->delete_queue("gone"));
  for (int again = 0; again < 2; ++again) {
    EXPECT_THAT(must(engine_->ack_batch(acked, {.request_id = "ack"})), Each(Succeeds()));
    EXPECT_THAT(must(engine_->reject_batch(rejected, {.reason = "bad"}, {.request_id = "reject"})),
                Each(Succeeds()));
    EXPECT_THAT(engine_->ack(held, {.request_id = "late"}), FailsWith(ErrorCode::kMessageNotFound));
    open();
  }
  EXPECT_EQ(must(engine_->describe_queue("dead")).counts.dead, 2U);
}

TEST_F(RequestsTest, WhatWasSentBeforeItsQueueWasDeletedIsAnsweredAgain) {
  must(engine_->create_queue("gone"));
  const auto send = [&](const std::string& id) {
    return engine_->send("gone", {.body = "x"}, {.request_id = id});
  };
  const MessageId sent = must(send("send")).id;
  must(engine_->delete_queue("gone"));
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(must(send("send")).id, sent);
    EXPECT_THAT(send("late"), FailsWith(ErrorCode::kQueueNotFound));
    open();
  }
  must(engine_->create_queue("gone"));
  EXPECT_EQ(must(send("send")).id, sent);
  EXPECT_EQ(must(engine_->describe_queue("gone")).totals.sent, 0U);
}

TEST_F(RequestsTest, NoRowIsWrittenWithoutAnId) {
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->ack(must(engine_->receive("orders")).at(0).receipt));
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(RequestsTest, ARepeatedTransactionSaysWhatItGot) {
  const auto commit = [&] {
    Transaction transaction;
    transaction.send("orders", {.body = "x"});
    return must(engine_->commit(std::move(transaction), {.request_id = "one"})).durability;
  };
  EXPECT_EQ(commit(), Durability::kFsync);
  must(send("another", Durability::kBuffered));
  EXPECT_EQ(commit(), Durability::kFsync);
}

TEST_F(RequestsTest, ARepeatedTransactionHappensOnce) {
  const auto family = must(engine_->open_family("state"));
  must(send("first"));
  const Receipt receipt = must(engine_->receive("orders")).at(0).receipt;
  const auto commit = [&](const std::string& value) {
    Transaction transaction;
    transaction.ack(receipt).expect(family, "k", std::nullopt).put(family, "k", value).send("orders", {});
    return engine_->commit(std::move(transaction), {.request_id = "one"});
  };
  const auto sent = must(commit("1")).sent;
  EXPECT_EQ(must(commit("1")).sent, sent);
  open();
  EXPECT_EQ(must(commit("1")).sent, sent);
  EXPECT_THAT(commit("2"), FailsNaming(ErrorCode::kInvalidArgument, "request_id"));
  EXPECT_EQ(ready(), 1U);

  std::latch answered(1);
  Transaction transaction;
  transaction.put(family, "a", "1");
  engine_->async_commit(std::move(transaction), {}, [&](const Result<Committed>& committed) {
    EXPECT_THAT(must(committed).sent, IsEmpty());
    answered.count_down();
  });
  answered.wait();
  EXPECT_EQ(must(engine_->get(family, "a")), "1");
}

}  // namespace
}  // namespace holdfast::testing
