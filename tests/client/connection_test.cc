// A client connects, loses its server and finds it again, and is closed.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>
#include <latch>
#include <optional>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "tests/client/fake_server.h"
#include "tests/support/no_threads.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

ClientOptions impatient() { return {.reconnect_delay = Duration(100), .reconnect_delay_max = 1ms}; }

TEST(ClientConnection, ABadAddressOrOptionIsNamed) {
  EXPECT_THAT(Client::connect("127.0.0.1:99999"), FailsNaming(ErrorCode::kInvalidArgument, "port"));
  EXPECT_THAT(Client::connect("127.0.0.1:1", {.call_timeout = 0s}),
              FailsNaming(ErrorCode::kInvalidArgument, "call_timeout"));
  EXPECT_THAT(Client::connect("127.0.0.1:1", {.reconnect_delay = -1s}),
              FailsNaming(ErrorCode::kInvalidArgument, "reconnect_delay"));
}

TEST(ClientConnection, NobodyThereIsUnavailable) {
  std::optional<FakeServer> server(std::in_place, Script{});
  const auto address = server->address();
  server.reset();
  EXPECT_THAT(Client::connect(address), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(Client::connect("unix:/nonexistent/socket"), FailsWith(ErrorCode::kUnavailable));
}

// The client starts two threads: its own, and the one with which Asio looks names up.
TEST(ClientConnection, WithoutThreadsItSaysSo) {
  FakeServer server(Script{});
  for (std::size_t threads = 0; threads < 2; ++threads) {
    const NoThreads more(threads);
    EXPECT_THAT(Client::connect(server.address()), FailsWith(ErrorCode::kUnavailable))
        << threads << " threads";
  }
  must(Client::connect(server.address()));
}

TEST(ClientConnection, WithoutDescriptorsItSaysSo) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int first = ::dup(STDERR_FILENO);
  ASSERT_EQ(::close(first), 0);
  bool told = false;
  for (rlim_t more = 0; more < 12; ++more) {
    const rlimit few{static_cast<rlim_t>(first) + more, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    const auto client = Client::connect("127.0.0.1:1");
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_THAT(client, FailsWith(ErrorCode::kUnavailable));
    EXPECT_THAT(to_string(client.error()), Not(HasSubstr("canceled"))) << more << " descriptors";
    told |= to_string(client.error()).find("127.0.0.1:1: Too many open files") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

TEST(ClientConnection, AServerThatNeverAnswersHelloIsUnavailable) {
  FakeServer server({.hello = kStaySilent});
  EXPECT_THAT(Client::connect(server.address(), {.connect_timeout = 20ms}),
              FailsWith(ErrorCode::kUnavailable));
}

TEST(ClientConnection, WhatTheServerSaysAgainstHelloIsPassedOn) {
  FakeServer server({.hello = [](FakeServer&, HelloContext& context, int) -> kj::Promise<void> {
    context.getResults().initError().setCode(static_cast<std::uint16_t>(ErrorCode::kPermissionDenied));
    return kj::READY_NOW;
  }});
  EXPECT_THAT(Client::connect(server.address()), FailsWith(ErrorCode::kPermissionDenied));
}

class ClientReconnect : public ::testing::TestWithParam<bool> {
 protected:
  std::string any_address() const {
    return GetParam() ? "unix:" + (directory_ / "socket").string() : "127.0.0.1:0";
  }
  TempDir directory_;
};

INSTANTIATE_TEST_SUITE_P(Transports, ClientReconnect, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Unix" : "Tcp"; });

TEST_P(ClientReconnect, FindsTheServerAgain) {
  std::optional<FakeServer> server(std::in_place, Script{}, any_address());
  const auto address = server->address();
  auto client = must(Client::connect(address, impatient()));
  EXPECT_THAT(client.describe_queue("orders"), Succeeds());
  for (int round = 0; round < 3; ++round) {
    server.reset();
    // A call waits while there is no server.
    auto waiting = std::async(std::launch::async, [&] { return client.describe_queue("orders"); });
    server.emplace(Script{}, address);
    EXPECT_THAT(waiting.get(), Succeeds());
    EXPECT_THAT(client.ack(kAnyReceipt), Succeeds());
  }
}

TEST_P(ClientReconnect, SaysUnavailableWhileThereIsNoServer) {
  std::optional<FakeServer> server(std::in_place, Script{}, any_address());
  auto options = impatient();
  options.call_timeout = 20ms;
  auto client = must(Client::connect(server->address(), options));
  const auto address = server->address();
  server.reset();
  EXPECT_THAT(client.describe_queue("orders"), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(client.send("orders", {.body = "x"}), FailsNaming(ErrorCode::kUnavailable, address));
}

TEST(ClientClose, EndsCallsInFlightAndRefusesNewOnes) {
  std::latch arrived(2);
  const auto never = [&](FakeServer&, auto&, int) -> kj::Promise<void> {
    arrived.count_down();
    return kj::NEVER_DONE;
  };
  FakeServer server({.describe = never, .send = never});
  auto client = must(Client::connect(server.address()));
  auto describe = std::async(std::launch::async, [&] { return client.describe_queue("orders"); });
  auto send = std::async(std::launch::async, [&] { return client.send("orders", {.body = "x"}); });
  arrived.wait();
  client.close();
  EXPECT_THAT(describe.get(), FailsWith(ErrorCode::kClosed));
  EXPECT_THAT(send.get(), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(client.send("orders", {.body = "x"}), FailsWith(ErrorCode::kClosed));
  client.close();
}

TEST(ClientClose, EndsCallsThatWaitForAConnection) {
  std::optional<FakeServer> server(std::in_place, Script{});
  auto client = must(Client::connect(server->address(), impatient()));
  server.reset();
  std::vector<std::future<Result<QueueInfo>>> calls;
  for (int i = 0; i < 4; ++i) {
    calls.push_back(std::async(std::launch::async, [&] { return client.describe_queue("orders"); }));
  }
  client.close();
  for (auto& call : calls) EXPECT_THAT(call.get(), FailsWith(ErrorCode::kClosed));
}

TEST(ClientClose, BodiesOutliveTheClient) {
  const std::string body(100'000, 'b');
  FakeServer server({.receive = [&](FakeServer&, ReceiveContext& context, int) -> kj::Promise<void> {
    auto deliveries = context.getResults().initDeliveries(2);
    for (auto delivery : deliveries) delivery.setBody(convert::as_data(body));
    return kj::READY_NOW;
  }});
  std::optional<Client> client(must(Client::connect(server.address())));
  auto deliveries = must(client->receive("orders"));
  client.reset();
  ASSERT_EQ(deliveries.size(), 2U);
  std::thread([first = std::move(deliveries[0]), &body] { EXPECT_EQ(first.body, body); }).join();
  EXPECT_EQ(deliveries[1].body, body);
}

TEST(ClientClose, AMovedClientWorks) {
  FakeServer server(Script{});
  auto first = must(Client::connect(server.address()));
  auto second = std::move(first);
  EXPECT_THAT(second.describe_queue("orders"), Succeeds());
  first = must(Client::connect(server.address()));
  first = std::move(second);
  EXPECT_THAT(first.describe_queue("orders"), Succeeds());
}

TEST(ClientThreads, ShareAConnectionAndGetTheirOwnAnswers) {
  constexpr int kCallers = 8;
  constexpr int kCalls = 100;
  FakeServer server({.describe = [](FakeServer&, DescribeContext& context, int) -> kj::Promise<void> {
    context.getResults().getQueue().setName(context.getParams().getName());
    return kj::READY_NOW;
  }});
  auto client = must(Client::connect(server.address()));
  std::vector<std::thread> threads;
  for (int t = 0; t < kCallers; ++t) {
    threads.emplace_back([&client, t] {
      for (int i = 0; i < kCalls; ++i) {
        const auto name = std::to_string(t) + "-" + std::to_string(i);
        EXPECT_EQ(must(client.describe_queue(name)).name, name);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(server.connections(), 1);
}

TEST(ClientLimits, WhatNoCallMayCarryIsRefusedWithoutSendingIt) {
  FakeServer server({.send = kHangUp, .ack = kHangUp});
  auto client = must(Client::connect(server.address()));
  EXPECT_THAT(client.send("orders", {.body = std::string(limits::kBatchBytes + 1, 'x')}),
              FailsWith(ErrorCode::kLimitExceeded));
  EXPECT_THAT(client.send_batch("orders", std::vector<Message>(limits::kBatchEntries + 1)),
              FailsNaming(ErrorCode::kLimitExceeded, "messages"));
  EXPECT_THAT(client.send("orders", {.body = "x", .group = std::string(limits::kBatchBytes + 1, 'x')}),
              FailsNaming(ErrorCode::kLimitExceeded, "groups and deduplication ids"));
  const std::vector<Receipt> receipts(limits::kBatchEntries + 1, kAnyReceipt);
  EXPECT_THAT(client.ack_batch(receipts), FailsNaming(ErrorCode::kLimitExceeded, "receipts"));
  EXPECT_THAT(client.reject(kAnyReceipt, {.reason = std::string(200 << 20, 'x')}),
              FailsWith(ErrorCode::kLimitExceeded));
  EXPECT_THAT(must(client.ack_batch({})), ::testing::IsEmpty());
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace holdfast::testing
