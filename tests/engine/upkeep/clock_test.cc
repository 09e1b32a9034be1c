// These tests are about restarts with another clock, and run_due. clock_step_test.cc has the tests of clocks
// that are set in between.
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class ClockTest : public ::testing::Test {
 protected:
  ClockTest() { must(engine_.create_queue("orders", {.lease = 10s})); }

  QueueCounts counts() { return must(engine_.describe_queue("orders")).counts; }

  ManualClock clock_;
  TempDir temp_;
  Engine engine_ = must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false}));
};

TEST_F(ClockTest, NothingFallsDueButInRunDue) {
  must(engine_.send("orders", {.body = "a"}));
  const Receipt receipt = must(engine_.receive("orders")).at(0).receipt;
  clock_.advance(1h);
  EXPECT_EQ(counts(), (QueueCounts{.leased = 1}));
  must(engine_.ack(receipt));
}

TEST_F(ClockTest, RunDueSaysWhenItWantsToBeCalledAgain) {
  EXPECT_GT(engine_.run_due(), clock_.now());
  for (const Duration lease : {30s, 10s, 20s}) {
    must(engine_.send("orders", {.body = "a"}));
    must(engine_.receive("orders", {.lease = lease}));
  }
  // The engine may ask to look earlier than needed, but never later.
  EXPECT_LE(engine_.run_due(), clock_.now() + 10s);
  advance(engine_, clock_, 10s);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1, .leased = 2}));
  EXPECT_LE(engine_.run_due(), clock_.now() + 10s);
}

// The message moves out of the log, and meanwhile the engine wants to be called at once.
TEST_F(ClockTest, RunDueWantsToBeCalledInTimeWhileTheClockIsBehind) {
  must(engine_.send("orders", {.body = "a"}));
  must(engine_.release(must(engine_.receive("orders")).at(0).receipt, {.delay = 5min}));
  clock_.step(-1s);
  for (int i = 0; i < 3; ++i) EXPECT_LE(engine_.run_due(), clock_.now() + 5min);
  EXPECT_GT(engine_.run_due(), clock_.now());
}

TEST_F(ClockTest, ALongTimeEndsEverythingAtOnce) {
  for (int i = 0; i < 300; ++i)
    must(engine_.send("orders", {.body = "a"}, {.durability = Durability::kBuffered}));
  must(engine_.receive("orders", {.max = 300}));
  advance(engine_, clock_, 24h * 365 * 50);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 300}));
}

// The log has forgotten when the message was to expire, but knows that it has expired.
TEST_F(ClockTest, WhatExpiredWhileItWasHeldIsNotBackWhenTheClockWasSetBackOverARestart) {
  must(engine_.alter_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  must(engine_.send("orders", {.body = "a", .time_to_live = 1s}));
  const Receipt receipt = must(engine_.receive("orders", {.lease = 1h})).at(0).receipt;
  advance(engine_, clock_, 2s);
  clock_.step(-1h);
  must(engine_.close());
  engine_ = must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false}));
  must(engine_.release(receipt));
  advance(engine_, clock_, 2h);
  EXPECT_THAT(must(engine_.receive("orders")), ::testing::IsEmpty());
  EXPECT_EQ(counts(), QueueCounts{});
}

TEST_F(ClockTest, WhatWaitedForLongStillKnowsWhoHadIt) {
  must(engine_.create_queue("dlq"));
  must(engine_.alter_queue("orders", {.retry = {.max_deliveries = 5}, .dead_letters = {.queue = "dlq"}},
                           MissingQueues::kCreate));
  must(engine_.send("orders", {.body = "a", .time_to_live = 2h}));
  const Consumer consumer{"worker-7", "1.2"};
  must(engine_.release(must(engine_.receive("orders", {.consumer = consumer})).at(0).receipt, {.delay = 1h}));
  advance(engine_, clock_, 0s);
  advance(engine_, clock_, 1h);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1}));
  advance(engine_, clock_, 1h);
  const DeadLetterPage dead = must(engine_.list_dead_letters("dlq"));
  ASSERT_EQ(dead.items.size(), 1U);
  EXPECT_EQ(dead.items[0].record.cause, DeathCause::kExpired);
  EXPECT_EQ(dead.items[0].record.consumer, consumer);
}

// The message comes back early to expire, and nobody receives it in place of that.
TEST_F(ClockTest, WhatExpiredWhileItWaitedIsNotHandedOutWhenTheClockWasSetBackOverARestart) {
  must(engine_.alter_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  must(engine_.send("orders", {.body = "a", .time_to_live = 1s}));
  must(engine_.release(must(engine_.receive("orders")).at(0).receipt, {.delay = 24h}));
  advance(engine_, clock_, 0s);
  clock_.advance(2s);
  engine_.run_due();
  clock_.step(-1h);
  must(engine_.close());
  engine_ = must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false}));
  EXPECT_THAT(must(engine_.receive("orders")), ::testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
