// What clients can take of a server: places, and memory of calls that they never finish.
#include "server/bounds/seats.h"

#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "convert/peek.h"
#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "server/access/tokens.h"
#include "server/process/descriptors.h"
#include "server_fixture.h"
#include "transport/frame_reader.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using ::testing::Not;
using RpcMessage = capnp::rpc::Message;

template <class Fill>
std::string message(Fill fill) {
  capnp::MallocMessageBuilder builder;
  fill(builder.initRoot<RpcMessage>());
  const auto flat = capnp::messageToFlatArray(builder);
  const auto chars = flat.asChars();
  return {chars.begin(), chars.size()};
}

std::string bootstrap() {
  return message([](RpcMessage::Builder to) { to.initBootstrap().setQuestionId(0); });
}

// Of what the bootstrap gives.
std::string call(std::uint32_t id, unsigned capabilities = 0) {
  return message([&](RpcMessage::Builder to) {
    auto made = to.initCall();
    made.setQuestionId(id);
    made.initTarget().initPromisedAnswer().setQuestionId(0);
    made.setInterfaceId(capnp::typeId<wire::Broker>());
    made.setMethodId(0xffff);  // which there is not: it fails at once
    auto table = made.initParams().initCapTable(capabilities);
    for (unsigned i = 0; i < capabilities; ++i) table[i].setSenderHosted(i);
  });
}

std::string finish(std::uint32_t id) {
  return message([&](RpcMessage::Builder to) { to.initFinish().setQuestionId(id); });
}

class BoundsTest : public ServerFixture {
 protected:
  static std::shared_ptr<const Tokens> tokens() {
    return std::make_shared<const Tokens>(std::vector<TokenEntry>{
        {.hash = hash_of("app-token"), .rights = {.name = "app", .grants = {must(parse_grant("all:*"))}}}});
  }

  tcp::socket connect_raw(const std::string& from = "127.0.0.1") {
    tcp::socket socket(port_.io(), tcp::endpoint(asio::ip::make_address(from), 0));
    socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), address().port));
    return socket;
  }

  // Whether it is served: it gets the broker.
  static bool is_served(tcp::socket& socket) {
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bootstrap()), error);
    std::array<char, 8> answer{};
    asio::read(socket, asio::buffer(answer), error);
    return !error;
  }

  // Says it on a connection of its own; gives how many calls were answered until the server hung up, or
  // `answers` had come.
  std::size_t talk(const std::string& said, std::size_t answers) {
    auto socket = connect_raw();
    boost::system::error_code error;
    asio::write(socket, asio::buffer(said), error);
    transport::FrameReader frames(64 << 10);
    std::size_t answered = 0;
    while (!error && answered < answers) {
      frames.filled(socket.read_some(frames.space(), error));
      for (bool taken = true; taken;) {
        taken = false;
        KJ_IF_MAYBE (next, frames.next(transport::reader_options())) {
          answered += (*next)->getRoot<RpcMessage>().isReturn() ? 1 : 0;
          taken = true;
        }
      }
    }
    return answered;
  }

  static constexpr std::size_t kAll = 1'000'000;  // more than there will be: until it hangs up
};

TEST_F(BoundsTest, WhoHasShownNoTokenLeavesFewCallsUnfinished) {
  start({.tokens = tokens()});
  std::string said = bootstrap();
  for (std::uint32_t id = 1; id < limits::kUnauthenticatedCalls; ++id) said += call(id);
  EXPECT_EQ(talk(said, limits::kUnauthenticatedCalls), limits::kUnauthenticatedCalls);
  (void)talk(said + call(1000), kAll);
  EXPECT_THAT(log(), HasSubstr("reason=\"it has more than 64 unfinished calls"));
}

TEST_F(BoundsTest, CallsThatAreFinishedAreForgotten) {
  start({.tokens = tokens()});
  std::string said = bootstrap();
  constexpr std::uint32_t kCalls = 10'000;
  for (std::uint32_t id = 1; id <= kCalls; ++id) said += call(id) + finish(id);
  EXPECT_EQ(talk(said, kCalls + 1), kCalls + 1);
  EXPECT_THAT(log(), Not(HasSubstr("unfinished")));
}

TEST_F(BoundsTest, WhoNeedsNoTokenLeavesNoMoreUnfinishedThanTheLimit) {
  start({.limits = {.max_unfinished_calls = 500}});
  std::string said = bootstrap();
  for (std::uint32_t id = 1; id < 500; ++id) said += call(id);
  EXPECT_EQ(talk(said, 500), 500U);
  (void)talk(said + call(1000), kAll);
  EXPECT_THAT(log(), HasSubstr("reason=\"it has more than 500 unfinished calls"));
}

TEST_F(BoundsTest, WhoHasShownATokenHasTheLimitOfThoseWhoHave) {
  start({.limits = {.max_unfinished_calls = 200}, .tokens = tokens()});
  auto client = connect();
  auto authenticate = client->broker().authenticateRequest();
  authenticate.setToken("app-token");
  auto broker = authenticate.send().wait(scope_).getBroker();
  // Their answers are kept, so that they stay unfinished.
  std::vector<capnp::Response<wire::HelloReply>> kept;
  for (int i = 0; i < 150; ++i) kept.push_back(broker.helloRequest().send().wait(scope_));
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(BoundsTest, CapabilitiesOfOneMessageAreBounded) {
  start();
  EXPECT_EQ(talk(bootstrap() + call(1, limits::kCallCapabilities), 2), 2U);
  (void)talk(bootstrap() + call(1, limits::kCallCapabilities + 1), kAll);
  EXPECT_THAT(log(), HasSubstr("reason=\"it has more than 8 capabilities in one message"));
}

TEST_F(BoundsTest, RepliesThatWereReadAndNotFinishedAreBounded) {
  start({.limits = {.max_unread_bytes = 8 << 20}});
  must(engine_->create_queue("orders"));
  must(
      engine_->send_batch("orders", std::vector<Message>(4, {.body = std::string(limits::kBodyBytes, 'x')})));
  auto client = connect();
  const auto peek = [&] {
    auto request = client->broker().peekRequest();
    convert::write("orders", PeekOptions{.max = 4, .bodies = true}, request);
    return request.send().wait(scope_);
  };
  const auto is_refused = [](capnp::Response<wire::PeekReply>& reply) {
    const auto page = convert::read(reply);
    if (page) return false;
    EXPECT_EQ(page.error().code, ErrorCode::kOverloaded);
    return true;
  };
  std::vector<capnp::Response<wire::PeekReply>> kept;
  for (kept.push_back(peek()); !is_refused(kept.back()); kept.push_back(peek())) ASSERT_LT(kept.size(), 10U);
  EXPECT_EQ(kept.size(), 3U) << "two of a little more than 4 MiB each are more than 8 MiB";
  kept.clear();
  auto again = peek();
  EXPECT_FALSE(is_refused(again));
}

TEST_F(BoundsTest, WhoHasShownNoTokenIsBoundedByAddress) {
  start({.limits = {.max_connections = 16, .max_unauthenticated_per_host = 2}, .tokens = tokens()});
  auto first = connect_raw();
  auto second = connect_raw();
  auto third = connect_raw();
  EXPECT_TRUE(is_served(first));
  EXPECT_TRUE(is_served(second));
  EXPECT_FALSE(is_served(third));
  auto elsewhere = connect_raw("127.0.0.2");
  EXPECT_TRUE(is_served(elsewhere)) << "others are not kept out by it";
  second.close();
  wait_until([&] { return server_->connections() == 2; });
  auto again = connect_raw();
  EXPECT_TRUE(is_served(again));
  first.close();
  again.close();
  elsewhere.close();
  EXPECT_THAT(log(), HasSubstr("reason=\"2 of its address are connected that have not shown a token"));
}

TEST_F(BoundsTest, WhoShowsATokenMakesRoomForOthers) {
  start({.limits = {.max_connections = 16, .max_unauthenticated_per_host = 1}, .tokens = tokens()});
  std::vector<Client> clients;
  for (int i = 0; i < 5; ++i)
    clients.push_back(must(Client::connect(server_->addresses().front(), {.token = "app-token"})));
  EXPECT_EQ(server_->connections(), 5U);
}

TEST_F(BoundsTest, AClientIsToldThatThereMayBeNoPlaceForIt) {
  start({.limits = {.max_connections = 16, .max_unauthenticated_per_host = 1}, .tokens = tokens()});
  auto stranger = connect_raw();
  ASSERT_TRUE(is_served(stranger));
  const auto connect = [&] { return Client::connect(server_->addresses().front(), {.token = "app-token"}); };
  EXPECT_THAT(connect(), FailsNaming(ErrorCode::kUnavailable, "it may have no place for new connections"));
  EXPECT_THAT(connect(), FailsNaming(ErrorCode::kUnavailable, "try again"));
  stranger.close();
  wait_until([&] { return server_->connections() == 0; });
  EXPECT_THAT(connect(), Succeeds());
}

TEST_F(BoundsTest, WhoHasShownNoTokenIsBoundedAltogether) {
  start({.limits = {.max_connections = 16, .max_unauthenticated = 4}, .tokens = tokens()});
  std::vector<tcp::socket> sockets;
  for (int i = 1; i <= 5; ++i) {
    sockets.push_back(connect_raw("127.0.0." + std::to_string(i)));
    EXPECT_EQ(is_served(sockets.back()), i <= 4);
  }
  sockets.clear();
  EXPECT_THAT(log(), HasSubstr("reason=\"4 are connected that have not shown a token"));
}

TEST_F(BoundsTest, TheOwnerGetsInWhereNobodyElseDoes) {
  const std::string local = "unix:" + (directory_ / "socket").string();
  start({.listen = {"127.0.0.1:0", local}, .limits = {.max_connections = 3}});
  std::vector<tcp::socket> sockets;
  for (int i = 0; i < 4; ++i) {
    sockets.push_back(connect_raw());
    EXPECT_EQ(is_served(sockets.back()), i < 3);
  }
  std::vector<std::unique_ptr<RawClient>> owners;
  for (std::size_t i = 0; i < limits::kOwnerConnections; ++i) {
    owners.push_back(std::make_unique<RawClient>(
        transport::connect(port_, must(transport::parse_address(local))).wait(scope_)));
    EXPECT_THAT(owners.back()->send("none", {}).wait(scope_), FailsWith(ErrorCode::kQueueNotFound));
  }
  RawClient late(transport::connect(port_, must(transport::parse_address(local))).wait(scope_));
  late.on_disconnect().wait(scope_);
}

TEST(SeatsTest, EachIsGivenBack) {
  Meter meter;
  Seats seats(meter);
  const ServerLimits limits{
      .max_connections = 4, .max_unauthenticated = 2, .max_unauthenticated_per_host = 1};
  const Origin here{.address = "a:1", .host = "a"};
  const Origin there{.address = "b:1", .host = "b"};
  auto first = must(seats.take(here, false, limits));
  EXPECT_THAT(seats.take(here, false, limits), FailsWith(ErrorCode::kOverloaded));
  auto second = must(seats.take(there, false, limits));
  const Origin third{.address = "c:1", .host = "c"};
  EXPECT_THAT(seats.take(third, false, limits), FailsWith(ErrorCode::kOverloaded));
  first->is_known();
  first->is_known();
  auto known = must(seats.take(here, false, limits));
  auto fourth = must(seats.take(here, true, limits));
  EXPECT_EQ(meter.connections, 4U);
  EXPECT_THAT(seats.take(here, true, limits), FailsWith(ErrorCode::kOverloaded));
  first = nullptr;
  EXPECT_THAT(seats.take(here, false, limits), FailsWith(ErrorCode::kOverloaded));
  known = nullptr;
  second = nullptr;
  fourth = nullptr;
  EXPECT_EQ(meter.connections, 0U);
  auto again = must(seats.take(here, false, limits));
}

TEST(SeatsTest, HalfOfAllAreForThoseWhoAreKnown) {
  EXPECT_EQ(max_unauthenticated({}), 1024U);
  EXPECT_EQ(max_unauthenticated_per_host({}), 256U);
  EXPECT_EQ(max_unauthenticated({.max_connections = 300}), 150U);
  EXPECT_EQ(max_unauthenticated_per_host({.max_connections = 300}), 75U);
  EXPECT_EQ(max_unauthenticated({.max_connections = 1}), 1U);
  EXPECT_EQ(max_unauthenticated_per_host({.max_connections = 1}), 1U);
}

TEST(DescriptorPlanTest, KeepsSomeForTheStore) {
  const Config config;
  EXPECT_EQ(plan_descriptors(config, 65536).connections, ServerLimits{}.max_connections);
  EXPECT_EQ(plan_descriptors(config, 65536).kept / 1024, 16U);
  const auto usual = plan_descriptors(config, 1024);
  EXPECT_GE(usual.kept, 512U);
  EXPECT_GT(usual.connections, 400U);
  EXPECT_EQ(usual.kept + usual.connections, 1024U);
  const auto few = plan_descriptors(config, 256);
  EXPECT_GE(few.kept, 128U);
  EXPECT_EQ(few.kept + few.connections, 256U);
  EXPECT_EQ(plan_descriptors(config, 3).connections, 1U);
  EXPECT_EQ(limits_within(few, config.server.limits).max_connections, few.connections);
}

}  // namespace
}  // namespace holdfast::server
