// The worker while a dependency of its handler is unavailable.
#include <atomic>
#include <stdexcept>

#include "tests/conformance/dead_letters/worker_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

WorkerOptions without_a_warehouse() {
  return {.handler = [](const Delivery&, const WorkContext&) { return Work::unavailable("warehouse"); },
          .pause = 10min,
          .pause_max = 10min,
          .max_unavailable = 10min,
          .on_failed_delivery = [](const FailedDelivery&) {}};
}

TEST_P(WorkerTest, PausesWhileADependencyIsDownAndChargesNothing) {
  send_numbered("orders", 6);
  std::atomic<bool> down = true;
  std::atomic<int> asked = 0;
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext&) {
                                      ++asked;
                                      EXPECT_EQ(delivery.deliveries, 1U) << "it was charged before";
                                      return down ? Work::unavailable() : Work::done();
                                    },
                                .prefetch = 10,
                                .breaker_after = 2,
                                .pause = 1s,
                                .pause_max = 3s});
  {
    const Running running(*this, worker);
    wait_for([&] { return worker.counts().returned >= 4 && worker.counts().unavailable == 2; });
    EXPECT_EQ(worker.counts().paused, 1U);
    EXPECT_EQ(asked, 2);
    advance(1s);
    wait_for([&] { return worker.counts().unavailable == 3; });
    EXPECT_EQ(worker.counts().paused, 2U);
    EXPECT_EQ(asked, 3) << "one alone is tried";
    down = false;
    advance(2s);
    wait_for([&] { return worker.counts().done == 6; });
  }
  EXPECT_EQ(worker.counts().paused, 2U);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_THAT(failures(), IsEmpty());
}

TEST_P(WorkerTest, APauseIsOverInTimeThoughTheWallClockIsSet) {
  for (const Duration step : {-1h, 1h}) {
    send("orders", "x");
    std::atomic<int> asked = 0;
    Worker worker = this->worker(
        {.handler = [&](const Delivery&,
                        const WorkContext&) { return ++asked == 1 ? Work::unavailable() : Work::done(); },
         .breaker_after = 1,
         .pause = 2s,
         .pause_max = 2s});
    const Running running(*this, worker);
    wait_for([&] { return worker.counts().unavailable == 1; });
    clock().step(step);
    advance(1s);
    EXPECT_EQ(asked, 1);
    advance(1100ms);
    wait_for([&] { return worker.counts().done == 1; });
  }
}

TEST_P(WorkerTest, WhatIsUnavailableForTooLongFails) {
  send("orders", "x");
  Worker worker =
      this->worker({.handler = [](const Delivery&, const WorkContext&) -> Work {
                      throw std::runtime_error("connection refused");
                    },
                    .classify = ExceptionRules().on<std::exception>(Work::unavailable("warehouse")),
                    .pause = 10min,
                    .pause_max = 10min,
                    .max_unavailable = 30min,
                    .on_failed_delivery = [](const FailedDelivery&) {}});
  for (int i = 0; i < 3; ++i) {
    must(worker.run_until_empty());
    EXPECT_EQ(counts("orders").waiting, 1U);
    advance(10min);
  }
  must(worker.run_until_empty());
  // Once the message has been unavailable for too long, each of its deliveries fails.
  EXPECT_EQ(counts("orders").ready + counts("orders").waiting, 0U);
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.deliveries, 3U);
  EXPECT_EQ(record.category, "unavailable");
  EXPECT_EQ(record.reason, "warehouse has been unavailable for 30m: connection refused");
  EXPECT_EQ(worker.metrics().outlived, 3U);
  EXPECT_EQ(worker.counts().unavailable, 3U);
}

// What was down when a message died may be there again when the message is redriven.
TEST_P(WorkerTest, AnOutageIsForgottenWithTheDeathThatItCaused) {
  send("orders", "x");
  Worker worker = this->worker(without_a_warehouse());
  must(worker.run_until_empty());
  advance(10min);
  must(worker.run_until_empty());
  ASSERT_EQ(only_dead_letter("dlq").record.reason, "warehouse has been unavailable for 10m");
  advance(24h);
  must(broker().redrive("dlq"));
  const std::uint64_t outlived = worker.metrics().outlived;
  must(worker.run_until_empty());
  EXPECT_EQ(counts("orders").waiting, 1U);
  EXPECT_EQ(worker.metrics().outlived, outlived);
}

TEST_P(WorkerTest, AnOutageIsOverWhenTheHandlerSaysSomethingElse) {
  send("orders", "x");
  std::vector<Work> says = {Work::unavailable("warehouse"), Work::release(2h),
                            Work::unavailable("warehouse")};
  std::size_t asked = 0;
  Worker worker =
      this->worker({.handler = [&](const Delivery&, const WorkContext&) { return says.at(asked++); },
                    .concurrency = 1,
                    .pause = 10min,
                    .pause_max = 10min,
                    .max_unavailable = 1h});
  for (int i = 0; i < 3; ++i) {
    must(worker.run_until_empty());
    advance(2h);
  }
  EXPECT_EQ(asked, 3U);
  EXPECT_EQ(worker.metrics().outlived, 0U);
}

// The message does not wait for the breaker's pause, which is for deliveries that are not charged.
TEST_P(WorkerTest, WhatIsUnavailableForTooLongWaitsByTheQueuesPolicy) {
  must(broker().alter_queue("orders",
                            {.retry = {.policy = RetryPolicy{.kind = RetryKind::kFixed, .base = 5s}}}));
  send("orders", "x");
  Worker worker = this->worker(without_a_warehouse());
  must(worker.run_until_empty());
  advance(10min);
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().retried, 1U);
  EXPECT_EQ(counts("orders").waiting, 1U);
  advance(5s - 1ms);
  EXPECT_EQ(counts("orders").waiting, 1U);
  advance(1ms);
  EXPECT_EQ(counts("orders").ready, 1U);
}

TEST_P(WorkerTest, ADependencyThatIsDownHoldsUpOnlyWhatNeedsIt) {
  for (int i = 0; i < 5; ++i) send("orders", "needs it");
  for (int i = 0; i < 5; ++i) send("orders", "does not");
  std::atomic<bool> down = true;
  std::atomic<int> used = 0;
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext& context) {
                                      if (delivery.body == "does not") return Work::done();
                                      if (!context.available("warehouse"))
                                        return Work::unavailable("warehouse");
                                      ++used;
                                      return down ? Work::unavailable("warehouse") : Work::done();
                                    },
                                .breaker_after = 2,
                                .pause = 1min,
                                .pause_max = 10min});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().done, 5U);
  EXPECT_EQ(used, 2) << "its breaker is open then";
  EXPECT_THAT(worker.metrics().paused_dependencies, ElementsAre("warehouse"));
  EXPECT_FALSE(worker.metrics().paused);
  EXPECT_EQ(counts("orders").waiting, 5U);
  advance(1min);
  must(worker.run_until_empty());
  EXPECT_EQ(used, 3) << "one tries";
  down = false;
  advance(2min);
  must(worker.run_until_empty());
  advance(2min);
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().done, 10U);
  EXPECT_THAT(worker.metrics().paused_dependencies, IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
