// Priorities, strict and with aging, in all that becomes of a message.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Priorities : public BrokerFixture {
 protected:
  void send_at(std::string_view queue, std::uint32_t priority, const std::string& body) {
    must(broker().send(queue, {.body = body, .priority = priority}));
  }
  std::vector<std::string> receive_bodies(std::string_view queue, std::size_t max) {
    return bodies(receive(queue, max));
  }
};
HOLDFAST_FOR_EACH_BROKER(Priorities);

TEST_P(Priorities, TheHighestGoesFirst) {
  create("jobs", {.lease = 10s, .priority = {.levels = 8}});
  for (const std::uint32_t priority : {0, 7, 3, 0, 7, 3}) {
    send_at("jobs", priority, std::to_string(priority));
  }
  EXPECT_EQ(counts("jobs").ready, 6U);
  Delivery first = receive_one("jobs");
  EXPECT_EQ(first.priority, 7U);
  EXPECT_THAT(receive_bodies("jobs", 2), ElementsAre("7", "3"));
  must(broker().release(first.receipt));
  send_at("jobs", 5, "5");
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("7", "5", "3", "0", "0"));
  advance(10s);
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("7", "7", "5", "3", "3", "0", "0"));
  EXPECT_EQ(totals("jobs").sent, 7U);
}

TEST_P(Priorities, SettleInEveryLane) {
  create("jobs", {.lease = 10s,
                  .retry = {.max_deliveries = 2},
                  .dead_letters = {.queue = "dlq"},
                  .priority = {.levels = 3}});
  for (const std::uint32_t priority : {0, 1, 2, 2}) send_at("jobs", priority, std::to_string(priority));
  const Deliveries out = receive("jobs", 4);
  must(broker().ack(out[0].receipt));
  EXPECT_THAT(broker().ack(out[0].receipt), FailsAsSettled());
  must(broker().extend(out[1].receipt, 60s));
  must(broker().release(out[2].receipt, {.delay = 5s}));
  must(broker().reject(out[3].receipt, {.reason = "r"}));
  EXPECT_EQ(counts("jobs"), (QueueCounts{.waiting = 1, .leased = 1}));
  EXPECT_EQ(totals("jobs"), (QueueTotals{.sent = 4, .delivered = 4, .acked = 1, .dead_lettered = 1}));
  reopen();
  EXPECT_EQ(counts("jobs"), (QueueCounts{.waiting = 1, .leased = 1}));
  advance(5s);
  EXPECT_THAT(receive_bodies("jobs", 4), ElementsAre("1"));
  advance(60s);
  EXPECT_THAT(receive_bodies("jobs", 4), ElementsAre("2"));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 2, .dead = 2}));  // "1" was delivered twice
}

TEST_P(Priorities, EveryLevelHasTheLimitOfDeliveriesFromTheStart) {
  create("jobs", {.lease = 10s,
                  .retry = {.max_deliveries = 2},
                  .dead_letters = {.queue = "dlq"},
                  .priority = {.levels = 3}});
  send_at("jobs", 2, "2");
  for (int delivery = 0; delivery < 2; ++delivery) must(broker().release(receive_one("jobs").receipt));
  EXPECT_EQ(counts("jobs"), QueueCounts{});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(Priorities, AddedLevelsHaveTheLimitOfDeliveries) {
  create("jobs", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  must(broker().alter_queue("jobs", {.priority = {.levels = 3}}));
  send_at("jobs", 2, "2");
  for (int delivery = 0; delivery < 2; ++delivery) must(broker().release(receive_one("jobs").receipt));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(Priorities, AreKeptThroughDeadLetteringAndRedrive) {
  create("jobs", {.dead_letters = {.queue = "dlq"}, .priority = {.levels = 8}});
  send_at("jobs", 0, "low");
  send_at("jobs", 6, "high");
  reject_one("jobs");
  reject_one("jobs");
  const Deliveries dead = receive("dlq", 10);
  EXPECT_THAT(bodies(dead), ElementsAre("high", "low"));  // in the order of their deaths
  EXPECT_EQ(dead[0].priority, 6U);
  for (const Delivery& delivery : dead) must(broker().release(delivery.receipt));
  must(broker().alter_queue("jobs", {.priority = {.levels = 4}}));
  send_at("jobs", 2, "middle");
  reopen();
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 2U);
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("high", "middle", "low"));
}

TEST_P(Priorities, CanBeRaisedAndLoweredAtAnyTime) {
  create("jobs");
  EXPECT_THAT(broker().send("jobs", {.body = "x", .priority = 1}),
              FailsNaming(ErrorCode::kInvalidArgument, "priority is 1"));
  send_at("jobs", 0, "a");
  must(broker().alter_queue("jobs", {.priority = {.levels = 3}}));
  send_at("jobs", 2, "b");
  must(broker().alter_queue("jobs", {.priority = {.levels = 1}}));
  EXPECT_THAT(broker().send("jobs", {.body = "x", .priority = 1}),
              FailsNaming(ErrorCode::kInvalidArgument, "priority is 1"));
  send_at("jobs", 0, "c");
  reopen();
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("b", "a", "c"));
}

TEST_P(Priorities, AgeSoThatTheLowestIsNotStarved) {
  create("jobs", {.lease = 1h, .priority = {.levels = 3, .aging = 10s}});
  send_at("jobs", 0, "low");
  send_at("jobs", 1, "middle");
  for (int i = 1; i <= 4; ++i) {
    advance(5s);
    send_at("jobs", 2, "high" + std::to_string(i));
  }
  // "low" counts as sent at 0 s, "middle" at -10 s, and those with a higher priority at -15, -10, -5 and 0 s.
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("high1", "high2", "middle", "high3", "high4", "low"));
  must(broker().purge_queue("jobs"));
  send_at("jobs", 0, "low");
  advance(20s + 1us);
  send_at("jobs", 2, "high");
  reopen();
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("low", "high"));
}

TEST_P(Priorities, AgeOverARestartWithWhatCameBack) {
  create("jobs", {.lease = 10s, .priority = {.levels = 2, .aging = 60s}});
  send_at("jobs", 0, "low");
  receive_one("jobs");
  advance(30s);
  send_at("jobs", 1, "high");
  reopen();
  EXPECT_EQ(receive_one("jobs").body, "high");
  advance(31s);
  send_at("jobs", 1, "later");
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("high", "low", "later"));
}

TEST_P(Priorities, TurnIntoGroupsOnceOnlyTheLowestIsThere) {
  create("jobs", {.priority = {.levels = 2, .aging = 1s}});
  for (const std::uint32_t priority : {0, 1}) {
    must(broker().send("jobs", {.body = std::to_string(priority), .group = "g", .priority = priority}));
  }
  const QueueChanges ordered{.grouping = {.mode = Grouping::kOrdered}, .priority = {.levels = 1}};
  EXPECT_THAT(broker().alter_queue("jobs", ordered), FailsNaming(ErrorCode::kInvalidArgument, "grouping"));
  const Delivery high = receive_one("jobs");
  EXPECT_EQ(high.body, "1");
  EXPECT_THAT(broker().alter_queue("jobs", ordered), FailsNaming(ErrorCode::kInvalidArgument, "grouping"));
  must(broker().ack(high.receipt));
  must(broker().alter_queue("jobs", ordered));
  must(broker().send("jobs", {.body = "2", .group = "g"}));
  EXPECT_THAT(receive_bodies("jobs", 1), ElementsAre("0"));
  EXPECT_THAT(receive("jobs", 1), IsEmpty());  // the leased message holds the group
}

TEST_P(Priorities, AgeWhatCameBackWhenThereWereGroups) {
  create("jobs", {.grouping = {.mode = Grouping::kFair}});
  for (int i = 0; i < 2; ++i) send("jobs", "low");
  must(broker().release(receive_one("jobs").receipt, {.charge = false}));
  reopen();
  must(broker().alter_queue("jobs",
                            {.grouping = {.mode = Grouping::kNone}, .priority = {.levels = 2, .aging = 1h}}));
  send_at("jobs", 1, "high");
  EXPECT_THAT(receive_bodies("jobs", 3), ElementsAre("high", "low", "low"));
}

TEST_P(Priorities, ArePurgedAndDeleted) {
  create("jobs", {.priority = {.levels = 4}});
  for (const std::uint32_t priority : {0, 1, 2, 3}) send_at("jobs", priority, "x");
  receive("jobs", 2);
  EXPECT_EQ(must(broker().purge_queue("jobs")), 4U);
  EXPECT_EQ(counts("jobs"), QueueCounts{});
  reopen();
  EXPECT_THAT(receive_bodies("jobs", 10), IsEmpty());
  send_at("jobs", 3, "y");
  EXPECT_THAT(receive_bodies("jobs", 10), ElementsAre("y"));
  must(broker().delete_queue("jobs"));
  create("jobs", {.priority = {.levels = 4}});
  EXPECT_THAT(receive_bodies("jobs", 10), IsEmpty());
}

TEST_P(Priorities, HaveLimits) {
  create("jobs", {.priority = {.levels = limits::kPrioritiesMax, .aging = limits::kPriorityAgingMax}});
  send_at("jobs", limits::kPrioritiesMax - 1, "x");
  EXPECT_THAT(broker().send("jobs", {.body = "x", .priority = limits::kPrioritiesMax}),
              FailsNaming(ErrorCode::kInvalidArgument, "priority"));
  const Delivery delivery = receive_one("jobs");
  EXPECT_EQ(delivery.priority, limits::kPrioritiesMax - 1);
  must(broker().ack(delivery.receipt));
  const auto alter = [&](QueueChanges changes) { return broker().alter_queue("jobs", std::move(changes)); };
  EXPECT_THAT(alter({.priority = {.levels = limits::kPrioritiesMin - 1}}), RefusesValue("priorities"));
  EXPECT_THAT(alter({.priority = {.levels = limits::kPrioritiesMax + 1}}), RefusesValue("priorities"));
  EXPECT_THAT(alter({.priority = {.aging = -1us}}), RefusesValue("priority_aging"));
  EXPECT_THAT(alter({.priority = {.aging = limits::kPriorityAgingMax + 1us}}),
              RefusesValue("priority_aging"));
  EXPECT_THAT(alter({.grouping = {.mode = Grouping::kOrdered}}), RefusesValue("grouping"));
  EXPECT_THAT(alter({.grouping = {.mode = Grouping::kFair}}), RefusesValue("grouping"));
  EXPECT_THAT(
      alter({.grouping = {.mode = Grouping::kOrdered}, .priority = {.levels = limits::kPrioritiesMin}}),
      Succeeds());
}

}  // namespace
}  // namespace holdfast::testing
