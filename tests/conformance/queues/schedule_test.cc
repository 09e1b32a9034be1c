// Messages that are not to be received yet.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Scheduled : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
  }
  MessageId send_delayed(std::string body, Duration delay) {
    return must(broker().send("orders", {.body = std::move(body), .delay = delay})).id;
  }
  // Receives and acknowledges all that is ready.
  std::vector<std::string> take_all() {
    const Deliveries all = receive_all("orders");
    for (const auto& settled : must(broker().ack_batch(receipts(all)))) must(settled);
    return bodies(all);
  }
};
HOLDFAST_FOR_EACH_BROKER(Scheduled);

TEST_P(Scheduled, AMessageComesWhenItsDelayIsOverAndNotBefore) {
  const MessageId id = send_delayed("later", 10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 1}));
  EXPECT_EQ(totals("orders").sent, 1U);
  advance(10s - 1us);
  EXPECT_THAT(receive("orders", 1), IsEmpty());
  advance(1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  const Delivery delivery = receive_one("orders");
  EXPECT_EQ(delivery.id, id);
  EXPECT_EQ(delivery.body, "later");
  EXPECT_EQ(delivery.sent_at, now() - 10s);
  EXPECT_EQ(delivery.deliveries, 1U);
  must(broker().ack(delivery.receipt));
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(Scheduled, AMessageComesAtItsTime) {
  must(broker().send("orders", {.body = "past", .visible_at = now() - 1h}));
  must(broker().send("orders", {.body = "future", .visible_at = now() + 24h * 365}));
  EXPECT_THAT(take_all(), ElementsAre("past"));
  advance(24h * 365);
  EXPECT_THAT(take_all(), ElementsAre("future"));
}

TEST_P(Scheduled, MessagesComeInTheOrderOfTheirTimesWhateverTheOrderOfTheirSends) {
  send_delayed("c", 3min);
  send_delayed("a", 1ms);
  send_delayed("b", 2s);
  advance(3min);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("a", "b", "c"));
}

TEST_P(Scheduled, TheQueuesDelayIsForMessagesThatSayNothing) {
  must(broker().alter_queue("orders", {.delay = 5s}));
  send("orders", "queue's");
  send_delayed("own", 2s);
  send_delayed("none", 0s);
  must(broker().send("orders", {.body = "time", .visible_at = now() + 3s}));
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("none"));
  advance(2s);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("own"));
  advance(1s);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("time"));
  advance(2s);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("queue's"));
}

TEST_P(Scheduled, TheQueuesDelayIsOfSendsOnly) {
  must(broker().alter_queue("orders", {.delay = 5s}));
  must(broker().alter_queue("dlq", {.delay = 5s}));
  send("orders", "a");
  advance(5s);
  reject_one("orders");
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
  must(broker().redrive("dlq"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Scheduled, BadTimesAreRefusedByName) {
  const auto results = must(broker().send_batch("orders", {{.delay = limits::kDelayMax},
                                                           {.delay = limits::kDelayMax + 1us},
                                                           {.delay = -1us},
                                                           {.visible_at = now() + limits::kDelayMax},
                                                           {.visible_at = now() + limits::kDelayMax + 1us},
                                                           {.delay = 1s, .visible_at = now()}}));
  EXPECT_THAT(results[0], Succeeds());
  EXPECT_THAT(results[1], RefusesValue("delay"));
  EXPECT_THAT(results[2], RefusesValue("delay"));
  EXPECT_THAT(results[3], Succeeds());
  EXPECT_THAT(results[4], RefusesValue("visible_at"));
  EXPECT_THAT(results[5], RefusesValue("visible_at"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 2}));
  EXPECT_THAT(broker().create_queue("late", {.delay = limits::kDelayMax + 1us}), RefusesValue("delay"));
  EXPECT_THAT(broker().create_queue("late", {.delay = limits::kDelayMax}), Succeeds());
}

TEST_P(Scheduled, WaitingMessagesSurviveAReopen) {
  for (int i = 0; i < 5; ++i) send_delayed(std::to_string(i), 1min * (i + 1));
  reopen();
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 5}));
  advance(2min);
  EXPECT_THAT(take_all(), ElementsAre("0", "1"));
  reopen();
  advance(10min);
  EXPECT_THAT(take_all(), ElementsAre("2", "3", "4"));
}

TEST_P(Scheduled, PurgeAndDeleteTakeTheWaitingOnesToo) {
  send_delayed("a", 1min);
  send_delayed("b", 1h);
  EXPECT_EQ(must(broker().purge_queue("orders")), 2U);
  send_delayed("c", 1min);
  advance(2h);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("c"));
  send_delayed("d", 1min);
  must(broker().delete_queue("orders"));
  create("orders");
  reopen();
  advance(2h);
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(Scheduled, AReleaseMayLastBeyondTheHorizon) {
  send("orders", "poison");
  send("orders", "next");
  const Delivery delivery = receive_one("orders");
  const Timestamp failed_at = now();
  must(broker().release(delivery.receipt, {.delay = 1h}));
  run_due();
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .waiting = 1}));
  EXPECT_THAT(broker().ack(delivery.receipt), FailsAsSettled());
  reopen();
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("next"));
  advance(1h - 1us);
  // The lease of "next" has run out. "poison" still waits.
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .waiting = 1}));
  advance(1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2}));
  for (const Delivery& again : receive_all("orders")) {
    EXPECT_EQ(again.deliveries, 2U);
    must(broker().reject(again.receipt, {}));
  }
  EXPECT_EQ(dead_letters("dlq").at(1).record.message_id, delivery.id);
  EXPECT_EQ(dead_letters("dlq").at(1).record.first_failed_at, failed_at);
  EXPECT_EQ(dead_letters("dlq").at(1).record.deliveries, 2U);
}

TEST_P(Scheduled, AMessageThatWaitedDiesOfItsLastDelivery) {
  must(broker().alter_queue("orders", {.retry = {.max_deliveries = 2}}));
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt, {.delay = 2h}));
  advance(1h);
  advance(1h);
  must(broker().release(receive_one("orders").receipt, {.delay = 2h}));
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(only_dead_letter("dlq").record.deliveries, 2U);
}

TEST_P(Scheduled, ADeadLetterThatWaitsStaysListed) {
  send("orders", "a");
  reject_one("orders");
  must(broker().release(receive_one("dlq").receipt, {.delay = 1h}));
  run_due();
  EXPECT_EQ(counts("dlq"), (QueueCounts{.waiting = 1, .dead = 1}));
  EXPECT_EQ(only_dead_letter("dlq").body, "a");
  must(broker().redrive("dlq"));
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("a"));
}

TEST_P(Scheduled, ManyForOneMomentComeAllAndOnce) {
  constexpr std::size_t kMany = 20'000;
  const Timestamp at = now() + 1h;
  for (std::size_t sent = 0; sent < kMany; sent += 1000) {
    std::vector<Message> batch;
    for (std::size_t i = 0; i < 1000; ++i) {
      batch.push_back({.body = std::to_string(sent + i), .visible_at = at});
    }
    must(broker().send_batch("orders", std::move(batch), {.durability = Durability::kBuffered}));
  }
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = kMany}));
  advance(1h);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = kMany}));
  const Deliveries all = receive_all("orders");
  ASSERT_EQ(all.size(), kMany);
  for (std::size_t i = 0; i < kMany; ++i) ASSERT_EQ(all[i].body, std::to_string(i));
}

}  // namespace
}  // namespace holdfast::testing
