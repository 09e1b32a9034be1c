// What a worker does about an extension that fails, with a server that does what the test says.
#include <gmock/gmock.h>

#include <future>

#include "holdfast/worker.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "tests/client/fake_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLease = 10s;

// Returns whether a worker tries again to extend the lease of what it holds. The first try comes at half the
// lease, is under way for `took` and is refused. `later` is how much time passes after that.
bool is_tried_again(Duration took, Duration later) {
  ManualClock clock;
  std::promise<void> refused;
  std::promise<void> tried_again;
  auto first = refused.get_future();
  auto second = tried_again.get_future();
  FakeServer server({.receive = [](FakeServer&, ReceiveContext& context, int n) -> kj::Promise<void> {
                       convert::write(Result<Deliveries>(Deliveries(n == 1 ? 1 : 0)), context.getResults());
                       return kj::READY_NOW;
                     },
                     .extend = [&](FakeServer&, ExtendContext& context, int n) -> kj::Promise<void> {
                       if (n == 1) {
                         clock.advance(took);
                         const BatchResult<void> busy = fail(ErrorCode::kOverloaded, "busy");
                         convert::write(busy, context.getResults());
                         refused.set_value();
                       }
                       if (n == 2) tried_again.set_value();
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  bool came = false;
  auto worker = must(Worker::make(client, {.queue = "orders",
                                           .handler =
                                               [&](const Delivery&, const WorkContext&) {
                                                 clock.advance(kLease / 2);
                                                 first.wait();
                                                 clock.advance(later);
                                                 came = second.wait_for(1min) == std::future_status::ready;
                                                 return Work::done();
                                               },
                                           .lease = kLease,
                                           .clock = &clock}));
  must(worker.run_until_empty());
  return came;
}

TEST(WorkerExtension, IsTriedAgainWellBeforeTheLeaseIsOver) { EXPECT_TRUE(is_tried_again(0s, kLease / 10)); }

TEST(WorkerExtension, IsTriedAgainAtOnceWhenItTookLong) { EXPECT_TRUE(is_tried_again(kLease / 5, 0s)); }

}  // namespace
}  // namespace holdfast::testing
