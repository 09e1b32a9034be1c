// A sender's server goes away with an answer, and comes back when it has forgotten the request id.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <utility>

#include "holdfast/buffered_sender.h"
#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "schema/convert/messages/send_conversion.h"
#include "tests/client/fake_server.h"
#include "tests/conformance/by_callback.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// An engine behind a server that breaks the connection instead of answering the first send. While it is away,
// the server hangs up on every client that says hello.
class AwayServer {
 public:
  explicit AwayServer(const Clock& clock)
      : engine_(must(Engine::open(directory_ / "data", {.clock = &clock, .background = false}))) {
    must(engine_.create_queue("orders"));
  }

  bool is_away() const { return away_; }
  void come_back() { away_ = false; }
  FakeServer& server() { return server_; }
  std::uint64_t messages() { return must(engine_.describe_queue("orders")).counts.ready; }

 private:
  kj::Promise<void> hello(FakeServer& server) {
    if (away_) return server.break_connections();
    return kj::READY_NOW;
  }

  kj::Promise<void> send(FakeServer& server, SendContext& context, int n) {
    auto call = must(convert::read(context.getParams()));
    const auto sent = engine_.send_batch(call.queue, std::move(call.messages), call.options);
    if (n == 1) {
      away_ = true;
      return server.break_connections();
    }
    convert::write(sent, context.getResults());
    return kj::READY_NOW;
  }

  TempDir directory_;
  Engine engine_;
  std::atomic<bool> away_ = false;
  FakeServer server_{{.hello = [this](FakeServer& s, HelloContext&, int) { return hello(s); },
                      .send = [this](FakeServer& s, SendContext& c, int n) { return send(s, c, n); }}};
};

// `wrap(client)` returns the broker that the sender is given.
template <class Wrap>
void expect_one_batch(Wrap wrap) {
  ManualClock clock;
  AwayServer away(clock);
  auto client = connect(away.server(), {.call_timeout = 15min, .clock = &clock});
  auto&& broker = wrap(client);
  auto sender = must(BufferedSender::make(
      broker, {.queue = "orders", .linger = 0ms, .give_up_after = 2min, .clock = &clock}));
  auto sent = sender.send({.body = "42 widgets"});
  while (!away.is_away()) std::this_thread::yield();  // the first try needs no time
  // Time goes on slowly at first, so that the sender comes to its second try.
  for (Duration passed{}; passed < 12min;) {
    const Duration step = passed < 1s ? 10ms : 1s;
    sent.wait_for(1ms);
    clock.advance(step);
    passed += step;
  }
  away.come_back();
  must(client.describe_queue("orders"));  // leaves the client after the calls that wait for a connection
  EXPECT_EQ(away.messages(), 1);
  EXPECT_THAT(sent.get(), FailsWith(ErrorCode::kOutcomeUnknown));
}

TEST(RequestWindow, ABatchIsNotSentTwiceThoughItsCallsMayWaitForLonger) {
  expect_one_batch([](Client& client) -> Broker& { return client; });
}

TEST(RequestWindow, NorByASenderWhoseBrokerWrapsAClient) {
  expect_one_batch([](Client& client) { return ByCallback(client); });
}

}  // namespace
}  // namespace holdfast::testing
