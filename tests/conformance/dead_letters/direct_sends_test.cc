// These tests are about sends to a queue that others dead-letter to.
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class DirectSends : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("dlq");
  }
  Result<Sent> try_send(std::string_view queue) { return broker().send(queue, {.body = "x"}); }
};
HOLDFAST_FOR_EACH_BROKER(DirectSends);

TEST_P(DirectSends, AreRefusedOfAQueueThatServesOthers) {
  send("dlq", "nobody's yet");
  create("orders", {.dead_letters = {.queue = "dlq"}});
  for (const bool again : {false, true}) {
    if (again) reopen();
    EXPECT_THAT(try_send("dlq"), FailsNaming(ErrorCode::kQueueInUse, "direct_sends"));
  }
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1}));
  must(broker().alter_queue("orders", {.dead_letters = {.queue = ""}}));
  must(try_send("dlq"));
  // A queue also serves others if it is the target of a route, or their parking queue.
  must(broker().alter_queue("orders",
                            {.dead_letters = {.routes = std::vector<DeadLetterRoute>{{"c", "dlq"}}}},
                            MissingQueues::kCreate));
  EXPECT_THAT(try_send("dlq"), FailsWith(ErrorCode::kQueueInUse));
  must(broker().alter_queue(
      "orders", {.dead_letters = {.routes = std::vector<DeadLetterRoute>{}, .parking_queue = "dlq"}},
      MissingQueues::kCreate));
  EXPECT_THAT(try_send("dlq"), FailsWith(ErrorCode::kQueueInUse));
  must(broker().delete_queue("orders"));
  must(try_send("dlq"));
}

TEST_P(DirectSends, AreDeadLettersAtOnceWhereTheQueueTakesThem) {
  must(broker().alter_queue(
      "dlq",
      {.dead_letters = {.direct_sends = true, .searched_attributes = std::vector<std::string>{"customer"}}}));
  create("orders", {.dead_letters = {.queue = "dlq"}});
  const MessageId id = send("dlq", "by hand", {{"customer", "4711"}, {"correlation-id", "c-1"}});
  for (const bool again : {false, true}) {
    if (again) reopen();
    const DeadLetter letter = only_dead_letter("dlq");
    EXPECT_EQ(letter.body, "by hand");
    EXPECT_EQ(letter.record.message_id, id);
    EXPECT_EQ(letter.record.cause, DeathCause::kSent);
    EXPECT_EQ(letter.record.source_queue, "");
    EXPECT_EQ(letter.record.correlation_id, "c-1");
    EXPECT_EQ(letter.record.deliveries, 0U);
    EXPECT_EQ(letter.record.searched, (Attributes{{"customer", "4711"}}));
    EXPECT_EQ(must(broker().find_dead_letters({.filter = {.ids = {id}}})).items.size(), 1U);
  }
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
  EXPECT_EQ(totals("dlq").sent, 1U);
  EXPECT_EQ(must(broker().dead_letter_statistics("dlq")).dead, 1U);
  // The letter came from no queue, so a redrive must say where it goes.
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 0U);
  EXPECT_EQ(must(broker().redrive("dlq", {.to = "orders"})).moved, 1U);
  EXPECT_EQ(receive_one("orders").body, "by hand");
}

TEST_P(DirectSends, AreOrdinaryWhereNobodyDeadLettersTo) {
  must(broker().alter_queue("dlq", {.dead_letters = {.direct_sends = true}}));
  send("dlq", "x");
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
}

TEST_P(DirectSends, DoNotWaitNorExpire) {
  must(broker().alter_queue(
      "dlq",
      {.delay = 1h, .dead_letters = {.direct_sends = true}, .expiry = {.policy = ExpiryPolicy::kDrop}}));
  create("orders", {.dead_letters = {.queue = "dlq"}});
  for (const Message& message : {Message{.body = "x", .delay = 1s}, Message{.body = "x", .time_to_live = 1s},
                                 Message{.body = "x", .visible_at = now() + 1h}})
    EXPECT_THAT(broker().send("dlq", message), FailsNaming(ErrorCode::kInvalidArgument, "dead letter"));
  send("dlq", "x");
  EXPECT_EQ(dead_letters("dlq").size(), 1U);
}

}  // namespace
}  // namespace holdfast::testing
