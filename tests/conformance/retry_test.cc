// These tests are about retry policies and the retry budget.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class Retry : public BrokerFixture {
 protected:
  // Lets the message fail now, and checks that it is away for exactly `wait`.
  void expect_wait_after_release(Duration wait) {
    must(broker().release(receive_one("orders").receipt));
    expect_wait(wait);
  }
  void expect_wait(Duration wait) {
    run_due();
    if (wait > Duration(0)) {
      EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 1}));
      advance(wait - 1us);
      EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 1}));
      advance(1us);
    }
    EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  }
};
HOLDFAST_FOR_EACH_BROKER(Retry);

TEST_P(Retry, FixedWaitsTheSameEachTime) {
  create("orders", {.retry = {.policy = {.kind = RetryKind::kFixed, .base = 5s}}});
  send("orders", "a");
  for (int i = 0; i < 3; ++i) expect_wait_after_release(5s);
}

TEST_P(Retry, ExponentialDoublesUpToItsCap) {
  create("orders", {.retry = {.policy = {.kind = RetryKind::kExponential, .base = 1s, .cap = 5s}}});
  send("orders", "a");
  for (const Duration wait : {1s, 2s, 4s, 5s, 5s}) expect_wait_after_release(wait);
}

TEST_P(Retry, StagesComeOneAfterAnotherAndTheLastRepeats) {
  create("orders", {.retry = {.policy = {.kind = RetryKind::kStages, .stages = {0s, 10s, 2min}}}});
  send("orders", "a");
  for (const Duration wait : {0s, 10s, 120s, 120s}) expect_wait_after_release(wait);
}

TEST_P(Retry, ALeaseThatRanOutWaitsFromItsEnd) {
  create("orders", {.lease = 10s, .retry = {.policy = {.kind = RetryKind::kFixed, .base = 5s}}});
  send("orders", "a");
  receive_one("orders");
  advance(10s);
  expect_wait(5s);
  receive_one("orders");
  advance(15s);  // the engine notices it late, when the wait is over too
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Retry, WaitsBeyondTheHorizonGoOnDoubling) {
  create("orders", {.retry = {.policy = {.kind = RetryKind::kExponential, .base = 1h, .cap = 24h}}});
  send("orders", "a");
  expect_wait_after_release(1h);
  expect_wait_after_release(2h);
  reopen();
  expect_wait_after_release(4h);
}

TEST_P(Retry, AReleaseMaySayItself) {
  create("orders", {.retry = {.policy = {.kind = RetryKind::kFixed, .base = 5s}}});
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt, {.delay = 1s}));
  expect_wait(1s);
  must(broker().release(receive_one("orders").receipt, {.delay = 0s}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  must(broker().release(receive_one("orders").receipt, {.charge = false}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Retry, JitterShortensAndSpreads) {
  create("orders",
         {.lease = 1s, .retry = {.policy = {.kind = RetryKind::kFixed, .base = 100s, .jitter = 0.5}}});
  send_numbered("orders", 200);
  EXPECT_EQ(receive_all("orders").size(), 200U);
  advance(1s);
  EXPECT_EQ(counts("orders").waiting, 200U);
  advance(50s - 1us);
  EXPECT_EQ(counts("orders").waiting, 200U);
  advance(25s);
  // About half of the messages are ready.
  EXPECT_GT(counts("orders").ready, 50U);
  EXPECT_LT(counts("orders").ready, 150U);
  advance(26s);
  EXPECT_EQ(counts("orders").ready, 200U);
}

TEST_P(Retry, OutOfBoundsIsRefusedByName) {
  using enum RetryKind;
  const auto create_with = [&](RetryPolicy retry) {
    return broker().create_queue("orders", {.retry = {.policy = retry}});
  };
  EXPECT_THAT(create_with({.kind = kFixed}), RefusesValue("retry.base"));
  EXPECT_THAT(create_with({.kind = kFixed, .base = limits::kDelayMax + 1us}), RefusesValue("retry.base"));
  EXPECT_THAT(create_with({.base = 1s}), RefusesValue("retry.base"));
  EXPECT_THAT(create_with({.kind = kExponential, .base = 2s, .cap = 1s}), RefusesValue("retry.cap"));
  EXPECT_THAT(create_with({.kind = kFixed, .base = 2s, .cap = 4s}), RefusesValue("retry.cap"));
  EXPECT_THAT(create_with({.kind = kStages}), RefusesValue("retry.stages"));
  EXPECT_THAT(create_with({.kind = kStages, .stages = {limits::kDelayMax + 1us}}),
              RefusesValue("retry.stages"));
  EXPECT_THAT(create_with({.kind = kStages, .stages = std::vector<Duration>(limits::kRetryStages + 1)}),
              RefusesValue("retry.stages"));
  EXPECT_THAT(create_with({.kind = kFixed, .base = 1s, .jitter = 1.01}), RefusesValue("retry.jitter"));
  EXPECT_THAT(create_with({.kind = kFixed, .base = 1s, .jitter = -0.1}), RefusesValue("retry.jitter"));
  EXPECT_THAT(create_with({.jitter = 0.1}), RefusesValue("retry.jitter"));
  EXPECT_THAT(broker().create_queue("orders", {.retry = {.budget = limits::kDelayMax + 1us}}),
              RefusesValue("retry_budget"));
  const RetryPolicy edge{
      .kind = kStages, .jitter = 1, .stages = std::vector<Duration>(limits::kRetryStages, limits::kDelayMax)};
  EXPECT_THAT(broker().create_queue("orders", {.retry = {.policy = edge, .budget = limits::kDelayMax}}),
              Succeeds());
  reopen();
  EXPECT_EQ(info("orders").options.retry.policy, edge);
}

class RetryBudget : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(RetryBudget);

TEST_P(RetryBudget, EndsRetriesWhateverTheCount) {
  create("orders", {.retry = {.max_deliveries = 1000, .budget = 1h}, .dead_letters = {.queue = "dlq"}});
  const MessageId id = send("orders", "a");
  advance(10h);  // the time before the first failure does not count
  must(broker().release(receive_one("orders").receipt));
  const Timestamp first = now();
  advance(1h);
  must(broker().release(receive_one("orders").receipt));
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
  advance(1us);
  must(broker().release(receive_one("orders").receipt));
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.message_id, id);
  EXPECT_EQ(record.cause, DeathCause::kRetryBudget);
  EXPECT_EQ(record.deliveries, 3U);
  EXPECT_EQ(record.first_failed_at, first);
}

TEST_P(RetryBudget, BeginsAnewWithARedrive) {
  create("orders", {.retry = {.max_deliveries = 1000, .budget = 1h}, .dead_letters = {.queue = "dlq"}});
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  advance(2h);
  must(broker().release(receive_one("orders").receipt));
  must(broker().redrive("dlq"));
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  advance(2h);
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(RetryBudget, WithoutADeadLetterQueueIsNoBound) {
  create("orders", {.retry = {.budget = 1s}});
  send("orders", "a");
  for (int i = 0; i < 5; ++i) {
    must(broker().release(receive_one("orders").receipt));
    advance(1h);
  }
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

}  // namespace
}  // namespace holdfast::testing
