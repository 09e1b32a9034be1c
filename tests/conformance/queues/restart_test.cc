// After a reopen everything is as it was, and counts equal a scan.
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Restart : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(Restart);

TEST_P(Restart, KeepsEveryMessageInItsPlace) {
  create("orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 500);
  Deliveries out = receive("orders", 150);
  for (std::size_t i = 0; i < 30; ++i) must(broker().ack(out[i].receipt));
  for (std::size_t i = 30; i < 60; ++i) must(broker().release(out[i].receipt));
  for (std::size_t i = 60; i < 90; ++i) must(broker().release(out[i].receipt, {.delay = 1h}));
  for (std::size_t i = 90; i < 120; ++i) must(broker().reject(out[i].receipt, {.category = "c"}));
  const QueueInfo before = info("orders");
  EXPECT_EQ(before.counts, (QueueCounts{.ready = 380, .waiting = 30, .leased = 30}));
  EXPECT_EQ(before.totals, (QueueTotals{.sent = 500, .delivered = 150, .acked = 30, .dead_lettered = 30}));

  for (int i = 0; i < 3; ++i) {
    reopen();
    EXPECT_EQ(info("orders").counts, before.counts);
    EXPECT_EQ(info("orders").totals, before.totals);
    EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 30, .dead = 30}));
  }

  out = receive_all("orders");
  ASSERT_EQ(out.size(), 380U);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(out[i].body, std::to_string(30 + i));
    EXPECT_EQ(out[i].deliveries, 2U);
  }
  for (std::size_t i = 30; i < out.size(); ++i) {
    EXPECT_EQ(out[i].body, std::to_string(120 + i));
    EXPECT_EQ(out[i].deliveries, 1U);
  }
}

TEST_P(Restart, KeepsDeadLettersWhole) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  send("orders", std::string("\0\n\xff", 3), {{"correlation-id", "c"}, {"n", std::string("\0", 1)}});
  reject_one("orders", {.category = "a", .reason = "b", .code = "c", .stack_trace = "d\ne"});
  const DeadLetter before = only_dead_letter("dlq");
  reopen();
  const DeadLetter after = only_dead_letter("dlq");
  EXPECT_EQ(after.seq, before.seq);
  EXPECT_EQ(after.record, before.record);
  EXPECT_EQ(after.body, before.body);
  EXPECT_EQ(after.attributes, before.attributes);
}

TEST_P(Restart, KeepsDelaysAndLeasesRunning) {
  create("orders", {.lease = 20s});
  send_numbered("orders", 2);
  must(broker().release(receive_one("orders").receipt, {.delay = 30s}));
  receive_one("orders");
  advance(10s);
  reopen();
  advance(10s - 1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 1, .leased = 1}));
  advance(1us);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .waiting = 1}));
  advance(10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2}));
  EXPECT_THAT(bodies(receive("orders", 2)), ElementsAre("0", "1"));
}

TEST_P(Restart, GoesOnWithTheLog) {
  create("orders");
  for (int i = 0; i < 4; ++i) {
    send("orders", std::to_string(i));
    reopen();
  }
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("0", "1", "2", "3"));
}

// The test receives every message once until the queue is empty. So it sees whether the counts agree with
// what is there.
TEST_P(Restart, CountsEqualAScan) {
  create("orders", {.lease = 10s, .retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 300);
  const Deliveries out = receive("orders", 200);
  for (std::size_t i = 0; i < out.size(); i += 4) must(broker().ack(out[i].receipt));
  for (std::size_t i = 1; i < out.size(); i += 4) must(broker().reject(out[i].receipt, {}));
  for (std::size_t i = 2; i < out.size(); i += 4) must(broker().release(out[i].receipt, {.delay = 5s}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 100, .waiting = 50, .leased = 50}));
  advance(10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 200}));
  EXPECT_EQ(receive_all("orders").size(), 200U);
  EXPECT_EQ(receive_all("dlq").size(), 50U);
  EXPECT_THAT(receive("orders", 1000), IsEmpty());
  EXPECT_EQ(dead_letters("dlq").size(), 50U);
}

}  // namespace
}  // namespace holdfast::testing
