// A receipt whose delivery is over never settles anything, whatever the verb is.
#include <functional>
#include <map>

#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Receipts : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 5}, .dead_letters = {.queue = "dlq"}});
  }

  // Checks that every verb, alone and as a batch of one, answers `expected` and changes nothing.
  template <class Matcher>
  void expect_refused(const Receipt& receipt, const Matcher& expected) {
    const auto before = must(broker().list_queues());
    const std::vector<Receipt> one{receipt};
    EXPECT_THAT(broker().ack(receipt), expected);
    EXPECT_THAT(broker().extend(receipt, 1h), expected);
    EXPECT_THAT(broker().release(receipt), expected);
    EXPECT_THAT(broker().release(receipt, {.delay = 1h, .charge = false}), expected);
    EXPECT_THAT(broker().reject(receipt, {.category = "late"}), expected);
    EXPECT_THAT(must(broker().ack_batch(one)), ::testing::ElementsAre(expected));
    EXPECT_THAT(must(broker().extend_batch(one, 1h)), ::testing::ElementsAre(expected));
    EXPECT_THAT(must(broker().release_batch(one)), ::testing::ElementsAre(expected));
    EXPECT_THAT(must(broker().reject_batch(one, {})), ::testing::ElementsAre(expected));
    const auto after = must(broker().list_queues());
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].counts, before[i].counts) << after[i].name;
      EXPECT_EQ(after[i].totals, before[i].totals) << after[i].name;
    }
  }
};
HOLDFAST_FOR_EACH_BROKER(Receipts);

TEST_P(Receipts, OfALeaseThatRanOutAreStale) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  advance(10s);
  expect_refused(out.receipt, FailsWith(ErrorCode::kReceiptStale));
}

TEST_P(Receipts, OfAnEarlierDeliveryAreStaleAndLeaveTheLaterOneAlone) {
  send("orders", "a");
  const Delivery first = receive_one("orders");
  advance(10s);
  const Delivery second = receive_one("orders");
  expect_refused(first.receipt, FailsWith(ErrorCode::kReceiptStale));
  must(broker().ack(second.receipt));
}

TEST_P(Receipts, OfAReleasedDeliveryAreStale) {
  send_numbered("orders", 2);
  const Delivery now_ready = receive_one("orders");
  const Delivery now_waiting = receive_one("orders");
  must(broker().release(now_ready.receipt));
  must(broker().release(now_waiting.receipt, {.delay = 1h}));
  expect_refused(now_ready.receipt, FailsWith(ErrorCode::kReceiptStale));
  expect_refused(now_waiting.receipt, FailsWith(ErrorCode::kReceiptStale));
}

TEST_P(Receipts, OfAnAcknowledgedMessageAreOver) {
  send_numbered("orders", 2);
  const Deliveries out = receive("orders", 2);
  must(broker().ack(out[0].receipt));
  expect_refused(out[0].receipt, FailsAsSettled());
  must(broker().ack(out[1].receipt));
  expect_refused(out[0].receipt, FailsAsSettled());
  reopen();
  expect_refused(out[0].receipt, FailsAsSettled());
}

TEST_P(Receipts, OfADeadLetteredMessageAreOver) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  must(broker().reject(out.receipt, {}));
  expect_refused(out.receipt, FailsAsSettled());
  must(broker().redrive("dlq"));
  expect_refused(out.receipt, FailsAsSettled());
}

TEST_P(Receipts, OfAPurgedMessageNameNoMessage) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  must(broker().purge_queue("orders"));
  expect_refused(out.receipt, FailsWith(ErrorCode::kMessageNotFound));
}

TEST_P(Receipts, OfADeletedQueueNameNoMessage) {
  send("orders", "a");
  const Delivery out = receive_one("orders");
  must(broker().delete_queue("orders"));
  expect_refused(out.receipt, FailsWith(ErrorCode::kMessageNotFound));
  create("orders");
  send("orders", "b");
  receive_one("orders");
  expect_refused(out.receipt, FailsWith(ErrorCode::kMessageNotFound));
}

TEST_P(Receipts, OfNothingAtAllNameNoMessage) {
  send_numbered("orders", 2);
  const Receipt real = receive_one("orders").receipt;
  expect_refused(Receipt{}, FailsWith(ErrorCode::kMessageNotFound));
  Receipt other = real;
  other.queue = QueueId{~0ULL};
  expect_refused(other, FailsWith(ErrorCode::kMessageNotFound));
  other = real;
  other.seq = Seq{~0ULL};
  expect_refused(other, FailsWith(ErrorCode::kMessageNotFound));
  other = real;
  other.lease = LeaseId{static_cast<std::uint64_t>(real.lease) + 1};
  expect_refused(other, FailsWith(ErrorCode::kReceiptStale));
}

// The message after the leased one was never handed out, so no receipt for it can be real.
TEST_P(Receipts, OfAMessageNeverHandedOutAreRefused) {
  send_numbered("orders", 2);
  Receipt forged = receive_one("orders").receipt;
  forged.seq = Seq{static_cast<std::uint64_t>(forged.seq) + 1};
  expect_refused(forged, FailsAsSettled());
  forged.lease = LeaseId{0};
  expect_refused(forged, FailsAsSettled());
  EXPECT_EQ(receive_one("orders").body, "1");
}

TEST_P(Receipts, AreValidAcrossAReopen) {
  send_numbered("orders", 4);
  const Deliveries out = receive("orders", 4);
  reopen();
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 4}));
  must(broker().ack(out[0].receipt));
  must(broker().extend(out[1].receipt, 1h));
  must(broker().release(out[2].receipt));
  must(broker().reject(out[3].receipt, {}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .leased = 1}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(Receipts, SurviveTheirTextForm) {
  send("orders", "a");
  must(broker().ack(must(Receipt::parse(receive_one("orders").receipt.to_string()))));
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

}  // namespace
}  // namespace holdfast::testing
