// Tests runs of a worker that are refused or stopped.
#include <gmock/gmock.h>
#include <kj/debug.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "holdfast/dead_letter_worker.h"
#include "holdfast/worker.h"
#include "schema/convert/messages/receive_conversion.h"
#include "tests/client/fake_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/no_threads.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Makes a server that has one message.
Script with_one_message() {
  return {.receive = [](FakeServer&, ReceiveContext& context, int n) -> kj::Promise<void> {
    convert::write(Result<Deliveries>(Deliveries(n == 1 ? 1 : 0)), context.getResults());
    return kj::READY_NOW;
  }};
}

TEST(WorkerRun, TheSecondAtOnceIsRefused) {
  FakeServer server(with_one_message());
  auto client = connect(server);
  std::optional<Worker> worker;
  std::future<Result<void>> second;
  bool is_over = false;
  worker.emplace(must(Worker::make(client, {.queue = "orders", .handler = [&](const auto&, const auto&) {
                                              second = std::async(std::launch::async,
                                                                  [&] { return worker->run_until_empty(); });
                                              is_over = second.wait_for(1min) == std::future_status::ready;
                                              return Work::done();
                                            }})));
  must(worker->run_until_empty());
  EXPECT_TRUE(is_over) << "it waits for the first";
  EXPECT_THAT(second.get(), FailsNaming(ErrorCode::kInvalidArgument, "running already"));
  EXPECT_EQ(worker->counts().done, 1U);
  EXPECT_THAT(worker->run_until_empty(), Succeeds()) << "once the first is over";
}

// The run is told to stop when the handler is over, messages wait, and the broker is being asked for more.
TEST(WorkerRun, UntilEmptyEndsWhenItIsStoppedWhileItAsksForMore) {
  std::atomic<bool> is_asked_again = false;
  kj::Own<kj::CrossThreadPromiseFulfiller<void>> answer;
  FakeServer server({.receive = [&](FakeServer&, ReceiveContext& context, int n) -> kj::Promise<void> {
    convert::write(Result<Deliveries>(Deliveries(n == 1 ? 3 : 0)), context.getResults());
    if (n != 2) return kj::READY_NOW;
    auto pending = kj::newPromiseAndCrossThreadFulfiller<void>();
    answer = kj::mv(pending.fulfiller);
    is_asked_again = true;
    return kj::mv(pending.promise);
  }});
  auto client = connect(server);
  std::optional<Worker> worker;
  worker.emplace(must(Worker::make(client, {.queue = "orders",
                                            .handler =
                                                [&](const auto&, const auto&) {
                                                  while (!is_asked_again) std::this_thread::yield();
                                                  worker->stop();
                                                  return Work::done();
                                                },
                                            .concurrency = 1,
                                            .prefetch = 5})));
  auto run = std::async(std::launch::async, [&] { return worker->run_until_empty(); });
  while (worker->counts().done == 0 || worker->metrics().running > 0) std::this_thread::yield();
  answer->fulfill();
  const bool is_over = run.wait_for(1min) == std::future_status::ready;
  EXPECT_TRUE(is_over) << "it waits for a handler, and none begins";
  if (!is_over) worker->stop();
  EXPECT_THAT(run.get(), Succeeds());
  EXPECT_EQ(worker->counts().done, 1U);
}

TEST(WorkerRun, AskNothingAfterTheStop) {
  std::atomic<int> asked = 0;
  FakeServer server({.describe = [&](FakeServer&, DescribeContext&, int) -> kj::Promise<void> {
    ++asked;
    return kj::NEVER_DONE;
  }});
  auto client = connect(server);
  auto worker = must(Worker::make(
      client, {.queue = "orders", .handler = [](const auto&, const auto&) { return Work::done(); }}));
  worker.stop();
  EXPECT_THAT(worker.run(), Succeeds());
  EXPECT_THAT(worker.run_until_empty(), Succeeds());
  EXPECT_EQ(asked, 0);
}

// A run begins with its first receive. So that is all that a stop waits for if nothing is being handled.
TEST(WorkerRun, BeginsWithoutADescription) {
  std::promise<void> asked;
  FakeServer server({.describe = kStaySilent,
                     .receive = [&](FakeServer&, ReceiveContext& context, int n) -> kj::Promise<void> {
                       convert::write(Result<Deliveries>(Deliveries()), context.getResults());
                       if (n == 1) asked.set_value();
                       return kj::READY_NOW;
                     }});
  auto client = connect(server, {.call_timeout = 1h});
  auto worker = must(Worker::make(
      client, {.queue = "orders", .handler = [](const auto&, const auto&) { return Work::done(); }}));
  auto run = std::async(std::launch::async, [&] { return worker.run(); });
  EXPECT_EQ(asked.get_future().wait_for(1min), std::future_status::ready);
  worker.stop();
  EXPECT_EQ(run.wait_for(1min), std::future_status::ready);
  client.close();
  EXPECT_THAT(run.get(), Succeeds());
}

// A clock that goes on whenever somebody looks at it.
class RestlessClock final : public Clock {
 public:
  Timestamp now() const override { return Timestamp(steady()); }
  Duration steady() const override { return 1ms * ++looks_; }

 private:
  mutable std::atomic<int> looks_ = 0;
};

// Whichever look at the clock comes when the pause ends, the worker goes on.
TEST(WorkerRun, APauseMayEndBetweenTwoLooks) {
  for (const Duration pause : {20ms, 21ms, 22ms, 23ms, 24ms, 25ms}) {
    FakeServer server({.receive = [](FakeServer&, ReceiveContext& context, int) -> kj::Promise<void> {
      convert::write(Result<Deliveries>(Deliveries(1)), context.getResults());
      return kj::READY_NOW;
    }});
    auto client = connect(server);
    RestlessClock clock;
    std::atomic<int> handled = 0;
    std::optional<Worker> worker;
    worker.emplace(must(Worker::make(client, {.queue = "orders",
                                              .handler =
                                                  [&](const auto&, const auto&) {
                                                    if (++handled % 2 == 1) return Work::unavailable();
                                                    if (handled >= 40) worker->stop();
                                                    return Work::done();
                                                  },
                                              .concurrency = 1,
                                              .breaker_after = 1,
                                              .pause = pause,
                                              .pause_max = pause,
                                              .clock = &clock})));
    auto run = std::async(std::launch::async, [&] { return worker->run(); });
    const bool is_over = run.wait_for(1min) == std::future_status::ready;
    EXPECT_TRUE(is_over) << handled;
    if (!is_over) worker->stop();
    EXPECT_THAT(run.get(), Succeeds());
  }
}

TEST(DeadLetterWorkerRun, AListThatIsRefusedEndsThePass) {
  FakeServer server({.list = [](FakeServer&, ListContext&, int) -> kj::Promise<void> {
    return KJ_EXCEPTION(FAILED, "no list");
  }});
  auto client = connect(server);
  const ManualClock clock;
  std::vector<ErrorCode> failures;
  auto worker = must(DeadLetterWorker::make(
      client, {.queue = "dlq",
               .fallback = [](const DeadLetter&) { return Remedy::redrive(); },
               .every = 1s,
               .backoff = 1min,
               .backoff_max = 3min,
               .on_failure = [&](const DeadLetter*, const Error& error) { failures.push_back(error.code); },
               .clock = &clock}));
  EXPECT_EQ(worker.run_once(), clock.now() + 1min);
  EXPECT_EQ(worker.run_once(), clock.now() + 2min);
  EXPECT_THAT(failures, ::testing::ElementsAre(ErrorCode::kInternal, ErrorCode::kInternal));
}

TEST(WorkerRun, WithoutThreadsItSaysSo) {
  FakeServer server(with_one_message());
  auto client = connect(server);
  auto worker = must(Worker::make(client, {.queue = "orders",
                                           .handler = [](const auto&, const auto&) { return Work::done(); },
                                           .concurrency = 3}));
  for (std::size_t threads = 0; threads < 5; ++threads) {
    const NoThreads more(threads);
    EXPECT_THAT(worker.run_until_empty(), FailsWith(ErrorCode::kUnavailable)) << threads << " threads";
  }
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().done, 1U);
}

}  // namespace
}  // namespace holdfast::testing
