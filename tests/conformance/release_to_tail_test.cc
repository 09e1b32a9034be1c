// Messages that are given back go behind all others.
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReleaseToTail : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(ReleaseToTail);

const ReleaseOptions kTail{.to = ReturnTo::kTail};

TEST_P(ReleaseToTail, GoesBehindWhatIsThereAndBeforeWhatComes) {
  create("orders");
  send_numbered("orders", 3);
  const Delivery first = receive_one("orders");
  must(broker().release(first.receipt, kTail));
  send("orders", "later");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 4}));
  const Deliveries all = receive_all("orders");
  EXPECT_THAT(bodies(all), ElementsAre("1", "2", "0", "later"));
  EXPECT_EQ(all[2].id, first.id);
  EXPECT_EQ(all[2].deliveries, 2U);
  EXPECT_EQ(all[2].sent_at, first.sent_at);
  EXPECT_THAT(broker().ack(first.receipt), FailsWith(ErrorCode::kMessageNotFound));
  for (const auto& settled : must(broker().ack_batch(receipts(all)))) must(settled);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 4, .delivered = 5, .acked = 4}));
}

TEST_P(ReleaseToTail, PlaceAndHistorySurviveARestart) {
  create("orders", {.retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 3);
  const Delivery first = receive_one("orders", {.consumer = {.instance = "one"}});
  must(broker().release(first.receipt, kTail));
  must(broker().release(receive_one("orders").receipt));  // "1" goes back to its place
  reopen();
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  const Deliveries all = receive_all("orders");
  EXPECT_THAT(bodies(all), ElementsAre("1", "2", "0"));
  EXPECT_EQ(all[2].deliveries, 2U);
  must(broker().release(all[2].receipt, kTail));  // its last delivery
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.record.message_id, first.id);
  EXPECT_EQ(letter.record.deliveries, 2U);
  EXPECT_EQ(letter.record.attempts.kept.size(), 2U);
  EXPECT_EQ(letter.record.attempts.kept.at(0).consumer.instance, "one");
}

TEST_P(ReleaseToTail, AfterADelayItGoesBehindWhatIsThereThen) {
  create("orders");
  send_numbered("orders", 2);
  must(broker().release(receive_one("orders").receipt, {.delay = 10s, .to = ReturnTo::kTail}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .waiting = 1}));
  reopen();
  send("orders", "meanwhile");
  advance(10s);
  send("orders", "later");
  const Deliveries all = receive_all("orders");
  EXPECT_THAT(bodies(all), ElementsAre("1", "meanwhile", "0", "later"));
  EXPECT_EQ(all[2].deliveries, 2U);
}

TEST_P(ReleaseToTail, WithoutChargeTheDeliveryDoesNotCount) {
  create("orders");
  send_numbered("orders", 2);
  must(broker().release(receive_one("orders").receipt, {.charge = false, .to = ReturnTo::kTail}));
  const Deliveries all = receive_all("orders");
  EXPECT_THAT(bodies(all), ElementsAre("1", "0"));
  EXPECT_EQ(all[1].deliveries, 1U);
}

TEST_P(ReleaseToTail, ARetryPolicyMaySaySoForAll) {
  create("orders", {.lease = 10s, .retry = {.policy = {.to = ReturnTo::kTail}}});
  send_numbered("orders", 4);
  const Deliveries out = receive("orders", 3);
  must(broker().release(out[1].receipt));
  must(broker().release(out[2].receipt, {.to = ReturnTo::kHead}));
  EXPECT_EQ(receive_one("orders").body, "2");
  advance(10s);  // the lease of "0" runs out, then that of "2"
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 4}));
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("3", "1", "0", "2"));
}

TEST_P(ReleaseToTail, IsTheTailOfItsPriority) {
  create("orders", {.priority = {.levels = 2}});
  for (const auto& [body, priority] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"low", 0}, {"high 1", 1}, {"high 2", 1}}) {
    must(broker().send("orders", {.body = body, .priority = priority}));
  }
  must(broker().release(receive_one("orders").receipt, kTail));
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("high 2", "high 1", "low"));
}

TEST_P(ReleaseToTail, IsTheTailOfItsGroupInAFairQueue) {
  create("orders", {.grouping = {.mode = Grouping::kFair}});
  for (const auto& [body, group] :
       std::vector<std::pair<std::string, std::string>>{{"a1", "a"}, {"a2", "a"}, {"a3", "a"}, {"b1", "b"}}) {
    must(broker().send("orders", {.body = body, .group = group}));
  }
  const Delivery first = receive_one("orders");
  EXPECT_EQ(first.body, "a1");
  must(broker().release(first.receipt, kTail));
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("b1", "a2", "a3", "a1"));
}

TEST_P(ReleaseToTail, AnOrderedQueueKeepsItsOrder) {
  create("orders", {.grouping = {.mode = Grouping::kOrdered}});
  send_numbered("orders", 2);
  const Delivery first = receive_one("orders");
  EXPECT_THAT(broker().release(first.receipt, kTail), FailsNaming(ErrorCode::kInvalidArgument, "ordered"));
  must(broker().release(first.receipt));
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("0", "1"));
  EXPECT_THAT(broker().create_queue("other", {.retry = {.policy = {.to = ReturnTo::kTail}},
                                              .grouping = {.mode = Grouping::kOrdered}}),
              RefusesValue("retry.to"));
  EXPECT_THAT(broker().alter_queue("orders", {.retry = {.policy = RetryPolicy{.to = ReturnTo::kTail}}}),
              RefusesValue("retry.to"));
}

TEST_P(ReleaseToTail, ADeadLetterKeepsItsPlace) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 2);
  reject_one("orders");
  reject_one("orders");
  const Delivery dead = receive_one("dlq");
  EXPECT_THAT(broker().release(dead.receipt, kTail), FailsNaming(ErrorCode::kInvalidArgument, "dead letter"));
  must(broker().alter_queue("dlq", {.retry = {.policy = RetryPolicy{.to = ReturnTo::kTail}}}));
  must(broker().release(dead.receipt));
  EXPECT_THAT(bodies(receive_all("dlq")), ElementsAre("0", "1"));
}

TEST_P(ReleaseToTail, SettlingGoesOnFromTheNewPlace) {
  create("orders", {.retry = {.max_deliveries = 100}, .dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 3);
  for (int i = 0; i < 7; ++i) must(broker().release(receive_one("orders").receipt, kTail));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  const Delivery next = receive_one("orders");
  EXPECT_EQ(next.body, "1");
  EXPECT_EQ(next.deliveries, 3U);
  must(broker().reject(next.receipt, {.category = "poison"}));
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 1U);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("2", "0", "1"));
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
