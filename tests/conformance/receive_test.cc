// receive.
#include <future>
#include <thread>

#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Receive : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  }

  std::future<Result<Deliveries>> receive_waiting(std::string queue, ReceiveOptions options) {
    return std::async(std::launch::async,
                      [this, queue, options] { return broker().receive(queue, options); });
  }

  // Moves time until the waiting call has answered.
  Deliveries answer_as_time_passes(std::future<Result<Deliveries>> waiting, Duration step) {
    while (waiting.wait_for(1ms) != std::future_status::ready) advance(step);
    return must(waiting.get());
  }
};
HOLDFAST_FOR_EACH_BROKER(Receive);

TEST_P(Receive, OfAnEmptyQueueIsAnEmptySuccess) { EXPECT_THAT(receive("orders", 10), IsEmpty()); }

TEST_P(Receive, HandsOutTheOldestFirstAndAtMostMax) {
  send_numbered("orders", 5);
  EXPECT_THAT(bodies(receive("orders", 2)), ElementsAre("0", "1"));
  EXPECT_THAT(bodies(receive("orders", 2)), ElementsAre("2", "3"));
  EXPECT_THAT(bodies(receive("orders", 2)), ElementsAre("4"));
  EXPECT_THAT(receive("orders", 2), IsEmpty());
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 5}));
}

TEST_P(Receive, HandsOutOneByDefault) {
  send_numbered("orders", 2);
  EXPECT_THAT(bodies(must(broker().receive("orders"))), ElementsAre("0"));
}

TEST_P(Receive, LeasesForAsLongAsTheQueueSays) {
  send_numbered("orders", 2);
  EXPECT_EQ(receive_one("orders").lease_expires_at, now() + 10s);
  EXPECT_EQ(receive_one("orders", {.lease = 3s}).lease_expires_at, now() + 3s);
}

TEST_P(Receive, HandsOutAgainWhenTheLeaseIsOverAndNotBefore) {
  const MessageId id = send("orders", "a");
  const Delivery first = receive_one("orders");
  advance(10s - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  EXPECT_THAT(receive("orders", 1), IsEmpty());
  advance(1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));

  const Delivery second = receive_one("orders");
  EXPECT_EQ(second.id, id);
  EXPECT_EQ(second.body, "a");
  EXPECT_EQ(second.deliveries, 2U);
  EXPECT_EQ(second.sent_at, first.sent_at);
  EXPECT_NE(second.receipt, first.receipt);
}

TEST_P(Receive, GivesWhatCameBackBeforeWhatWasNeverOut) {
  send_numbered("orders", 6);
  const Deliveries out = receive("orders", 4);
  must(broker().release(out[2].receipt));
  must(broker().release(out[0].receipt));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("0", "2", "4", "5"));
}

TEST_P(Receive, NamesEachDeliveryOnce) {
  create("forever", {.retry = {.max_deliveries = 3}});
  send_numbered("forever", 3);
  std::vector<Receipt> all;
  for (int i = 0; i < 20; ++i) {
    const Deliveries out = receive("forever", 3);
    for (const Delivery& delivery : out) {
      EXPECT_THAT(all, ::testing::Not(::testing::Contains(delivery.receipt)));
      all.push_back(delivery.receipt);
      must(broker().release(delivery.receipt));
    }
    if (i % 7 == 3) reopen();
  }
  EXPECT_EQ(all.size(), 60U);
}

TEST_P(Receive, KeepsBodiesAliveAfterTheMessageIsGone) {
  send_numbered("orders", 200);
  const Deliveries out = receive("orders", 200);
  for (const Delivery& delivery : out)
    must(broker().ack(delivery.receipt, {.durability = Durability::kBuffered}));
  must(broker().delete_queue("orders"));
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i].body, std::to_string(i));
}

// --- waiting ---

TEST_P(Receive, ThatWaitsGetsAMessageSentLater) {
  auto waiting = receive_waiting("orders", {.max = 10, .wait = 1h});
  const MessageId id = send("orders", "a");
  EXPECT_THAT(ids(must(waiting.get())), ElementsAre(id));
}

TEST_P(Receive, ThatWaitsDoesNotWaitForAFullBatch) {
  send_numbered("orders", 2);
  EXPECT_THAT(bodies(must(broker().receive("orders", {.max = 10, .wait = 1h}))), ElementsAre("0", "1"));
}

TEST_P(Receive, ThatWaitedLongEnoughIsEmpty) {
  EXPECT_THAT(answer_as_time_passes(receive_waiting("orders", {.wait = 5s}), 1s), IsEmpty());
  send("orders", "a");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Receive, ThatWaitsGetsAMessageWhoseLeaseRanOut) {
  const MessageId id = send("orders", "a");
  receive_one("orders");
  EXPECT_THAT(ids(answer_as_time_passes(receive_waiting("orders", {.lease = 12h, .wait = 1h}), 1s)),
              ElementsAre(id));
}

TEST_P(Receive, ThatWaitsGetsAMessageWhoseDelayIsOver) {
  const MessageId id = send("orders", "a");
  must(broker().release(receive_one("orders").receipt, {.delay = 5s}));
  EXPECT_THAT(ids(answer_as_time_passes(receive_waiting("orders", {.lease = 12h, .wait = 1h}), 1s)),
              ElementsAre(id));
}

TEST_P(Receive, ThatWaitsGetsReleasedDeadLetteredAndRedrivenMessages) {
  const MessageId id = send("orders", "a");
  Delivery delivery = receive_one("orders");
  auto waiting = receive_waiting("orders", {.wait = 1h});
  must(broker().release(delivery.receipt));
  delivery = std::move(must(waiting.get()).at(0));
  EXPECT_EQ(delivery.id, id);

  waiting = receive_waiting("dlq", {.wait = 1h});
  must(broker().reject(delivery.receipt, {}));
  delivery = std::move(must(waiting.get()).at(0));
  EXPECT_EQ(delivery.id, id);
  must(broker().release(delivery.receipt));

  waiting = receive_waiting("orders", {.wait = 1h});
  must(broker().redrive("dlq"));
  EXPECT_EQ(must(waiting.get()).at(0).id, id);
}

TEST_P(Receive, ThatWaitsSharesWhatComesWithOthers) {
  std::vector<std::future<Result<Deliveries>>> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(receive_waiting("orders", {.wait = 1h}));
  const std::vector<MessageId> sent = send_numbered("orders", 4);
  std::vector<MessageId> received;
  for (auto& each : waiting) received.push_back(must(each.get()).at(0).id);
  EXPECT_THAT(received, ::testing::UnorderedElementsAreArray(sent));
}

TEST_P(Receive, ThatWaitsOnADeletedQueueIsTold) {
  create("to-delete");
  auto waiting = receive_waiting("to-delete", {.wait = 1h});
  must(broker().delete_queue("to-delete"));
  EXPECT_THAT(waiting.get(), FailsWith(ErrorCode::kQueueNotFound));
}

// --- limits ---

TEST_P(Receive, TakesOptionsUpToTheirBounds) {
  send_numbered("orders", 5);
  const auto attempt = [&](ReceiveOptions options) { return broker().receive("orders", std::move(options)); };
  EXPECT_THAT(attempt({.max = 0}), RefusesValue("max"));
  EXPECT_THAT(attempt({.max = limits::kReceiveMax + 1}), FailsNaming(ErrorCode::kLimitExceeded, "10000"));
  EXPECT_THAT(attempt({.lease = limits::kLeaseMin - 1us}), RefusesValue("lease"));
  EXPECT_THAT(attempt({.lease = limits::kLeaseMax + 1us}), RefusesValue("lease"));
  EXPECT_THAT(attempt({.wait = Duration(-1)}), RefusesValue("wait"));
  EXPECT_THAT(attempt({.wait = limits::kWaitMax + 1us}), RefusesValue("wait"));
  const std::string longest(limits::kConsumerBytes, 'c');
  EXPECT_THAT(attempt({.consumer = {.instance = longest + "c"}}),
              FailsNaming(ErrorCode::kLimitExceeded, "256"));
  EXPECT_THAT(attempt({.consumer = {.version = longest + "c"}}),
              FailsNaming(ErrorCode::kLimitExceeded, "256"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 5}));
  EXPECT_EQ(totals("orders").delivered, 0U);

  EXPECT_THAT(attempt({.lease = limits::kLeaseMin}), Succeeds());
  EXPECT_THAT(attempt({.lease = limits::kLeaseMax}), Succeeds());
  EXPECT_THAT(attempt({.wait = limits::kWaitMax}), Succeeds());
  EXPECT_THAT(attempt({.consumer = {.instance = longest, .version = longest}}), Succeeds());
  EXPECT_THAT(bodies(must(attempt({.max = limits::kReceiveMax}))), ElementsAre("4"));
}

TEST_P(Receive, HandsOutAsManyAsTheLimitAtOnce) {
  const std::vector<MessageId> sent = send_numbered("orders", limits::kReceiveMax);
  EXPECT_EQ(ids(receive("orders", limits::kReceiveMax)), sent);
}

// A message that does not fit is not touched.
TEST_P(Receive, GivesABatchUpToItsBytes) {
  constexpr std::size_t kFitting = limits::kBatchBytes / limits::kBodyBytes;
  create("big", {.durability = Durability::kBuffered,
                 .retry = {.max_deliveries = 1},
                 .dead_letters = {.queue = "big-dlq"}});
  for (std::size_t i = 0; i < kFitting + 2; ++i) {
    must(broker().send("big", {.body = std::string(limits::kBodyBytes, 'x')}));
  }
  const Deliveries first = receive("big", 100);
  ASSERT_EQ(first.size(), kFitting);
  EXPECT_EQ(counts("big"), (QueueCounts{.ready = 2, .leased = kFitting}));
  const Deliveries second = receive("big", 100);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].deliveries, 1U);

  for (const Deliveries& deliveries : {first, second}) {
    for (const Delivery& delivery : deliveries) must(broker().reject(delivery.receipt, {.reason = "r"}));
  }
  const auto page = must(broker().list_dead_letters("big-dlq", {.max = 100, .bodies = true}));
  EXPECT_THAT(page.items, SizeIs(kFitting));
  ASSERT_TRUE(page.next);
  const auto rest =
      must(broker().list_dead_letters("big-dlq", {.after = page.next, .max = 100, .bodies = true}));
  EXPECT_THAT(rest.items, SizeIs(2));
}

}  // namespace
}  // namespace holdfast::testing
