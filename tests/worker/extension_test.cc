// These tests check what a worker does about an extension that fails, with a server that does what the test
// says.
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

struct Seen {
  bool tried_again = false;
  bool lost = false;
};

// Returns what is seen of a lease that a worker cannot extend. The first try comes at half the lease, is
// under way for `took` and is refused. `later` is how much time passes after that. A second try is refused
// too.
Seen extend_in_vain(Duration took, Duration later) {
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
                       if (n > 2) return kj::READY_NOW;
                       if (n == 1) clock.advance(took);
                       const BatchResult<void> busy = fail(ErrorCode::kOverloaded, "busy");
                       convert::write(busy, context.getResults());
                       (n == 1 ? refused : tried_again).set_value();
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  Seen seen;
  auto worker = must(Worker::make(client, {.queue = "orders",
                                           .handler =
                                               [&](const Delivery&, const WorkContext& context) {
                                                 clock.advance(kLease / 2);
                                                 first.wait();
                                                 clock.advance(later);
                                                 seen.tried_again =
                                                     second.wait_for(1min) == std::future_status::ready;
                                                 seen.lost = context.lost();
                                                 return Work::done();
                                               },
                                           .lease = kLease,
                                           .clock = &clock}));
  must(worker.run_until_empty());
  return seen;
}

TEST(WorkerExtension, IsTriedAgainWellBeforeTheLeaseIsOver) {
  const Seen seen = extend_in_vain(0s, kLease / 10);
  EXPECT_TRUE(seen.tried_again);
  EXPECT_FALSE(seen.lost);
}

TEST(WorkerExtension, IsTriedAgainAtOnceWhenItTookLong) {
  EXPECT_TRUE(extend_in_vain(kLease / 5, 0s).tried_again);
}

// Another consumer may have the message.
TEST(WorkerExtension, ThatFailsUntilTheLeaseMayBeOverLosesIt) {
  EXPECT_TRUE(extend_in_vain(0s, kLease / 2).lost);
}

}  // namespace
}  // namespace holdfast::testing
