// The reason why a delivery failed is given with a release, or before a lease runs out. It is kept for each
// delivery, and is in the record.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Failure timeout_of(int n) {
  return {.category = "timeout",
          .reason = "no answer from the warehouse, attempt " + std::to_string(n),
          .code = "E" + std::to_string(n),
          .stack_trace = "main\nhandle\nreserve",
          .causes = {{"ETIMEDOUT", "connect"}, {"", "no route"}},
          .partial_output = std::string("half\0done", 9)};
}

Failure own_failure(const FailureRecord& record) {
  return {.category = record.category,
          .reason = record.reason,
          .code = record.code,
          .stack_trace = record.stack_trace,
          .causes = record.causes,
          .partial_output = record.partial_output};
}

class WhyItFailed : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("dlq");
    create("timeouts");
    create("orders",
           {.lease = 10s,
            .retry = {.max_deliveries = 3},
            .dead_letters = {.queue = "dlq", .routes = {{.category = "timeout", .queue = "timeouts"}}}});
  }

  void release(Failure failure, ReceiveOptions from = {}) {
    must(broker().release(receive_one("orders", std::move(from)).receipt, {.failure = std::move(failure)}));
  }
  // Returns the record of a message that dies of this failure.
  DeadLetter killed_by(Failure failure) {
    must(broker().purge_queue("dlq"));
    send("orders", "x");
    release({});
    release({});
    release(std::move(failure));
    return only_dead_letter("dlq");
  }
};
HOLDFAST_FOR_EACH_BROKER(WhyItFailed);

// A consumer of a dead letter queue that gives a letter back says why. Everybody who looks at the letter sees
// the reason.
TEST_P(WhyItFailed, WhatFailsSinceADeathIsSeenBeforeTheNextDeath) {
  const DeadLetter dead = killed_by({.reason = "first"});
  EXPECT_EQ(dead.record.attempts.kept.size(), 3U);
  advance(1s);
  const Timestamp failed_at = now();
  must(broker().release(receive_one("dlq", {.consumer = {.instance = "mender"}}).receipt,
                        {.failure = timeout_of(1)}));
  must(broker().release(receive_one("dlq").receipt));
  const DeadLetter since = only_dead_letter("dlq");
  EXPECT_EQ(own_failure(since.record), own_failure(dead.record));  // the message died of it
  EXPECT_EQ(since.record.died_at, dead.record.died_at);
  const auto& kept = since.record.attempts.kept;
  ASSERT_EQ(kept.size(), 5U);
  EXPECT_EQ(kept[2], dead.record.attempts.kept[2]);
  EXPECT_EQ(kept[3].failed_at, failed_at);
  EXPECT_EQ(kept[3].end, AttemptEnd::kReleased);
  EXPECT_EQ(kept[3].consumer.instance, "mender");
  EXPECT_EQ(kept[3].failure, timeout_of(1));
  EXPECT_TRUE(kept[4].failure.empty());
  EXPECT_EQ(must(broker().get_dead_letter("dlq", since.seq)).record.attempts, since.record.attempts);

  for (int n = 2; n <= 12; ++n)
    must(broker().release(receive_one("dlq").receipt, {.failure = timeout_of(n)}));
  const AttemptHistory many = only_dead_letter("dlq").record.attempts;
  ASSERT_EQ(many.kept.size(), limits::kFirstAttempts + limits::kLastAttempts);
  EXPECT_EQ(many.left_out, 3U + 13U - many.kept.size());
  EXPECT_EQ(many.kept[2], dead.record.attempts.kept[2]);
  EXPECT_EQ(many.kept.back().failure, timeout_of(12));

  reopen();
  EXPECT_EQ(only_dead_letter("dlq").record.attempts, many);
  const DeadLetter hidden = must(broker().get_dead_letter("dlq", dead.seq, {.bodies = true}));
  EXPECT_THAT(hidden.record.attempts.kept.back().failure.partial_output, IsEmpty());
}

TEST_P(WhyItFailed, LeasesThatRanOutAreOneKindWhoeverHadThem) {
  const std::vector<Consumer> consumers{
      {.instance = "worker-1"}, {.instance = "worker-2", .version = "2.1"}, {.instance = "o'brien"}, {}};
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    send("orders", "x");
    for (int n = 0; n < 3; ++n) {
      const Receipt receipt = receive_one("orders", {.consumer = consumers[i]}).receipt;
      for (std::size_t extended = 0; extended < i; ++extended) must(broker().extend(receipt, 11s));
      advance(12s);
    }
  }
  const auto groups = must(broker().group_dead_letters("dlq", {}));
  ASSERT_EQ(groups.groups.size(), 1U);
  EXPECT_EQ(groups.groups[0].count, consumers.size());
  for (const char* part : {"worker-2", "without a name", "version '2.1'", "O'BRIEN' had it for"}) {
    EXPECT_EQ(must(broker().list_dead_letters("dlq", {.filter = {.reason = part}})).items.size(), 1U) << part;
  }
}

TEST_P(WhyItFailed, ARecordHasTheLastFailureAsItsOwnAndAllThatAreKept) {
  send("orders", "a");
  for (int n = 1; n <= 3; ++n) {
    if (n == 2) reopen();
    advance(1s);
    release(timeout_of(n), {.consumer = {.instance = "w" + std::to_string(n), .version = "2"}});
  }
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
  reopen();
  const FailureRecord record = only_dead_letter("timeouts").record;  // the category's route leads there
  EXPECT_EQ(record.cause, DeathCause::kMaxDeliveries);
  EXPECT_EQ(own_failure(record), timeout_of(3));
  ASSERT_EQ(record.attempts.kept.size(), 3U);
  EXPECT_EQ(record.attempts.kept[0].failure, timeout_of(1));
  EXPECT_EQ(record.attempts.kept[1].failure, timeout_of(2));
  EXPECT_TRUE(record.attempts.kept[2].failure.empty());
  EXPECT_EQ(record.consumer.instance, "w3");
}

TEST_P(WhyItFailed, OfAReleaseWithoutADescriptionItSaysHowOftenItWasDelivered) {
  const FailureRecord record = killed_by({}).record;
  EXPECT_EQ(record.reason, exhausted_reason(3));
  EXPECT_EQ(record.category, "");
}

TEST_P(WhyItFailed, ADescriptionWithoutAReasonSaysHowOftenItWasDelivered) {
  const FailureRecord record = killed_by({.category = "other"}).record;
  EXPECT_EQ(record.reason, exhausted_reason(3));
  EXPECT_EQ(record.category, "other");
}

TEST_P(WhyItFailed, EqualFailuresHaveOneFingerprintAndOthersAnother) {
  const auto of = [&](const char* reason) { return killed_by({.reason = reason}).record.fingerprint; };
  const Fingerprint one = of("customer 4711 is unknown");
  EXPECT_EQ(of("customer 815 is unknown"), one);
  EXPECT_NE(of("the warehouse does not answer"), one);
}

TEST_P(WhyItFailed, ALeaseThatRanOutSaysWhoHadItForHowLong) {
  send("orders", "a");
  release({.reason = "first"});
  const Delivery second = receive_one("orders", {.consumer = {.instance = "w2", .version = "2.1"}});
  advance(4s);
  must(broker().extend(second.receipt, 10s));
  advance(10s);
  receive_one("orders", {.consumer = {.instance = "w3"}});
  advance(10s);
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.reason, "the lease ran out: 'w3' had it for 10.0 s; extensions of the lease: 0");
  ASSERT_EQ(record.attempts.kept.size(), 3U);
  EXPECT_EQ(record.attempts.kept[0].failure, Failure{.reason = "first"});
  EXPECT_EQ(record.attempts.kept[1].held, 14s);
  EXPECT_EQ(record.attempts.kept[1].extended, 1U);
  EXPECT_EQ(record.attempts.kept[1].end, AttemptEnd::kLeaseExpired);
  EXPECT_EQ(record.attempts.kept[2].held, 10s);
  EXPECT_EQ(record.attempts.kept[2].extended, 0U);
}

TEST_P(WhyItFailed, LeasesThatRanOutOfAnyConsumerAreOneGroup) {
  Duration lease = 5s;
  for (const char* worker : {"alpha", "beta-2"}) {
    send("orders", "a");
    for (int i = 0; i < 3; ++i) {
      receive_one("orders", {.lease = lease, .consumer = {.instance = worker}});
      advance(lease);
    }
    lease = 65s;
  }
  EXPECT_EQ(counts("dlq").dead, 2U);
  const auto groups = must(broker().group_dead_letters("dlq", {.by = DeadLetterGrouping::kFingerprint}));
  EXPECT_EQ(groups.groups.size(), 1U);
}

TEST_P(WhyItFailed, AConsumerMaySayThatItLetsTheLeaseRunOut) {
  send("orders", "a");
  for (int n = 1; n <= 3; ++n) {
    const Receipt receipt = receive_one("orders").receipt;
    must(broker().extend(receipt, 2s, {.lets_run_out = timeout_of(n)}));
    if (n == 1) reopen();
    advance(2s);
  }
  const FailureRecord record = only_dead_letter("timeouts").record;
  EXPECT_EQ(own_failure(record), timeout_of(3));
  ASSERT_EQ(record.attempts.kept.size(), 3U);
  EXPECT_EQ(record.attempts.kept[0].failure, timeout_of(1));
  EXPECT_EQ(record.attempts.kept[0].end, AttemptEnd::kLeaseExpired);
}

TEST_P(WhyItFailed, WhatSettlesTheDeliveryCountsInsteadOfWhatWasSaid) {
  send("orders", "a");
  const Receipt acked = receive_one("orders").receipt;
  must(broker().extend(acked, 5s, {.lets_run_out = timeout_of(1)}));
  must(broker().ack(acked));
  EXPECT_EQ(counts("orders"), QueueCounts{});

  send("orders", "b");
  const Receipt spared = receive_one("orders").receipt;
  must(broker().extend(spared, 5s, {.lets_run_out = timeout_of(2)}));
  must(broker().release(spared, {.charge = false}));
  const Receipt released = receive_one("orders").receipt;
  must(broker().extend(released, 5s, {.lets_run_out = timeout_of(3)}));
  must(broker().release(released, {.failure = {.reason = "after all"}}));
  must(broker().reject(receive_one("orders").receipt, {.reason = "no more"}));
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.reason, "no more");
  ASSERT_EQ(record.attempts.kept.size(), 2U);
  EXPECT_EQ(record.attempts.kept[0].failure, Failure{.reason = "after all"});
  EXPECT_TRUE(must(broker().verify()).sound());
}

TEST_P(WhyItFailed, ARejectKeepsWhatWasSaidOfTheFailuresBefore) {
  send("orders", "a");
  release(timeout_of(1));
  must(broker().reject(receive_one("orders").receipt, {.reason = "hopeless"}));
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.reason, "hopeless");
  ASSERT_EQ(record.attempts.kept.size(), 2U);
  EXPECT_EQ(record.attempts.kept[0].failure, timeout_of(1));
}

TEST_P(WhyItFailed, OfManyTheFirstAndTheLastAreKept) {
  must(broker().alter_queue("orders", {.retry = {.max_deliveries = 40}}));
  send("orders", "a");
  for (int n = 0; n < 40; ++n) release(timeout_of(n));
  const AttemptHistory attempts = only_dead_letter("timeouts").record.attempts;
  ASSERT_EQ(attempts.kept.size(), limits::kFirstAttempts + limits::kLastAttempts);
  for (std::size_t i = 0; i + 1 < attempts.kept.size(); ++i) {
    const std::size_t number = i < limits::kFirstAttempts ? i : i + attempts.left_out;
    EXPECT_EQ(attempts.kept[i].failure, timeout_of(static_cast<int>(number)));
  }
  EXPECT_TRUE(must(broker().verify()).sound());
}

TEST_P(WhyItFailed, ItGoesAlongWithAMessageThatMoves) {
  send("orders", "a");
  // A message that waits so long lies outside the log.
  must(broker().release(receive_one("orders").receipt, {.delay = 1h, .failure = timeout_of(1)}));
  reopen();
  advance(1h);
  must(broker().release(receive_one("orders").receipt, {.to = ReturnTo::kTail, .failure = timeout_of(2)}));
  reopen();
  release(timeout_of(3));
  const FailureRecord record = only_dead_letter("timeouts").record;
  EXPECT_EQ(own_failure(record), timeout_of(3));
  ASSERT_EQ(record.attempts.kept.size(), 3U);
  EXPECT_EQ(record.attempts.kept[0].failure, timeout_of(1));
  EXPECT_EQ(record.attempts.kept[1].failure, timeout_of(2));
  EXPECT_TRUE(must(broker().verify()).sound());
}

TEST_P(WhyItFailed, ItIsForgottenWithARedrive) {
  send("orders", "a");
  for (int n = 1; n <= 3; ++n) release(timeout_of(n));
  must(broker().redrive("timeouts"));
  must(broker().reject(receive_one("orders").receipt, {.reason = "new"}));
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.attempts.kept.size(), 1U);
  EXPECT_EQ(record.first_death->reason, timeout_of(3).reason);
}

TEST_P(WhyItFailed, WhatExpiresAfterAFailureSaysWhatFailed) {
  must(broker().send("orders", {.body = "a", .time_to_live = 1min}));
  release(timeout_of(1));
  advance(2min);
  const FailureRecord record = only_dead_letter("timeouts").record;
  EXPECT_EQ(record.cause, DeathCause::kExpired);
  EXPECT_EQ(own_failure(record), timeout_of(1));
  must(broker().send("orders", {.body = "b", .time_to_live = 1min}));
  advance(2min);
  EXPECT_EQ(only_dead_letter("dlq").record.reason, "its time to live ran out");
}

TEST_P(WhyItFailed, WhatIsNotChargedDidNotFail) {
  send("orders", "a");
  const Receipt receipt = receive_one("orders").receipt;
  EXPECT_THAT(broker().release(receipt, {.charge = false, .failure = timeout_of(1)}),
              FailsNaming(ErrorCode::kInvalidArgument, "charge"));
  must(broker().ack(receipt));
}

TEST_P(WhyItFailed, WhoSaysWhyAPrefetchedDeliveryFailedHasStartedIt) {
  send("orders", "a");
  must(broker().release(receive_one("orders", {.prefetch = true}).receipt, {.failure = timeout_of(1)}));
  must(broker().extend(receive_one("orders", {.prefetch = true}).receipt, 1s,
                       {.lets_run_out = timeout_of(2)}));
  advance(1s);
  EXPECT_EQ(receive_one("orders").deliveries, 3U);
}

TEST_P(WhyItFailed, ItHasTheBoundsOfAReject) {
  send("orders", "a");
  const Receipt receipt = receive_one("orders").receipt;
  const auto both = [&](const Failure& failure, const auto& matcher) {
    EXPECT_THAT(broker().release(receipt, {.failure = failure}), matcher);
    EXPECT_THAT(broker().extend(receipt, 1min, {.lets_run_out = failure}), matcher);
  };
  const auto past = [](const char* field) { return FailsNaming(ErrorCode::kLimitExceeded, field); };
  both({.category = std::string(limits::kCategoryBytes + 1, 'x')}, past("category"));
  both({.code = std::string(limits::kErrorCodeBytes + 1, 'x')}, past("code"));
  both({.causes = std::vector<NestedError>(limits::kNestedErrors + 1)}, past("causes"));
  both({.causes = {{"", std::string(limits::kNestedErrorBytes + 1, 'x')}}}, past("causes"));
  const Failure largest{.category = std::string(limits::kCategoryBytes, 'x'),
                        .reason = std::string(limits::kReasonBytes, 'x'),
                        .code = std::string(limits::kErrorCodeBytes, 'x'),
                        .stack_trace = std::string(limits::kStackTraceBytes, 'x'),
                        .causes = std::vector<NestedError>(limits::kNestedErrors,
                                                           {"", std::string(limits::kNestedErrorBytes, 'x')}),
                        .partial_output = std::string(limits::kPartialOutputBytes, 'x')};
  must(broker().extend(receipt, 1min, {.lets_run_out = largest}));
  must(broker().release(receipt, {.failure = largest}));
  release(largest);
  release(largest);
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(own_failure(record), largest);
  // The texts of all attempts but the last are cut.
  const Failure& first = record.attempts.kept[0].failure;
  EXPECT_EQ(first.category, largest.category);
  EXPECT_EQ(first.code, largest.code);
  EXPECT_EQ(first.reason.size(), limits::kAttemptReasonBytes);
  EXPECT_THAT(first.reason,
              HasSubstr("... [cut, it had " + std::to_string(limits::kReasonBytes) + " bytes]"));
  EXPECT_EQ(first.stack_trace.size(), limits::kAttemptStackTraceBytes);
  EXPECT_EQ(first.causes.size(), limits::kAttemptNestedErrors);
  EXPECT_EQ(first.partial_output.size(), limits::kAttemptPartialOutputBytes);
}

TEST_P(WhyItFailed, LongerTextsAreCutAndMarked) {
  const FailureRecord record = killed_by({.reason = std::string(5000, 'r'),
                                          .stack_trace = std::string(20'000, 's'),
                                          .partial_output = std::string(20'000, 'p')})
                                   .record;
  EXPECT_EQ(record.reason.size(), limits::kReasonBytes);
  EXPECT_THAT(record.reason, HasSubstr("... [cut, it had 5000 bytes]"));
  EXPECT_EQ(record.stack_trace.size(), limits::kStackTraceBytes);
  EXPECT_THAT(record.stack_trace, StartsWith("... [cut, it had 20000 bytes]\ns"));
  EXPECT_THAT(record.partial_output, HasSubstr("... [cut, it had 20000 bytes]"));
}

TEST_P(WhyItFailed, ATraceIsCutAtItsOuterEnd) {
  std::string python = "Traceback (most recent call last):\n";
  std::string java = "java.lang.IllegalStateException: no such customer\n";
  for (int i = 1; i <= 40; ++i) {
    python += "  File \"shop.py\", line " + std::to_string(i) + "\n";
    java += "\tat shop.Order.step" + std::to_string(i) + "(Order.java:" + std::to_string(i) + ")\n";
  }
  const std::string of_python = killed_by({.stack_trace = python}).record.stack_trace;
  EXPECT_THAT(of_python, StartsWith("... [cut, it had "));
  EXPECT_TRUE(of_python.ends_with("line 40"));
  EXPECT_THAT(of_python, Not(HasSubstr("line 20\n")));
  const std::string of_java = killed_by({.stack_trace = java}).record.stack_trace;
  EXPECT_THAT(of_java,
              StartsWith("java.lang.IllegalStateException: no such customer\n\tat shop.Order.step1("));
  EXPECT_THAT(of_java, HasSubstr("bytes]"));
  EXPECT_THAT(of_java, Not(HasSubstr("step20(")));
}

TEST_P(WhyItFailed, RedactionTakesThePartialOutputOfEachAttempt) {
  send("orders", "a");
  for (int n = 1; n <= 3; ++n) release(timeout_of(n));
  const auto page = must(broker().list_dead_letters("timeouts", {.redact = {.bodies = true}}));
  const FailureRecord& record = page.items.at(0).record;
  EXPECT_EQ(record.partial_output, "");
  EXPECT_EQ(record.attempts.kept[0].failure.partial_output, "");
  EXPECT_EQ(record.attempts.kept[0].failure.reason, timeout_of(1).reason);
}

TEST_P(WhyItFailed, OfABatchItIsEachOnes) {
  send_numbered("orders", 200);
  const Failure large{.category = "timeout",
                      .stack_trace = std::string(limits::kStackTraceBytes, 's'),
                      .partial_output = std::string(limits::kPartialOutputBytes, 'p')};
  for (int n = 0; n < 3; ++n) {
    const Deliveries out = receive("orders", 200);
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : out) receipts.push_back(delivery.receipt);
    for (const auto& released : must(broker().release_batch(receipts, {.failure = large})))
      EXPECT_THAT(released, Succeeds());
  }
  EXPECT_EQ(counts("timeouts").dead, 200U);
  EXPECT_EQ(dead_letters("timeouts").back().record.stack_trace, large.stack_trace);
}

}  // namespace
}  // namespace holdfast::testing
