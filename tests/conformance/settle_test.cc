// These tests are about ack, extend, release.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Settle : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dlq"}});
  }
};

class Ack : public Settle {};
HOLDFAST_FOR_EACH_BROKER(Ack);
class Extend : public Settle {};
HOLDFAST_FOR_EACH_BROKER(Extend);
class Release : public Settle {};
HOLDFAST_FOR_EACH_BROKER(Release);

TEST_P(Ack, RemovesTheMessageForGood) {
  send_numbered("orders", 3);
  const Deliveries out = receive("orders", 3);
  must(broker().ack(out[1].receipt));
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 2}));
  advance(10s);
  EXPECT_THAT(bodies(receive("orders", 3)), ElementsAre("0", "2"));
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 3, .delivered = 5, .acked = 1}));
}

TEST_P(Ack, TakesEitherDurability) {
  send_numbered("orders", 2);
  must(broker().ack(receive_one("orders").receipt, {.durability = Durability::kBuffered}));
  must(broker().ack(receive_one("orders").receipt, {.durability = Durability::kFsync}));
  reopen();
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(Ack, OfABatchAnswersPerEntry) {
  send_numbered("orders", 4);
  const Deliveries out = receive("orders", 4);
  must(broker().ack(out[1].receipt));
  const Receipt unknown{.queue = QueueId{999'999}, .seq = Seq{1}, .lease = LeaseId{1}};
  const std::vector<Receipt> batch{out[0].receipt, out[1].receipt, unknown, out[3].receipt, out[3].receipt};
  const auto answers = must(broker().ack_batch(batch));
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_THAT(answers[0], Succeeds());
  EXPECT_THAT(answers[1], FailsAsSettled());
  EXPECT_THAT(answers[2], FailsWith(ErrorCode::kMessageNotFound));
  EXPECT_THAT(answers[3], Succeeds());
  EXPECT_THAT(answers[4], FailsAsSettled());
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  EXPECT_EQ(totals("orders").acked, 3U);
}

TEST_P(Ack, OfABatchMaySpanQueues) {
  create("invoices");
  send_numbered("orders", 2);
  send_numbered("invoices", 2);
  std::vector<Receipt> batch;
  for (int i = 0; i < 2; ++i) {
    batch.push_back(receive_one("orders").receipt);
    batch.push_back(receive_one("invoices").receipt);
  }
  EXPECT_THAT(must(broker().ack_batch(batch)), Each(Succeeds()));
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(counts("invoices"), QueueCounts{});
}

TEST_P(Ack, OfAnEmptyBatchIsAnEmptyAnswer) { EXPECT_THAT(must(broker().ack_batch({})), IsEmpty()); }

TEST_P(Ack, TakesABatchUpToItsEntries) {
  send_numbered("orders", limits::kBatchEntries);
  std::vector<Receipt> batch = receipts(receive("orders", limits::kReceiveMax));
  ASSERT_EQ(batch.size(), limits::kBatchEntries);
  batch.push_back(batch.front());
  EXPECT_THAT(broker().ack_batch(batch), FailsNaming(ErrorCode::kLimitExceeded, "10000"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = limits::kBatchEntries}));
  batch.pop_back();
  EXPECT_THAT(must(broker().ack_batch(batch)), Each(Succeeds()));
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(Extend, EndsTheLeaseThatLongFromNow) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  advance(9s);
  must(broker().extend(out.receipt, 20s));
  advance(20s - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  must(broker().extend(out.receipt, 1s));
  advance(1s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(receive_one("orders").deliveries, 2U);
}

TEST_P(Extend, MayShortenTheLease) {
  send("orders", "a");
  must(broker().extend(receive_one("orders").receipt, 1s));
  advance(1s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Extend, TakesALeaseUpToItsBounds) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  for (const Duration lease :
       {Duration(-1s), Duration(0), limits::kLeaseMin - 1us, limits::kLeaseMax + 1us}) {
    EXPECT_THAT(broker().extend(out.receipt, lease), RefusesValue("lease"));
    EXPECT_THAT(broker().extend_batch(std::vector{out.receipt}, lease), RefusesValue("lease"));
  }
  must(broker().extend(out.receipt, limits::kLeaseMin));
  must(broker().extend(out.receipt, limits::kLeaseMax));
  advance(limits::kLeaseMax - 1us);
  must(broker().ack(out.receipt));
}

TEST_P(Extend, OfABatchAnswersPerEntry) {
  send_numbered("orders", 3);
  const Deliveries out = receive("orders", 3);
  must(broker().ack(out[1].receipt));
  const auto answers = must(broker().extend_batch(receipts(out), 1h));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_THAT(answers[0], Succeeds());
  EXPECT_THAT(answers[1], FailsAsSettled());
  EXPECT_THAT(answers[2], Succeeds());
  advance(10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 2}));
}

TEST_P(Release, HandsOutAgainNow) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  must(broker().release(out.receipt));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_THAT(broker().ack(out.receipt), FailsWith(ErrorCode::kReceiptStale));
  EXPECT_EQ(receive_one("orders").deliveries, 2U);
}

TEST_P(Release, WithoutCountingIsNotCharged) {
  send("orders", "a");
  for (int i = 0; i < 10; ++i) {
    const Delivery out = receive_one("orders");
    EXPECT_EQ(out.deliveries, 1U);
    must(broker().release(out.receipt, {.charge = false}));
  }
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(totals("orders").delivered, 10U);
}

TEST_P(Release, WithoutCountingUndoesOnlyItsOwnDelivery) {
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  must(broker().release(receive_one("orders").receipt, {.charge = false}));
  const Delivery out = receive_one("orders");
  EXPECT_EQ(out.deliveries, 2U);
  must(broker().release(out.receipt));
  EXPECT_EQ(receive_one("orders").deliveries, 3U);
}

TEST_P(Release, WithADelayWaits) {
  send_numbered("orders", 2);
  must(broker().release(receive_one("orders").receipt, {.delay = 5s}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .waiting = 1}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("1"));
  advance(5s - 1us);
  EXPECT_THAT(receive("orders", 10), IsEmpty());
  advance(1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .leased = 1}));
  const Delivery again = receive_one("orders");
  EXPECT_EQ(again.body, "0");
  EXPECT_EQ(again.deliveries, 2U);
}

TEST_P(Release, WithADelayMayBeUncharged) {
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt, {.delay = 5s, .charge = false}));
  advance(5s);
  EXPECT_EQ(receive_one("orders").deliveries, 1U);
}

TEST_P(Release, TakesADelayUpToItsBounds) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  EXPECT_THAT(broker().release(out.receipt, {.delay = Duration(-1)}), RefusesValue("delay"));
  EXPECT_THAT(broker().release(out.receipt, {.delay = limits::kDelayMax + 1us}), RefusesValue("delay"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  must(broker().release(out.receipt, {.delay = limits::kDelayMax}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 1}));
  advance(limits::kDelayMax - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 1}));
  advance(1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Release, OfABatchAnswersPerEntry) {
  send_numbered("orders", 3);
  const Deliveries out = receive("orders", 3);
  must(broker().ack(out[0].receipt));
  const auto answers = must(broker().release_batch(receipts(out), {.delay = 1s}));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_THAT(answers[0], FailsAsSettled());
  EXPECT_THAT(answers[1], Succeeds());
  EXPECT_THAT(answers[2], Succeeds());
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 2}));
}

}  // namespace
}  // namespace holdfast::testing
