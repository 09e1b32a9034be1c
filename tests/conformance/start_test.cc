// These tests are about prefetched deliveries.
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;

class Start : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  }
  Delivery prefetch() { return receive_one("orders", {.prefetch = true}); }
};
HOLDFAST_FOR_EACH_BROKER(Start);

TEST_P(Start, ADeliveryThatWasNeverStartedIsNotCharged) {
  send_numbered("orders", 2);
  for (int i = 0; i < 5; ++i) {
    const Delivery delivery = prefetch();
    EXPECT_EQ(delivery.body, "0");  // each time it has gone back to its place
    EXPECT_EQ(delivery.deliveries, 1U);
    if (i % 2 == 0) {
      advance(10s);
    } else {
      must(broker().release(delivery.receipt));
    }
  }
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2}));
  EXPECT_EQ(totals("orders").delivered, 5U);
}

TEST_P(Start, ADeliveryThatWasStartedIsChargedOnce) {
  send("orders", "a");
  const Delivery first = prefetch();
  must(broker().start(first.receipt));
  must(broker().start(first.receipt));
  must(broker().release(first.receipt));
  const Delivery second = prefetch();
  EXPECT_EQ(second.deliveries, 2U);
  must(broker().start(second.receipt));
  advance(10s);
  EXPECT_EQ(only_dead_letter("dlq").record.deliveries, 2U);
}

// The lease has its full length also after a restart, which must not forget the length.
TEST_P(Start, RenewsTheLeaseToItsFullLength) {
  for (const bool reopens : {false, true}) {
    send("orders", "a");
    const Delivery delivery = receive_one("orders", {.lease = 7s, .prefetch = true});
    advance(7s - 1ms);
    if (reopens) reopen();
    must(broker().start(delivery.receipt));
    advance(7s - 1ms);
    EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1})) << reopens;
    must(broker().start(delivery.receipt));  // a repetition, as if the first answer had been lost
    advance(7s - 1ms);
    EXPECT_THAT(broker().ack(delivery.receipt), Succeeds()) << reopens;
  }
}

TEST_P(Start, EndsWithTheRenewedLease) {
  send("orders", "a");
  const Delivery delivery = prefetch();
  advance(9s);
  must(broker().start(delivery.receipt));
  advance(10s - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  advance(1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Start, LeavesALeaseThatWasExtendedForLonger) {
  send("orders", "a");
  const Delivery delivery = prefetch();
  must(broker().extend(delivery.receipt, 1h));
  must(broker().start(delivery.receipt));
  advance(59min);
  EXPECT_THAT(broker().ack(delivery.receipt), Succeeds());
}

TEST_P(Start, LeavesTheLeaseOfAnOrdinaryDelivery) {
  send("orders", "a");
  const Delivery delivery = receive_one("orders");
  advance(9s);
  must(broker().start(delivery.receipt));
  advance(1s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Start, SurvivesAReopen) {
  send_numbered("orders", 2);
  const Delivery started = prefetch();
  const Delivery not_started = prefetch();
  must(broker().start(started.receipt));
  reopen();
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 2}));
  advance(10s);
  const Deliveries again = receive("orders", 2);
  EXPECT_EQ(again.at(0).deliveries, 2U);
  EXPECT_EQ(again.at(1).deliveries, 1U);
}

TEST_P(Start, MayBeSkippedByWhatEndsTheMessage) {
  send_numbered("orders", 2);
  must(broker().ack(prefetch().receipt));
  must(broker().reject(prefetch().receipt, {}));
  EXPECT_EQ(only_dead_letter("dlq").record.deliveries, 1U);
}

TEST_P(Start, AnOrdinaryDeliveryIsStarted) {
  send("orders", "a");
  const Delivery delivery = receive_one("orders");
  must(broker().start(delivery.receipt));
  EXPECT_EQ(delivery.deliveries, 1U);
  must(broker().release(delivery.receipt));
  EXPECT_EQ(receive_one("orders").deliveries, 2U);
}

TEST_P(Start, TakesBatchesAndRefusesWhatIsOver) {
  send_numbered("orders", 3);
  const Deliveries out = must(broker().receive("orders", {.max = 3, .prefetch = true}));
  EXPECT_THAT(must(broker().start_batch(receipts(out))), Each(Succeeds()));
  advance(10s);
  EXPECT_THAT(must(broker().start_batch(receipts(out))), Each(FailsWith(ErrorCode::kReceiptStale)));
  EXPECT_THAT(must(broker().start_batch({})), ElementsAre());
}

}  // namespace
}  // namespace holdfast::testing
