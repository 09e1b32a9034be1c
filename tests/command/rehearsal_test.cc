// Rehearsal shows the trade-offs that a retry policy makes.
#include "tools/cli/rehearsal/rehearsal.h"

#include <gtest/gtest.h>

#include "tests/command/command_fixture.h"

namespace holdfast::rehearsal {
namespace {

using namespace std::chrono_literals;

Verdict play(std::uint32_t max_deliveries, const Workload& workload, QueueOptions options = {}) {
  options.retry.max_deliveries = max_deliveries;
  auto verdict = rehearse(options, workload);
  EXPECT_TRUE(verdict) << to_string(verdict.error());
  return verdict ? *verdict : Verdict{};
}

TEST(Rehearsal, OneDeliveryLosesTheHealthyMessagesOfABlip) {
  const Workload workload{.length = 5s, .poison_share = 0, .blips = {{.at = 2s, .length = 200ms}}};
  const Verdict verdict = play(1, workload);
  EXPECT_EQ(verdict.sent, 5000U);
  EXPECT_NEAR(static_cast<double>(verdict.healthy_quarantined), 200, 5);
  EXPECT_EQ(verdict.acked, verdict.sent - verdict.healthy_quarantined);
}

TEST(Rehearsal, AHundredDeliveriesDeliverAPoisonMessage99TimesTooOften) {
  const Workload workload{.length = 5s, .poison_share = 0.002};
  const Verdict verdict = play(100, workload);
  ASSERT_GT(verdict.poison, 0U);
  EXPECT_EQ(verdict.most_wasted_on_one, 99U);
  EXPECT_EQ(verdict.wasted_on_poison, 99 * verdict.poison);
  EXPECT_EQ(verdict.poison_quarantined, verdict.poison);
  EXPECT_EQ(verdict.healthy_quarantined, 0U);
}

TEST(Rehearsal, ACrashingConsumerWaitsForTheLease) {
  const Workload workload{
      .rate = 100, .length = 2s, .poison_share = 0.05, .failure = Failure::kCrash, .seed = 3};
  const Verdict verdict = play(3, workload, {.lease = 10s});
  ASSERT_GT(verdict.poison, 0U);
  EXPECT_EQ(verdict.poison_quarantined, verdict.poison);
  EXPECT_GE(verdict.time_to_quarantine.max, 20s);
}

TEST(Rehearsal, BackoffOutlastsABlipThatImmediateRetriesDoNot) {
  const Workload workload{.rate = 200, .length = 4s, .poison_share = 0, .blips = {{.at = 1s, .length = 1s}}};
  EXPECT_GT(play(5, workload).healthy_quarantined, 100U);
  const QueueOptions backoff{
      .retry = {.policy = {.kind = RetryKind::kExponential, .base = 200ms, .cap = 10s}}};
  const Verdict verdict = play(5, workload, backoff);
  EXPECT_EQ(verdict.healthy_quarantined, 0U);
  EXPECT_EQ(verdict.acked, verdict.sent);
  EXPECT_GE(verdict.time_to_ack.max, 200ms);
}

TEST(Rehearsal, RetryBudgetEndsWhatStagesWouldGoOnWith) {
  const Workload workload{.rate = 100, .length = 2s, .poison_share = 0.05};
  const QueueOptions stages{
      .retry = {.policy = {.kind = RetryKind::kStages, .stages = {1s, 5s}}, .budget = 20s}};
  const Verdict verdict = play(100, workload, stages);
  ASSERT_GT(verdict.poison, 0U);
  EXPECT_EQ(verdict.poison_quarantined, verdict.poison);
  EXPECT_LE(verdict.most_wasted_on_one, 6U);
  EXPECT_LE(verdict.time_to_quarantine.max, 30s);
}

TEST(Rehearsal, EveryMessageEndsSomewhere) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Workload workload{.length = 2s,
                            .poison_share = 0.01,
                            .failure_share = 0.2,
                            .blips = {{.at = 500ms, .length = 50ms}},
                            .seed = seed};
    const Verdict verdict = play(4, workload);
    EXPECT_EQ(verdict.unfinished, 0U) << "seed " << seed;
    EXPECT_EQ(verdict.acked + verdict.healthy_quarantined + verdict.poison_quarantined, verdict.sent)
        << "seed " << seed;
  }
}

TEST(Rehearsal, ASeedRepeats) {
  const Workload workload{.length = 1s, .poison_share = 0.01, .failure_share = 0.3};
  const Verdict first = play(5, workload);
  const Verdict second = play(5, workload);
  EXPECT_EQ(first.deliveries, second.deliveries);
  EXPECT_EQ(first.time_to_ack.max, second.time_to_ack.max);
}

TEST(Rehearsal, RefusesWhatMakesNoSense) {
  EXPECT_EQ(rehearse({}, {.rate = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rehearse({}, {.poison_share = 1.5}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rehearse({}, {.consumers = 0}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rehearse({.lease = 1ms}, {.service_time = 1ms}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rehearse({}, {.rate = 1e9, .length = 1h}).error().code, ErrorCode::kLimitExceeded);
}

TEST(SimulateCommand, PrintsARowForEachMaxDeliveries) {
  const auto outcome = command::run_command(
      {"simulate", "--for", "1s", "--max-deliveries", "1,2", "--blip", "50ms@500ms", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto rows = outcome.objects();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("max_deliveries"), 1);
  EXPECT_EQ(rows[1].at("sent"), 1000);
}

TEST(SimulateCommand, ABlipIsWithinTheRun) {
  const auto refused = [](const std::string& blip, const std::string& why) {
    const auto outcome = command::run_command({"simulate", "--for", "2s", "--rate", "10", "--blip", blip});
    EXPECT_EQ(outcome.status, 2) << blip;
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(why));
  };
  refused("100ms@2s", "the blip of 100ms at 2s is outside of the run of 2s");
  refused("3s@1s", "the blip of 3s at 1s is longer than the run of 2s");
  refused("0s@1s", "the blip of 0s at 1s has no length");
  EXPECT_EQ(command::run_command({"simulate", "--for", "2s", "--rate", "10", "--blip", "2s@1999ms"}).status,
            0);
}

TEST(SimulateCommand, ABlipThatDoesNotParseIsWrongUsage) {
  const auto outcome = command::run_command({"simulate", "--blip", "200ms"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("LENGTH@START"));
}

}  // namespace
}  // namespace holdfast::rehearsal
