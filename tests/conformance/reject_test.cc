// reject keeps everything that the consumer says.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class Reject : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
  }

  // Returns what is kept of a stack trace.
  std::string kept(const std::string& stack_trace) {
    send("orders", "x");
    reject_one("orders", {.stack_trace = stack_trace});
    std::string result = dead_letters("dlq").back().record.stack_trace;
    must(broker().purge_queue("dlq"));
    return result;
  }
};
HOLDFAST_FOR_EACH_BROKER(Reject);

TEST_P(Reject, MovesTheMessageWithItsFailureRecord) {
  const std::string body("\0\xff body", 7);
  const Attributes attributes{
      {"correlation-id", "c-17"}, {"x", std::string("\0", 1)}, {"correlation-id", "c-18"}};
  const Timestamp sent_at = now();
  const MessageId id = send("orders", body, attributes);
  advance(5s);
  const Consumer out_consumer{.instance = "worker-1", .version = "2.1"};
  const Delivery out = receive_one("orders", {.consumer = out_consumer});
  advance(3s);
  const Rejection rejection{.category = "validation",
                            .reason =
                                "quantity \"must\" be > 0\nbut is \xe2\x88\x92"
                                "1",
                            .code = "E42",
                            .stack_trace = "main\nhandle\ncheck"};
  must(broker().reject(out.receipt, rejection));

  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
  const DeadLetter dead = only_dead_letter("dlq");
  EXPECT_EQ(dead.body, body);
  EXPECT_EQ(dead.attributes, attributes);
  const FailureRecord expected{.message_id = id,
                               .source_queue_id = info("orders").id,
                               .source_queue = "orders",
                               .source_seq = out.receipt.seq,
                               .sent_at = sent_at,
                               .cause = DeathCause::kRejected,
                               .category = rejection.category,
                               .reason = rejection.reason,
                               .code = rejection.code,
                               .stack_trace = rejection.stack_trace,
                               .deliveries = 1,
                               .replays = 0,
                               .first_failed_at = now(),
                               .last_failed_at = now(),
                               .died_at = now(),
                               .consumer = {.instance = "worker-1", .version = "2.1"},
                               .correlation_id = "c-17",
                               .workflow_version = "",
                               .visits = 1,
                               .attempts = {.kept = {{now(), AttemptEnd::kRejected, out_consumer, 3s}}},
                               .fingerprint = dead.record.fingerprint};
  EXPECT_EQ(dead.record, expected);
  reopen();
  EXPECT_EQ(only_dead_letter("dlq").record, expected);
}

TEST_P(Reject, LeavesWhatTheConsumerDidNotSayEmpty) {
  send("orders", "a");
  reject_one("orders");
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.cause, DeathCause::kRejected);
  EXPECT_EQ(record.category, "");
  EXPECT_EQ(record.reason, "");
  EXPECT_EQ(record.code, "");
  EXPECT_EQ(record.stack_trace, "");
  EXPECT_EQ(record.consumer, Consumer{});
  EXPECT_EQ(record.correlation_id, "");
}

TEST_P(Reject, RemembersTheFirstFailure) {
  send("orders", "a");
  advance(1s);
  must(broker().release(receive_one("orders").receipt));
  const Timestamp first_failed_at = now();
  advance(1s);
  must(broker().release(receive_one("orders").receipt));
  advance(1s);
  reject_one("orders");
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.deliveries, 3U);
  EXPECT_EQ(record.first_failed_at, first_failed_at);
  EXPECT_EQ(record.last_failed_at, now());
}

TEST_P(Reject, IsReceivedFromTheDeadLetterQueueLikeAnyMessage) {
  const Timestamp sent_at = now();
  const MessageId id = send("orders", "a", {{"k", "v"}});
  advance(1s);
  reject_one("orders");
  const Delivery dead = receive_one("dlq");
  EXPECT_EQ(dead.id, id);
  EXPECT_EQ(dead.body, "a");
  EXPECT_EQ(dead.attributes, (Attributes{{"k", "v"}}));
  EXPECT_EQ(dead.sent_at, sent_at);
  EXPECT_EQ(dead.deliveries, 1U);
  EXPECT_EQ(counts("dlq"), (QueueCounts{.leased = 1, .dead = 1}));
  must(broker().ack(dead.receipt));
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
}

TEST_P(Reject, WithNowhereToGoIsRefusedAndKeepsTheLease) {
  create("bare");
  send("bare", "a");
  const Delivery out = receive_one("bare");
  EXPECT_THAT(broker().reject(out.receipt, {}), FailsNaming(ErrorCode::kNoDeadLetterQueue, "bare"));
  EXPECT_EQ(counts("bare"), (QueueCounts{.leased = 1}));
  must(broker().ack(out.receipt));
}

TEST_P(Reject, DiscardsWhereTheQueueSaysSo) {
  create("bare", {.dead_letters = {.discard_rejected = true}});
  send("bare", "a");
  reject_one("bare", {.category = "spam"});
  EXPECT_EQ(counts("bare"), QueueCounts{});
  EXPECT_EQ(totals("bare"), (QueueTotals{.sent = 1, .delivered = 1, .discarded = 1}));
  reopen();
  EXPECT_EQ(counts("bare"), QueueCounts{});
}

TEST_P(Reject, PrefersADeadLetterQueueToDiscarding) {
  create("both", {.dead_letters = {.queue = "dlq", .discard_rejected = true}});
  send("both", "a");
  reject_one("both");
  EXPECT_EQ(totals("both"), (QueueTotals{.sent = 1, .delivered = 1, .dead_lettered = 1}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(Reject, OfABatchAnswersPerEntryAndGivesAllTheSameReason) {
  create("bare");
  send_numbered("orders", 3);
  send("bare", "b");
  const Deliveries out = receive("orders", 3);
  must(broker().ack(out[1].receipt));
  const std::vector<Receipt> batch{out[0].receipt, out[1].receipt, receive_one("bare").receipt,
                                   out[2].receipt};
  const auto answers = must(broker().reject_batch(batch, {.category = "timeout", .reason = "late"}));
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_THAT(answers[0], Succeeds());
  EXPECT_THAT(answers[1], FailsAsSettled());
  EXPECT_THAT(answers[2], FailsWith(ErrorCode::kNoDeadLetterQueue));
  EXPECT_THAT(answers[3], Succeeds());
  const auto dead = dead_letters("dlq");
  ASSERT_EQ(dead.size(), 2U);
  EXPECT_EQ(dead[0].body, "0");
  EXPECT_EQ(dead[1].body, "2");
  for (const DeadLetter& letter : dead) {
    EXPECT_EQ(letter.record.category, "timeout");
    EXPECT_EQ(letter.record.reason, "late");
  }
}

// --- limits ---

TEST_P(Reject, TakesTextsUpToTheirLimits) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  const Rejection fits{.category = std::string(limits::kCategoryBytes, 'c'),
                       .reason = std::string(limits::kReasonBytes, 'r'),
                       .code = std::string(limits::kErrorCodeBytes, 'e'),
                       .stack_trace = std::string(limits::kStackTraceBytes, 's'),
                       .partial_output = std::string(limits::kPartialOutputBytes, 'p')};
  const auto expect_refused = [&](std::string Rejection::*field, const char* name) {
    Rejection rejection = fits;
    rejection.*field += "x";
    EXPECT_THAT(broker().reject(out.receipt, rejection), FailsNaming(ErrorCode::kLimitExceeded, name));
    EXPECT_THAT(broker().reject_batch(std::vector(2, out.receipt), rejection),
                FailsNaming(ErrorCode::kLimitExceeded, name));
  };
  expect_refused(&Rejection::category, "category");
  expect_refused(&Rejection::code, "code");
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));

  must(broker().reject(out.receipt, fits));
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.category, fits.category);
  EXPECT_EQ(record.reason, fits.reason);
  EXPECT_EQ(record.code, fits.code);
  EXPECT_EQ(record.stack_trace, fits.stack_trace);
  EXPECT_EQ(record.partial_output, fits.partial_output);
}

TEST_P(Reject, CutsAReasonAndPartialOutputThatAreTooLong) {
  const std::string mark = "... [cut, it had 4097 bytes]";
  send("orders", "a");
  reject_one("orders", {.reason = std::string(limits::kReasonBytes + 1, 'r'),
                        .partial_output = std::string(limits::kPartialOutputBytes + 1, 'p')});
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.reason, std::string(limits::kReasonBytes - mark.size(), 'r') + mark);
  EXPECT_EQ(record.partial_output.size(), limits::kPartialOutputBytes);
  EXPECT_TRUE(record.partial_output.ends_with("p... [cut, it had 16385 bytes]"));
}

TEST_P(Reject, CutsNoCharacterInTwo) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string reason(shift, 'r');
    while (reason.size() < 100'000) reason += "\xf0\x9f\x90\x87";
    send("orders", "a");
    reject_one("orders", {.reason = reason});
    const std::string kept = dead_letters("dlq").back().record.reason;
    EXPECT_LE(kept.size(), limits::kReasonBytes);
    EXPECT_GT(kept.size(), limits::kReasonBytes - 4);
    EXPECT_EQ((kept.find("...") - shift) % 4, 0U) << shift;
  }
}

TEST_P(Reject, KeepsTheLastFramesOfAStackTrace) {
  const auto frames = [](std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t i = from; i <= to; ++i) text += (i == from ? "frame " : "\nframe ") + std::to_string(i);
    return text;
  };
  EXPECT_EQ(kept(frames(1, limits::kStackTraceFrames)), frames(1, limits::kStackTraceFrames));
  const auto cut = [](const std::string& whole, const std::string& rest) {
    return "... [cut, it had " + std::to_string(whole.size()) + " bytes]\n" + rest;
  };
  const std::string one_more = frames(1, limits::kStackTraceFrames + 1);
  EXPECT_EQ(kept(one_more), cut(one_more, frames(2, limits::kStackTraceFrames + 1)));
  EXPECT_EQ(kept(frames(1, 500)), cut(frames(1, 500), frames(500 - limits::kStackTraceFrames + 1, 500)));
}

TEST_P(Reject, KeepsTheLastBytesOfAStackTrace) {
  const std::string tail(limits::kStackTraceBytes - 10, 't');
  EXPECT_EQ(kept(std::string(10, 'h') + tail), std::string(10, 'h') + tail);
  const std::string mark = "... [cut, it had 21374 bytes]\n";
  EXPECT_EQ(kept(std::string(5000, 'g') + tail), mark + tail.substr(mark.size() - 10));
}

}  // namespace
}  // namespace holdfast::testing
