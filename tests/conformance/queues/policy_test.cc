// These tests check what queues do by themselves about their dead letters: auto_redrive, alerts and the flood
// brake.
#include <algorithm>

#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Policy : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dlq"}});
  }

  void die(const std::string& body, const Rejection& rejection = {}) {
    send("orders", body);
    reject_one("orders", rejection);
  }
  // Lets time pass in steps, as a background thread would see it.
  void pass(Duration time, Duration step) {
    for (Duration passed{0}; passed < time; passed += step) advance(step);
  }
  std::vector<std::string> alerts() {
    std::vector<std::string> rules;
    for (const Alert& alert : info("dlq").alerts) rules.push_back(alert.rule);
    return rules;
  }
  void fire_alerts_that_clear_after_an_hour() {
    must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {.above = 0, .clear_after = 1h},
                                                           .oldest = {.above = 1min, .clear_after = 1h}}}));
    die("a");
    pass(3min, 1min);
    ASSERT_THAT(alerts(), ElementsAre("depth", "oldest"));
  }
};
HOLDFAST_FOR_EACH_BROKER(Policy);

TEST_P(Policy, OptionsComeBack) {
  const AutoRedrive redrive{.every = 1min,
                            .max = 7,
                            .categories = {"timeout", ""},
                            .backoff = 0s,
                            .backoff_max = 2h,
                            .max_replays = 9,
                            .give_up_after = 24h,
                            .on_give_up = OnGiveUp::kArchive};
  const AlertRules rules{.depth = {},
                         .depth_high = {.above = 5, .fire_after = 1min, .clear_at = 2, .clear_after = 0s},
                         .depth_critical = {.above = 9, .severity = AlertSeverity::kWarning},
                         .arrivals = {},
                         .arrivals_for = 1min,
                         .oldest = {},
                         .unassigned = {.above = 2h, .clear_at = 1h}};
  const FloodBrake brake{.deaths_per_minute = 5, .delay = 0s};
  must(broker().alter_queue("dlq",
                            {.dead_letters = {.auto_redrive = redrive}, .alerts = rules, .brake = brake}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(info("dlq").options.dead_letters.auto_redrive, redrive);
    EXPECT_EQ(info("dlq").options.alerts, rules);
    EXPECT_EQ(info("dlq").options.brake, brake);
    EXPECT_EQ(info("orders").options.alerts, AlertRules{});
    reopen();
  }
}

TEST_P(Policy, OptionsAreChecked) {
  const auto refuses = [&](const QueueOptions& options, const std::string& name) {
    EXPECT_THAT(broker().create_queue("q", options, MissingQueues::kCreate), RefusesValue(name));
  };
  refuses({.dead_letters = {.auto_redrive = {.every = 1ms}}}, "auto_redrive.every");
  refuses({.dead_letters = {.auto_redrive = {.every = 25h}}}, "auto_redrive.every");
  refuses({.dead_letters = {.auto_redrive = {.max = 0}}}, "auto_redrive.max");
  refuses({.dead_letters = {.auto_redrive = {.max = limits::kAutoRedriveMax + 1}}}, "auto_redrive.max");
  std::vector<std::string> categories;
  for (std::size_t i = 0; i < limits::kAutoRedriveCategories; ++i) categories.push_back(std::to_string(i));
  must(broker().create_queue("most", {.dead_letters = {.auto_redrive = {.every = 1min,
                                                                        .max = limits::kAutoRedriveMax,
                                                                        .categories = categories}}}));
  categories.emplace_back("one more");
  refuses({.dead_letters = {.auto_redrive = {.categories = categories}}}, "categories");
  refuses({.dead_letters = {.auto_redrive = {.max_replays = 0}}}, "max_replays");
  refuses({.alerts = {.arrivals_for = 90s}}, "arrivals_for");
  refuses({.alerts = {.depth = {.above = 1, .fire_after = -1s}}}, "alerts.depth.fire_after");
  refuses({.alerts = {.depth = {.above = 1, .fire_after = limits::kAlertWaitMax + 1us}}},
          "alerts.depth.fire_after");
  refuses({.alerts = {.oldest = {.above = 1h, .clear_after = limits::kAlertWaitMax + 1us}}},
          "alerts.oldest.clear_after");
  refuses({.alerts = {.arrivals = {.above = 1, .clear_at = 2}}}, "alerts.arrivals.clear_at");
  refuses({.alerts = {.unassigned = {.above = 1h, .clear_at = 2h}}}, "alerts.unassigned.clear_at");
  must(broker().create_queue("longest", {.alerts = {.depth = {.above = 1,
                                                              .fire_after = limits::kAlertWaitMax,
                                                              .clear_at = 1,
                                                              .clear_after = limits::kAlertWaitMax}}}));
  refuses({.brake = {.delay = 2h}}, "brake.delay");
}

TEST_P(Policy, RedrivesWhatIsDueAndRetryable) {
  must(broker().alter_queue("dlq", {.dead_letters = {.auto_redrive = AutoRedrive{.every = 10s,
                                                                                 .categories = {"timeout"},
                                                                                 .backoff = 1min,
                                                                                 .backoff_max = 3min,
                                                                                 .max_replays = 10}}}));
  die("a", {.category = "timeout"});
  die("b", {.category = "validation"});
  // The waits after the deaths are 1, 2, 3 and again 3 minutes.
  for (const Duration wait : {1min, 2min, 3min, 3min}) {
    pass(wait - 10s, 10s);
    EXPECT_EQ(counts("orders").ready, 0U);
    pass(20s, 10s);
    const Delivery back = receive_one("orders");
    EXPECT_EQ(back.body, "a");
    must(broker().reject(back.receipt, {.category = "timeout"}));
  }
  EXPECT_EQ(counts("dlq").dead, 2U);
}

TEST_P(Policy, RedrivesAFewAtATime) {
  must(broker().alter_queue(
      "dlq", {.dead_letters = {.auto_redrive = AutoRedrive{.every = 1min, .max = 4, .backoff = 0s}}}));
  for (int i = 0; i < 10; ++i) die(std::to_string(i));
  for (const std::uint64_t ready : {4U, 8U, 10U, 10U}) {
    advance(1min);
    EXPECT_EQ(counts("orders").ready, ready);
  }
  EXPECT_EQ(receive_all("orders").front().body, "0");
}

TEST_P(Policy, ParksWhatKeepsFailing) {
  must(broker().alter_queue(
      "dlq",
      {.dead_letters = {.parking_queue = "parked",
                        .auto_redrive =
                            AutoRedrive{.every = 10s, .backoff = 0s, .max_replays = 2, .give_up_after = 1h}}},
      MissingQueues::kCreate));
  die("poison");
  for (int replay = 0; replay < 2; ++replay) {
    advance(10s);
    reject_one("orders", {.category = "again"});
  }
  reopen();
  advance(10s);
  EXPECT_EQ(counts("orders").ready, 0U);
  EXPECT_EQ(only_dead_letter("parked").record.replays, 2U);
  EXPECT_EQ(only_dead_letter("parked").record.category, "again");

  must(broker().alter_queue("dlq", {.dead_letters = {.auto_redrive = AutoRedrive{}}}));
  die("old");
  advance(2h);
  must(broker().alter_queue(
      "dlq",
      {.dead_letters = {.auto_redrive = AutoRedrive{.every = 10s, .backoff = 0s, .give_up_after = 1h}}}));
  advance(10s);
  EXPECT_EQ(counts("parked").dead, 2U);
  pass(2min, 10s);
  EXPECT_EQ(counts("parked").dead, 2U);
}

TEST_P(Policy, WhatNeverFailedIsTooOldByItsDeath) {
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 1s}}));
  must(broker().alter_queue(
      "dlq",
      {.dead_letters = {.parking_queue = "parked",
                        .auto_redrive =
                            AutoRedrive{.every = 10s, .backoff = 0s, .max_replays = 9, .give_up_after = 1h}}},
      MissingQueues::kCreate));
  send("orders", "late");
  advance(2s);
  ASSERT_EQ(only_dead_letter("dlq").record.first_failed_at, Timestamp{});
  advance(10s);
  EXPECT_EQ(counts("parked").dead, 0U);
  EXPECT_EQ(totals("dlq").redriven, 1U);
  must(broker().alter_queue("dlq", {.dead_letters = {.auto_redrive = AutoRedrive{}}}));
  advance(2h);
  must(broker().alter_queue(
      "dlq",
      {.dead_letters = {.auto_redrive = AutoRedrive{.every = 10s, .backoff = 0s, .give_up_after = 1h}}}));
  advance(10s);
  EXPECT_EQ(counts("parked").dead, 1U);
}

TEST_P(Policy, LeavesWhatPeopleLookIntoOrAbandoned) {
  must(broker().alter_queue("dlq", {.retention = {.abandoned = 24h}}));
  for (const auto status : {DeadLetterStatus::kInvestigating, DeadLetterStatus::kAbandoned}) {
    die("a");
    must(broker().change_dead_letters("dlq", {.filter = {.status = DeadLetterStatus::kNew}},
                                      {.status = status}));
  }
  must(broker().alter_queue("dlq",
                            {.dead_letters = {.auto_redrive = AutoRedrive{.every = 10s, .backoff = 0s}}}));
  pass(1min, 10s);
  EXPECT_EQ(counts("dlq").dead, 2U);
}

TEST_P(Policy, AParkingQueueIsNotDrained) {
  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
  EXPECT_THAT(broker().alter_queue("parked", {.dead_letters = {.auto_redrive = AutoRedrive{.every = 1min}}}),
              FailsNaming(ErrorCode::kInvalidArgument, "auto_redrive"));
  create("drained", {.dead_letters = {.auto_redrive = {.every = 1min}}});
  EXPECT_THAT(
      broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "drained"}}, MissingQueues::kCreate),
      FailsNaming(ErrorCode::kInvalidArgument, "parking_queue"));
}

TEST_P(Policy, AlertsOnDepth) {
  EXPECT_THAT(alerts(), IsEmpty());
  must(broker().alter_queue(
      "dlq", {.alerts = AlertRules{.depth_high = {.above = 2}, .depth_critical = {.above = 3}}}));
  die("0");
  EXPECT_THAT(alerts(), ElementsAre("depth"));
  EXPECT_EQ(info("dlq").alerts.front().severity, AlertSeverity::kWarning);
  for (int i = 0; i < 3; ++i) die("x");
  EXPECT_THAT(alerts(), ElementsAre("depth", "depth_high", "depth_critical"));
  EXPECT_EQ(info("dlq").alerts.back().severity, AlertSeverity::kCritical);
  EXPECT_EQ(info("dlq").alerts.back().value, 4U);
  EXPECT_EQ(info("dlq").alerts.back().threshold, 3U);
  EXPECT_EQ(summary(info("dlq").alerts.back()), "4 dead letters, more than 3");
  reopen();
  EXPECT_THAT(alerts(), ElementsAre("depth", "depth_high", "depth_critical"));
  must(broker().redrive("dlq", {.max = 2}));
  advance(1min);
  EXPECT_THAT(alerts(), ElementsAre("depth"));
  must(broker().redrive("dlq"));
  advance(1min);
  EXPECT_THAT(alerts(), IsEmpty());
  EXPECT_THAT(info("orders").alerts, IsEmpty());
}

TEST_P(Policy, ARuleFiresOnceItHasBeenAboveForLongEnough) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {.above = 0, .fire_after = 5min}}}));
  die("a");
  pass(4min, 1min);
  EXPECT_THAT(alerts(), IsEmpty());
  must(broker().redrive("dlq"));
  reject_one("orders");
  pass(4min, 1min);
  EXPECT_THAT(alerts(), IsEmpty()) << "it was not above in between";
  pass(1min, 1min);
  EXPECT_THAT(alerts(), ElementsAre("depth"));
}

TEST_P(Policy, WhatIsRedrivenWithinMillisecondsDoesNotClear) {
  die("a");
  advance(8ms);
  must(broker().redrive("dlq"));
  EXPECT_THAT(alerts(), ElementsAre("depth"));
  advance(59s);
  EXPECT_THAT(alerts(), ElementsAre("depth"));
  advance(1s);
  EXPECT_THAT(alerts(), IsEmpty());
}

// Dead letters that come and go raise one alert, and not one each.
TEST_P(Policy, ARuleClearsOnceItHasBeenBelowForLongEnough) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {.above = 0, .clear_after = 2min}}}));
  die("a");
  const Timestamp since = info("dlq").alerts.at(0).since;
  for (int i = 0; i < 5; ++i) {
    must(broker().redrive("dlq"));
    advance(90s);
    EXPECT_THAT(alerts(), ElementsAre("depth"));
    EXPECT_EQ(info("dlq").alerts.at(0).value, 0U);
    reject_one("orders");
    EXPECT_EQ(info("dlq").alerts.at(0).since, since) << "it did not clear meanwhile";
  }
  must(broker().redrive("dlq"));
  advance(2min);
  EXPECT_THAT(alerts(), IsEmpty());
}

TEST_P(Policy, ARuleThatWaitsToClearSaysWhenItDoes) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {.above = 0, .clear_after = 2min}}}));
  const auto clears_at = [&] { return info("dlq").alerts.at(0).clears_at; };
  die("a");
  EXPECT_EQ(clears_at(), std::nullopt);
  must(broker().redrive("dlq"));
  const Timestamp below_since = now();
  EXPECT_EQ(clears_at(), below_since + 2min);
  advance(90s);
  EXPECT_EQ(clears_at(), below_since + 2min);
  reject_one("orders");
  EXPECT_EQ(clears_at(), std::nullopt) << "it is above its threshold again";
}

TEST_P(Policy, ARuleClearsAtAThresholdOfItsOwn) {
  must(broker().alter_queue(
      "dlq",
      {.alerts = AlertRules{.depth = {}, .depth_high = {.above = 3, .clear_at = 1, .clear_after = 0s}}}));
  for (int i = 0; i < 4; ++i) die("x");
  EXPECT_THAT(alerts(), ElementsAre("depth_high"));
  must(broker().redrive("dlq", {.max = 2}));
  EXPECT_THAT(alerts(), ElementsAre("depth_high"));
  must(broker().redrive("dlq", {.max = 1}));
  EXPECT_THAT(alerts(), IsEmpty());
}

TEST_P(Policy, ARuleThatIsTurnedOffClearsAtOnce) {
  fire_alerts_that_clear_after_an_hour();
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {}, .oldest = {}}}));
  run_due();
  EXPECT_THAT(alerts(), IsEmpty());
}

// An alert never tells of a threshold that was not crossed.
TEST_P(Policy, ARuleThatIsAlteredAndWouldNotFireClearsAtOnce) {
  fire_alerts_that_clear_after_an_hour();
  must(broker().alter_queue(
      "dlq", {.alerts = AlertRules{
                  .depth = {.above = 0, .severity = AlertSeverity::kCritical, .clear_after = 1h},
                  .oldest = {.above = 1h, .severity = AlertSeverity::kCritical, .clear_after = 1h}}}));
  run_due();
  EXPECT_THAT(alerts(), ElementsAre("depth")) << "one letter is still more than none";
  EXPECT_EQ(info("dlq").alerts.at(0).severity, AlertSeverity::kCritical);
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {.above = 20, .clear_after = 1h}}}));
  run_due();
  EXPECT_THAT(alerts(), IsEmpty());
}

TEST_P(Policy, SeverityIsTheRules) {
  must(broker().alter_queue(
      "dlq", {.alerts = AlertRules{.depth = {.above = 0, .severity = AlertSeverity::kCritical}}}));
  die("a");
  EXPECT_EQ(info("dlq").alerts.at(0).severity, AlertSeverity::kCritical);
}

TEST_P(Policy, APurgeEndsTheAlertsOnDepth) {
  die("a");
  EXPECT_THAT(alerts(), ElementsAre("depth"));
  must(broker().purge_queue("dlq"));
  advance(1min);
  EXPECT_THAT(alerts(), IsEmpty());
}

TEST_P(Policy, AlertsOnAge) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {}}}));
  die("a");
  pass(24h, 1h);
  EXPECT_THAT(alerts(), IsEmpty());
  pass(2h, 1h);
  EXPECT_THAT(alerts(), ElementsAre("oldest"));
  const DeadLetterPage page = must(broker().list_dead_letters("dlq"));
  EXPECT_EQ(info("dlq").alerts.at(0).dead_letter, page.items.at(0).seq);
  EXPECT_EQ(info("dlq").alerts.at(0).threshold, 24U * 60 * 60);
  pass(24h, 1h);
  EXPECT_THAT(alerts(), ElementsAre("oldest", "unassigned"));
  must(broker().change_dead_letters("dlq", {.all = true}, {.assignee = "ann"}));
  pass(2h, 1h);
  EXPECT_THAT(alerts(), ElementsAre("oldest"));
  must(broker().redrive("dlq"));
  pass(2h, 1h);
  EXPECT_THAT(alerts(), IsEmpty());
}

TEST_P(Policy, AlertsOnArrivals) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {}, .depth_high = {}}}));
  for (int minute = 0; minute < 5; ++minute) {
    EXPECT_THAT(alerts(), IsEmpty());
    for (int i = 0; i < 11; ++i) die("x");
    advance(1min);
  }
  pass(2min, 1min);
  EXPECT_THAT(alerts(), IsEmpty()) << "the last minutes had none";
  for (int minute = 0; minute < 5; ++minute) {
    for (int i = 0; i < 11; ++i) die("x");
    advance(1min);
  }
  EXPECT_THAT(alerts(), ElementsAre("arrivals"));
  EXPECT_EQ(info("dlq").alerts.front().value, 11U);
  pass(3min, 1min);
  EXPECT_THAT(alerts(), IsEmpty());
}

// A reprocessor may empty the queue again and again, which hides the flood from the rules about depth.
TEST_P(Policy, AlertsOnArrivalsThatDoNotStay) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {}, .depth_high = {}}}));
  for (int minute = 0; minute < 5; ++minute) {
    EXPECT_THAT(alerts(), IsEmpty()) << minute;
    for (int i = 0; i < 11; ++i) die("x");
    for (const Delivery& delivery : receive_all("dlq")) must(broker().ack(delivery.receipt));
    advance(1min);
  }
  EXPECT_THAT(alerts(), ElementsAre("arrivals"));
}

TEST_P(Policy, ArrivalsAreCountedAcrossARestart) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {}, .depth_high = {}}}));
  for (int minute = 0; minute < 5; ++minute) {
    for (int i = 0; i < 6; ++i) die("x");
    reopen();
    for (int i = 0; i < 5; ++i) die("x");
    EXPECT_THAT(alerts(), IsEmpty());
    advance(1min);
  }
  EXPECT_THAT(alerts(), ElementsAre("arrivals"));
  EXPECT_EQ(info("dlq").alerts.front().value, 11U);
}

TEST_P(Policy, WhatHoldsStaysOverARestart) {
  must(broker().alter_queue("dlq", {.alerts = AlertRules{.depth = {.above = 0, .clear_after = 30min},
                                                         .oldest = {.above = 30s},
                                                         .unassigned = {.above = 50s}}}));
  for (int minute = 0; minute < 5; ++minute) {
    for (int i = 0; i < 11; ++i) die("x");
    advance(1min);
  }
  must(broker().redrive("dlq", {.max = 54}));
  const std::vector<Alert> held = info("dlq").alerts;
  EXPECT_THAT(alerts(), ElementsAre("depth", "oldest", "unassigned", "arrivals"));
  ASSERT_EQ(held.front().value, 1U);
  reopen();
  EXPECT_EQ(info("dlq").alerts, held);
  must(broker().redrive("dlq"));
  EXPECT_THAT(alerts(), ElementsAre("depth", "oldest", "unassigned", "arrivals"));
  reopen();
  EXPECT_EQ(alerts().size(), 4U) << "no rule was below its threshold for long enough";
  pass(2min, 1min);
  EXPECT_THAT(alerts(), ElementsAre("depth"));
  pass(30min, 1min);
  EXPECT_THAT(alerts(), IsEmpty());
}

// If deliveries were slower, even more messages would die undelivered.
TEST_P(Policy, TheBrakeIgnoresWhatDiesUndelivered) {
  must(broker().alter_queue("orders",
                            {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDeadLetterHead},
                             .brake = FloodBrake{.deaths_per_minute = 5, .delay = 20s}}));
  send_numbered("orders", 1);
  for (int i = 0; i < 10; ++i) must(broker().send("orders", {.body = "next"}));
  EXPECT_EQ(counts("dlq").dead, 10U);
  EXPECT_EQ(info("orders").braked_until, Timestamp{});
}

TEST_P(Policy, DeathsOfOtherMinutesDoNotBrake) {
  must(broker().alter_queue("orders", {.brake = FloodBrake{.deaths_per_minute = 5, .delay = 20s}}));
  send_numbered("orders", 10);
  for (int i = 0; i < 10; ++i) {
    reject_one("orders");
    EXPECT_EQ(info("orders").braked_until, Timestamp{});
    advance(20s);
  }
}

TEST_P(Policy, TheBrakeShortensNoDelay) {
  must(broker().alter_queue("orders", {.brake = FloodBrake{.deaths_per_minute = 5, .delay = 20s}}));
  send_numbered("orders", 10);
  for (int i = 0; i < 6; ++i) reject_one("orders");
  EXPECT_GT(info("orders").braked_until, now());
  must(broker().release(receive_one("orders").receipt, {.delay = 1h}));
  pass(40s, 20s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3, .waiting = 1}));
}

TEST_P(Policy, TheBrakeKeepsMessagesFromDying) {
  must(broker().alter_queue(
      "orders", {.retry = {.max_deliveries = 2}, .brake = FloodBrake{.deaths_per_minute = 5, .delay = 20s}}));
  send_numbered("orders", 100);
  const auto fail_all = [&] {
    for (const Delivery& delivery : receive_all("orders")) must(broker().release(delivery.receipt));
  };
  // Each message would fail twice. After six deaths the brake makes the others wait, and they are not
  // charged.
  for (int i = 0; i < 2; ++i) {
    for (const Delivery& delivery : receive("orders", 100)) must(broker().release(delivery.receipt));
  }
  EXPECT_EQ(counts("dlq").dead, 6U);
  EXPECT_EQ(counts("orders").waiting, 94U);
  EXPECT_GT(info("orders").braked_until, now());
  pass(40s, 20s);
  fail_all();
  EXPECT_EQ(counts("dlq").dead, 6U);
  // Now the outage and the brake are over.
  pass(40s, 20s);
  EXPECT_EQ(info("orders").braked_until, Timestamp{});
  const Deliveries back = receive_all("orders");
  ASSERT_EQ(back.size(), 94U);
  for (const Delivery& delivery : back) EXPECT_EQ(delivery.deliveries, 2U);
  EXPECT_THAT(must(broker().ack_batch(receipts(back))), Each(Succeeds()));
}

TEST_P(Policy, TheBrakeEndsAMinuteAfterTheLastDeath) {
  must(broker().alter_queue("orders", {.brake = FloodBrake{.deaths_per_minute = 5, .delay = 20s}}));
  send_numbered("orders", 10);
  for (int i = 0; i < 6; ++i) reject_one("orders");
  advance(55s);
  reject_one("orders");
  EXPECT_EQ(info("orders").braked_until, now() + 1min);
  advance(55s);
  reject_one("orders");
  EXPECT_EQ(info("orders").braked_until, now() + 1min);
  advance(1min);
  EXPECT_EQ(info("orders").braked_until, Timestamp{});
}

TEST_P(Policy, TheBrakeStaysOnOverARestart) {
  must(broker().alter_queue(
      "orders", {.retry = {.max_deliveries = 1}, .brake = FloodBrake{.deaths_per_minute = 5, .delay = 20s}}));
  send_numbered("orders", 10);
  for (int i = 0; i < 6; ++i) reject_one("orders");
  const Timestamp until = info("orders").braked_until;
  advance(10s);
  reopen();
  EXPECT_EQ(info("orders").braked_until, until);
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3, .waiting = 1})) << "a failure is not charged";
  advance(50s);
  EXPECT_EQ(info("orders").braked_until, Timestamp{});
}

TEST_P(Policy, TheBrakeEndsWhenItIsTurnedOff) {
  must(broker().alter_queue("orders", {.brake = FloodBrake{.deaths_per_minute = 5, .delay = 20s}}));
  send_numbered("orders", 10);
  for (int i = 0; i < 6; ++i) reject_one("orders");
  EXPECT_GT(info("orders").braked_until, now());
  must(broker().alter_queue("orders", {.brake = FloodBrake{}}));
  EXPECT_EQ(info("orders").braked_until, Timestamp{});
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 4}));
}

}  // namespace
}  // namespace holdfast::testing
