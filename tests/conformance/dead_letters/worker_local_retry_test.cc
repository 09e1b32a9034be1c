// A handler of the worker repeats a call by itself.
#include <atomic>
#include <stdexcept>

#include "tests/conformance/dead_letters/worker_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST_P(WorkerTest, AHandlerTriesACallAgainByItself) {
  send("orders", "x");
  std::atomic<int> called = 0;
  const auto handler = [&](const Delivery&, const WorkContext& context) {
    const LocalRetry policy{.attempts = 4, .first = 100ms, .max = 200ms, .jitter = 0};
    const Timestamp began = now();
    const int answer = context.retry(policy, [&] {
      if (++called < 4) throw std::runtime_error("hiccup");
      return 42;
    });
    EXPECT_EQ(answer, 42);
    EXPECT_GE(now() - began, 500ms);
    return Work::done();
  };
  Worker worker = this->worker({.handler = handler});
  {
    const Running running(*this, worker);
    // The test cannot see when the handler looks at the clock.
    let_time_pass_until([&] { return worker.counts().done == 1; });
  }
  EXPECT_EQ(worker.metrics().local_retries, 3U);
}

TEST_P(WorkerTest, ALocalRetryEndsWithItsPolicy) {
  const auto attempts = [&](LocalRetry policy) {
    send("orders", "x");
    int called = 0;
    Worker worker = this->worker({.handler =
                                      [&](const Delivery&, const WorkContext& context) {
                                        context.retry(policy, [&] {
                                          ++called;
                                          throw std::runtime_error("down");
                                        });
                                        return Work::done();
                                      },
                                  .classify = ExceptionRules().on<std::exception>(Work::reject({})),
                                  .on_failed_delivery = [](const FailedDelivery&) {}});
    must(worker.run_until_empty());
    EXPECT_EQ(worker.counts().rejected, 1U);
    return called;
  };
  EXPECT_EQ(attempts({.attempts = 3, .first = 0s}), 3);
  EXPECT_EQ(attempts({.attempts = 1}), 1);
  EXPECT_EQ(attempts({.attempts = 9, .first = 11s, .max = 11s, .jitter = 0}), 1) << "past the lease";
  EXPECT_EQ(attempts({.attempts = 9, .first = 1s, .jitter = 0, .within = 500ms}), 1) << "past its own limit";
  EXPECT_EQ(attempts({.attempts = 3, .first = 0s, .within = Duration::max()}), 3) << "without such a limit";
  EXPECT_EQ(attempts({.attempts = 9, .first = 0s, .retryable = [](const auto&) { return false; }}), 1);
}

TEST_P(WorkerTest, AStopEndsTheWaitOfALocalRetry) {
  send("orders", "x");
  std::atomic<int> called = 0;
  const auto handler = [&](const Delivery&, const WorkContext& context) {
    context.retry({.attempts = 9, .first = 5s, .jitter = 0}, [&] {
      ++called;
      throw std::runtime_error("down");
    });
    return Work::done();
  };
  Worker worker = this->worker({.handler = handler, .on_failed_delivery = [](const FailedDelivery&) {}});
  {
    const Running running(*this, worker);
    wait_for([&] { return called == 1; });
  }
  EXPECT_EQ(called, 1);
  EXPECT_THAT(failures(), ::testing::IsEmpty());
  WorkerCounts counts = worker.counts();
  counts.returned = 0;  // the worker may have fetched it again meanwhile
  EXPECT_EQ(counts, WorkerCounts{.retried = 1});
}

}  // namespace
}  // namespace holdfast::testing
