// The worker extends its leases, and knows when one is over.
#include <atomic>
#include <thread>

#include "tests/conformance/dead_letters/worker_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_P(WorkerTest, ALeaseIsExtendedWhileItsHandlerRuns) {
  send("orders", "slow");
  Worker worker = this->worker({.handler = [&](const Delivery& delivery, const WorkContext& context) {
    for (int i = 0; i < 4; ++i) {
      const Timestamp before = now();
      advance(6s);
      // Another step without an extension would end the lease. So this waits until the worker has seen that
      // time went on.
      wait_for([&] {
        const PeekPage page = must(broker().peek("orders", {.id = delivery.id}));
        return page.items.at(0).due > before + 10s;
      });
    }
    EXPECT_FALSE(context.lost());
    return Work::done();
  }});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts(), WorkerCounts{.done = 1});
}

TEST_P(WorkerTest, ALeaseIsExtendedInTimeThoughTheWallClockIsSet) {
  for (const Duration step : std::vector<Duration>{-1h, -60s, 30s, 24h}) {
    send("orders", "slow");
    Worker worker = this->worker({.handler = [&](const Delivery& delivery, const WorkContext& context) {
      EXPECT_EQ(delivery.deliveries, 1U);
      for (int i = 0; i < 4; ++i) {
        const auto due = [&] {
          return must(broker().peek("orders", {.id = delivery.id})).items.at(0).due.value_or(Timestamp{});
        };
        const Timestamp before = due();
        if (i == 1) clock().step(step);
        advance(6s);
        wait_for([&] { return due() > before; });
      }
      EXPECT_FALSE(context.lost());
      return Work::done();
    }});
    must(worker.run_until_empty());
    EXPECT_EQ(worker.counts(), WorkerCounts{.done = 1});
  }
  EXPECT_THAT(failures(), IsEmpty());
}

TEST_P(WorkerTest, AHandlerCanKnowThatItsLeaseIsOver) {
  send("orders", "slow");
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext& context) {
                                      // If an extension comes before the engine has ended the lease, it
                                      // renews the lease. Then another step of time is needed.
                                      while (delivery.deliveries == 1 && !context.lost()) {
                                        advance(10s);
                                        std::this_thread::yield();
                                      }
                                      EXPECT_EQ(context.lost(), delivery.deliveries == 1);
                                      return Work::done();
                                    },
                                .prefetch = 0});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts(), (WorkerCounts{.done = 1, .failed = 1})) << "it came again";
  EXPECT_THAT(failures(), ElementsAre(ErrorCode::kReceiptStale));
}

TEST_P(WorkerTest, ADeliveryWhoseLeaseIsOverIsNotHandled) {
  send_numbered("orders", 2);
  std::atomic<int> asked = 0;
  Worker worker = this->worker({.handler = [&](const Delivery&, const WorkContext&) {
    if (++asked == 1) must(broker().purge_queue("orders"));
    return Work::done();
  }});
  must(worker.run_until_empty());
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(worker.counts(), WorkerCounts{.failed = 2});
  EXPECT_THAT(failures(), SizeIs(2));
}

}  // namespace
}  // namespace holdfast::testing
