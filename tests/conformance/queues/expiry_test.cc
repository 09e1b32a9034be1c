// Time to live.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Expiry : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .dead_letters = {.queue = "dlq"}});
    create("news", {.lease = 10s, .expiry = {.policy = ExpiryPolicy::kDrop}});
  }
  void send_living(std::string_view queue, std::string body, Duration life) {
    must(broker().send(queue, {.body = std::move(body), .time_to_live = life}));
  }
};
HOLDFAST_FOR_EACH_BROKER(Expiry);

TEST_P(Expiry, DeadLettersWhatWasNotHandedOutInTime) {
  send_living("orders", "a", 1min);
  const Timestamp sent_at = now();
  advance(1min - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  advance(1us);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 1, .dead_lettered = 1, .expired = 1}));
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.record.cause, DeathCause::kExpired);
  EXPECT_EQ(letter.record.sent_at, sent_at);
  EXPECT_EQ(letter.record.deliveries, 0U);
  EXPECT_EQ(letter.body, "a");
  advance(24h * 365);  // a dead letter has no time to live
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(Expiry, DropsWhereThePolicyIsToDrop) {
  send_living("news", "a", 1min);
  send("news", "stays");
  advance(1min);
  EXPECT_EQ(counts("news"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(totals("news"), (QueueTotals{.sent = 2, .expired = 1}));
  EXPECT_THAT(bodies(receive("news", 10)), ElementsAre("stays"));
}

// A receive looks at the time itself, so it does not matter that nobody has run what is due.
TEST_P(Expiry, NothingIsHandedOutAfterIt) {
  send_living("orders", "a", 1min);
  send("orders", "b");
  clock().advance(1min);
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("b"));
  run_due();
  EXPECT_EQ(only_dead_letter("dlq").body, "a");
}

// After an opening, the engine has to ask the store for what comes next.
TEST_P(Expiry, NothingIsHandedOutAfterItAndAnOpening) {
  send_living("news", "a", 1min);
  send("news", "b");
  reopen();
  clock().advance(1min);
  EXPECT_THAT(bodies(receive("news", 10)), ElementsAre("b"));
  EXPECT_EQ(counts("news"), (QueueCounts{.leased = 1}));
}

TEST_P(Expiry, TheShorterOfTheQueuesAndTheMessagesCounts) {
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 1min}}));
  send("orders", "queue's");
  send_living("orders", "shorter", 10s);
  send_living("orders", "longer", 1h);
  advance(10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2}));
  advance(50s);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(totals("orders").expired, 3U);
}

TEST_P(Expiry, AChangeIsForLaterSends) {
  send("orders", "before");
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 1min}}));
  send("orders", "after");
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 0s}}));
  advance(1h);
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("before"));
}

TEST_P(Expiry, CountsFromTheEndOfTheDelay) {
  must(broker().send("orders", {.body = "a", .delay = 1h, .time_to_live = 1min}));
  advance(1h);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  advance(1min);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(only_dead_letter("dlq").record.cause, DeathCause::kExpired);
}

TEST_P(Expiry, IsNotUnderTheHolder) {
  send_living("orders", "acked", 5s);
  send_living("orders", "released", 5s);
  send_living("orders", "left", 5s);
  const Deliveries out = receive("orders", 3);
  advance(5s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 3}));
  must(broker().ack(out[0].receipt));
  must(broker().release(out[1].receipt, {.charge = false}));
  run_due();
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  reopen();
  advance(5s);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(totals("orders").expired, 2U);
  const auto dead = dead_letters("dlq");
  ASSERT_EQ(dead.size(), 2U);
  EXPECT_EQ(dead[0].body, "released");
  EXPECT_EQ(dead[1].body, "left");
  for (const DeadLetter& letter : dead) EXPECT_EQ(letter.record.cause, DeathCause::kExpired);
}

TEST_P(Expiry, IsNotWhatEndsTheLastDelivery) {
  must(broker().alter_queue("orders", {.retry = {.max_deliveries = 1}}));
  send_living("orders", "a", 5s);
  (void)receive_one("orders");
  advance(10s);
  EXPECT_EQ(only_dead_letter("dlq").record.cause, DeathCause::kMaxDeliveries);
}

TEST_P(Expiry, ReachesMessagesThatWait) {
  send_living("orders", "near", 1h);
  send_living("orders", "far", 1h);
  const Deliveries out = receive("orders", 2);
  must(broker().release(out[0].receipt, {.delay = 30s}));
  must(broker().release(out[1].receipt, {.delay = 10h}));
  advance(1h - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .waiting = 1}));
  advance(1us);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 2, .dead = 2}));
}

TEST_P(Expiry, ARedrivenMessageLivesAnew) {
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 1min}}));
  send("orders", "a");
  advance(1min);
  must(broker().redrive("dlq"));
  advance(1min - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  advance(1us);
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(Expiry, InTheMiddleOfABacklogTakesOnlyWhatExpired) {
  for (int i = 0; i < 1000; ++i) {
    if (i % 3 == 0) {
      send_living("news", std::to_string(i), i % 2 == 0 ? 1min : 2min);
    } else {
      must(broker().send("news", {.body = std::to_string(i)}, {.durability = Durability::kBuffered}));
    }
  }
  advance(1min);
  EXPECT_EQ(counts("news"), (QueueCounts{.ready = 833}));
  reopen();
  advance(1min);
  EXPECT_EQ(counts("news"), (QueueCounts{.ready = 666}));
  EXPECT_EQ(totals("news").expired, 334U);
  const Deliveries left = receive_all("news");
  ASSERT_EQ(left.size(), 666U);
  int next = 0;
  for (const Delivery& delivery : left) {
    while (next % 3 == 0) ++next;
    EXPECT_EQ(delivery.body, std::to_string(next++));
  }
}

TEST_P(Expiry, SurvivesPurgeAndReopen) {
  send_living("news", "a", 1min);
  must(broker().purge_queue("news"));
  send_living("news", "b", 2min);
  reopen();
  advance(1min);
  EXPECT_EQ(counts("news"), (QueueCounts{.ready = 1}));
  advance(1min);
  EXPECT_EQ(counts("news"), QueueCounts{});
}

TEST_P(Expiry, NeedsSomewhereToGo) {
  create("plain");
  EXPECT_THAT(broker().send("plain", {.time_to_live = 1s}), RefusesValue("time_to_live"));
  EXPECT_THAT(broker().create_queue("other", {.expiry = {.time_to_live = 1s}}), RefusesValue("time_to_live"));
  EXPECT_THAT(broker().alter_queue("plain", {.expiry = {.time_to_live = 1s}}), RefusesValue("time_to_live"));
  must(broker().alter_queue("plain", {.expiry = {.time_to_live = 1s, .policy = ExpiryPolicy::kDrop}}));
}

TEST_P(Expiry, IsBounded) {
  EXPECT_THAT(broker().send("news", {.time_to_live = 0s}), RefusesValue("time_to_live"));
  EXPECT_THAT(broker().send("news", {.time_to_live = limits::kDelayMax + 1us}), RefusesValue("time_to_live"));
  EXPECT_THAT(broker().send("news", {.time_to_live = limits::kDelayMax}), Succeeds());
  EXPECT_THAT(broker().alter_queue("news", {.expiry = {.time_to_live = -1us}}), RefusesValue("time_to_live"));
  EXPECT_THAT(broker().alter_queue("news", {.expiry = {.time_to_live = limits::kDelayMax + 1us}}),
              RefusesValue("time_to_live"));
  EXPECT_THAT(broker().alter_queue("news", {.expiry = {.time_to_live = limits::kDelayMax}}), Succeeds());
  EXPECT_THAT(receive("dlq", 1), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
