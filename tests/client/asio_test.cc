// These tests are about coroutines and other completion tokens over a client of a real server.
#include "holdfast/asio.h"

#include <gmock/gmock.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>

#include "tests/client/served.h"
#include "tests/support/coroutine.h"

namespace holdfast::testing {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ClientAsio : public ::testing::Test {
 protected:
  ClientAsio() {
    must(served_.engine().create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  }

  QueueCounts counts() { return must(served_.engine().describe_queue("orders")).counts; }

  asio::io_context context_;  // outlives the client, whose thread posts to it
  Served served_{Served::Over::kUnix};
  Client client_ = served_.connect();
};

TEST_F(ClientAsio, ACoroutineConsumes) {
  run_to_end(context_, [&]() -> asio::awaitable<void> {
    const auto token = asio::use_awaitable;
    // The options are variables, since GCC 12 destroys arguments of a co_await wrongly if they are braced in
    // the call.
    const SendOptions send_options;
    const SettleOptions settle_options;
    const ReceiveOptions receive_options{.max = 10};
    const Rejection rejection{.category = "c"};
    std::vector<Message> messages{{.body = "a"}, {.body = "b"}};
    EXPECT_THAT(must(co_await async_send_batch(client_, "orders", std::move(messages), send_options, token)),
                SizeIs(2));
    const auto deliveries = must(co_await async_receive(client_, "orders", receive_options, token));
    EXPECT_EQ(deliveries.size(), 2U);
    EXPECT_THAT(co_await async_ack(client_, deliveries[0].receipt, settle_options, token), Succeeds());
    EXPECT_THAT(co_await async_reject(client_, deliveries[1].receipt, rejection, settle_options, token),
                Succeeds());
    const ListDeadLettersOptions all;
    EXPECT_THAT(must(co_await async_call<&Broker::list_dead_letters>(client_, "dlq", all, token)).items,
                SizeIs(1));
    const RedriveOptions redrive;
    EXPECT_EQ(must(co_await async_redrive(client_, "dlq", redrive, token)).moved, 1U);
    const auto queues = [](auto& broker) { return broker.list_queues(); };
    EXPECT_THAT(must(co_await async_call(client_, queues, token)), SizeIs(2));
  });
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1}));
}

// No thread waits for any of these receives.
TEST_F(ClientAsio, HundredsWaitTogether) {
  constexpr int kWaiting = 500;
  int got = 0;
  for (int i = 0; i < kWaiting; ++i) {
    asio::co_spawn(
        context_,
        [&]() -> asio::awaitable<void> {
          const ReceiveOptions options{.wait = 1h};
          const SettleOptions settle_options;
          const auto deliveries =
              must(co_await async_receive(client_, "orders", options, asio::use_awaitable));
          for (const auto& delivery : deliveries) {
            must(co_await async_ack(client_, delivery.receipt, settle_options, asio::use_awaitable));
            ++got;
          }
        },
        [](std::exception_ptr thrown) { EXPECT_EQ(thrown, nullptr); });
  }
  context_.poll();
  must(served_.engine().send_batch("orders", std::vector<Message>(kWaiting, {.body = "x"})));
  context_.run();
  EXPECT_EQ(got, kWaiting);
  EXPECT_EQ(counts(), QueueCounts{});
}

TEST_F(ClientAsio, AReceiveThatIsCancelledTakesNothing) {
  asio::cancellation_signal signal;
  std::optional<Result<Deliveries>> got;
  async_receive(client_, "orders", {.wait = 1h},
                asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context_, [&](auto received) {
                                               got = std::move(received);
                                             })));
  must(client_.describe_queue("orders"));  // by its answer the server has the receive
  signal.emit(asio::cancellation_type::terminal);
  context_.run();
  EXPECT_THAT(must(*std::move(got)), IsEmpty());
  must(client_.describe_queue("orders"));  // by its answer the server knows that the receive has ended
  must(client_.send("orders", {.body = "x"}));
  EXPECT_THAT(must(client_.receive("orders")), SizeIs(1));
}

TEST_F(ClientAsio, ACancelledCallIsOver) {
  served_.stop();
  asio::cancellation_signal signal;
  std::optional<ErrorCode> code;
  async_call<&Broker::purge_queue>(
      client_, "orders",
      asio::bind_cancellation_slot(
          signal.slot(), asio::bind_executor(context_, [&](auto purged) { code = purged.error().code; })));
  signal.emit(asio::cancellation_type::terminal);
  context_.run();
  EXPECT_THAT(code, ::testing::AnyOf(ErrorCode::kCancelled, ErrorCode::kOutcomeUnknown));
}

TEST_F(ClientAsio, ClosingCompletesWhatIsUnderWay) {
  std::optional<ErrorCode> code;
  async_receive(client_, "orders", {.wait = 1h},
                asio::bind_executor(context_, [&](auto received) { code = received.error().code; }));
  client_.close();
  context_.run();
  EXPECT_THAT(code, ::testing::AnyOf(ErrorCode::kClosed, ErrorCode::kOutcomeUnknown));
}

}  // namespace
}  // namespace holdfast::testing
