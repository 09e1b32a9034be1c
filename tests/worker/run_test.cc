// Runs of a worker that cannot be.
#include <gmock/gmock.h>

#include <future>

#include "holdfast/worker.h"
#include "schema/convert/messages/receive.h"
#include "tests/client/fake_server.h"
#include "tests/support/no_threads.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A server that has one message.
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
                                              is_over = second.wait_for(10s) == std::future_status::ready;
                                              return Work::done();
                                            }})));
  must(worker->run_until_empty());
  EXPECT_TRUE(is_over) << "it waits for the first";
  EXPECT_THAT(second.get(), FailsNaming(ErrorCode::kInvalidArgument, "running already"));
  EXPECT_EQ(worker->counts().done, 1U);
  EXPECT_THAT(worker->run_until_empty(), Succeeds()) << "once the first is over";
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
