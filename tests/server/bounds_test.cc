// Tests how much clients can take of a server: places, and memory of calls that they never finish.
#include "server/bounds/seats.h"

#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/messages/peek_conversion.h"
#include "schema/transport/frames/frame_reader.h"
#include "server/bounds/unfinished_messages.h"
#include "server/process/descriptors.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"

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

// Makes a call of the broker that the bootstrap gives.
std::string call(std::uint32_t id, unsigned capabilities = 0) {
  return message([&](RpcMessage::Builder to) {
    auto made = to.initCall();
    made.setQuestionId(id);
    made.initTarget().initPromisedAnswer().setQuestionId(0);
    made.setInterfaceId(capnp::typeId<wire::Broker>());
    made.setMethodId(0xffff);  // no such method, so the call fails at once
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
    return tokens_of({token_with("app-token", "app", "all:*")});
  }

  tcp::socket connect_raw(const std::string& from = "127.0.0.1") { return connect_raw(from, address().port); }
  tcp::socket connect_raw(const std::string& from, std::uint16_t port) {
    tcp::socket socket(port_.io(), tcp::endpoint(asio::ip::make_address(from), 0));
    socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
    return socket;
  }

  // Returns whether the connection is served, which means that it gets the broker.
  static bool is_served(tcp::socket& socket) {
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bootstrap()), error);
    std::array<char, 8> answer{};
    asio::read(socket, asio::buffer(answer), error);
    return !error;
  }

  static bool is_hung_up_on(tcp::socket& socket) {
    boost::system::error_code error;
    std::string rest;
    asio::read(socket, asio::dynamic_buffer(rest), error);
    return error == asio::error::eof || error == asio::error::connection_reset;
  }

  struct Line {
    tcp::socket socket;
    transport::FrameReader frames{64 << 10};
  };

  // Sends what is said. Returns how many calls were answered before the server hung up, or before `answers`
  // answers had come.
  static std::size_t talk(Line& line, const std::string& said, std::size_t answers) {
    boost::system::error_code error;
    asio::write(line.socket, asio::buffer(said), error);
    std::size_t answered = 0;
    while (!error && answered < answers) {
      line.frames.filled(line.socket.read_some(line.frames.space(), error));
      for (bool taken = true; taken;) {
        taken = false;
        KJ_IF_MAYBE (next, line.frames.next(transport::reader_options())) {
          answered += (*next)->getRoot<RpcMessage>().isReturn() ? 1 : 0;
          taken = true;
        }
      }
    }
    return answered;
  }
  // Talks on a new connection.
  std::size_t talk(const std::string& said, std::size_t answers) {
    Line line{connect_raw()};
    return talk(line, said, answers);
  }

  // More than there will be, so talk() goes on until the server hangs up.
  static constexpr std::size_t kAll = 1'000'000;
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
  Line line{connect_raw()};
  ASSERT_EQ(talk(line, bootstrap(), 1), 1U);
  // There are never more calls than may be unfinished: Cap'n Proto 1 answers once it has read everything that
  // has come.
  constexpr std::uint32_t kAtOnce = 50;
  for (std::uint32_t id = 1; id <= 10'000; id += kAtOnce) {
    std::string said;
    for (std::uint32_t i = 0; i < kAtOnce; ++i) said += call(id + i) + finish(id + i);
    ASSERT_EQ(talk(line, said, kAtOnce), kAtOnce) << id;
  }
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
  // The answers are kept, so that their calls stay unfinished.
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

// kNeedsNoFinish says whether a server that has answered keeps nothing of the call, as with Cap'n Proto
// from 1.1 on.
template <class Answer>
constexpr bool kNeedsNoFinish = requires(const Answer& answer) {
  answer.getNoFinishNeeded();
};

TEST_F(BoundsTest, RepliesThatWereReadAndNotFinishedAreBounded) {
  if (kNeedsNoFinish<capnp::rpc::Return::Reader>) GTEST_SKIP() << "they are kept nowhere";
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
  const auto redrive = [&](bool dry_run) {
    auto request = client->broker().redriveRequest();
    convert::write("orders", RedriveOptions{.dry_run = dry_run}, request);
    return convert::read(request.send().wait(scope_));
  };
  EXPECT_THAT(redrive(true), FailsWith(ErrorCode::kOverloaded)) << "it shows what is stored";
  EXPECT_THAT(redrive(false), Succeeds()) << "what a call has changed it is always told";
  kept.clear();
  auto again = peek();
  EXPECT_FALSE(is_refused(again));
}

TEST_F(BoundsTest, WhoHasShownNoTokenIsBoundedByAddress) {
  start({.limits = {.max_connections = 16, .max_unauthenticated_per_host = 2}, .tokens = tokens()});
  auto elsewhere = connect_raw("127.0.0.2");
  EXPECT_TRUE(is_served(elsewhere));
  auto first = connect_raw();
  EXPECT_TRUE(is_served(first));
  auto second = connect_raw();
  EXPECT_TRUE(is_served(second));
  auto third = connect_raw();
  EXPECT_TRUE(is_served(third));
  EXPECT_TRUE(is_hung_up_on(first)) << "the first of its address makes room";
  wait_until([&] { return server_->connections() == 3; });
  EXPECT_THAT(
      log(),
      HasSubstr("reason=\"its place was given to a newer one: too many connections have not shown a token"));
}

TEST_F(BoundsTest, WhoShowsATokenMakesRoomForOthers) {
  start({.limits = {.max_connections = 16, .max_unauthenticated_per_host = 1}, .tokens = tokens()});
  std::vector<Client> clients;
  for (int i = 0; i < 5; ++i)
    clients.push_back(must(Client::connect(server_->addresses().front(), {.token = "app-token"})));
  EXPECT_EQ(server_->connections(), 5U);
  for (auto& client : clients) EXPECT_THAT(client.list_queues(), Succeeds()) << "and keeps its own place";
}

TEST_F(BoundsTest, AClientIsToldThatThereMayBeNoPlaceForIt) {
  start({.limits = {.max_connections = 1}, .tokens = tokens()});
  auto stranger = connect_raw();
  ASSERT_TRUE(is_served(stranger));
  const auto connect = [&] { return Client::connect(server_->addresses().front(), {.token = "app-token"}); };
  EXPECT_THAT(connect(), FailsNaming(ErrorCode::kUnavailable, "it may be at its connection limit"));
  EXPECT_THAT(connect(), FailsNaming(ErrorCode::kUnavailable, "try again"));
  stranger.close();
  wait_until([&] { return server_->connections() == 0; });
  EXPECT_THAT(connect(), Succeeds());
  EXPECT_THAT(log(), HasSubstr("reason=\"1 are connected, which is the limit"));
}

TEST_F(BoundsTest, WhoHasShownNoTokenIsBoundedAltogether) {
  start({.limits = {.max_connections = 16, .max_unauthenticated = 4}, .tokens = tokens()});
  std::vector<tcp::socket> sockets;
  for (int i = 1; i <= 9; ++i) {
    sockets.push_back(connect_raw("127.0.0." + std::to_string(i)));
    EXPECT_TRUE(is_served(sockets.back()));
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(is_hung_up_on(sockets[i])) << i;
  wait_until([&] { return server_->connections() == 4; });
  EXPECT_EQ(server_->meter().refused, 5U);
}

// The promise holds whatever the strangers speak, and on whichever of the server's threads they are.
TEST_F(BoundsTest, SilentStrangersShutNobodyOutWhoHasAToken) {
  start({.limits = {.max_connections = 64, .max_unauthenticated = 8, .max_unauthenticated_per_host = 2},
         .tokens = tokens(),
         .http_listen = {"127.0.0.1:0"},
         .io_threads = 3});
  const auto http = must(transport::parse_address(server_->http_addresses().front())).port;
  std::vector<tcp::socket> strangers;
  std::size_t last = 2;
  const auto strangers_come = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string from = "127.0.0." + std::to_string(last++ / 2);
      strangers.push_back(connect_raw(from, i % 4 < 2 ? address().port : http));
    }
  };
  std::vector<Client> clients;
  for (int round = 0; round < 6; ++round) {
    strangers_come(40);
    auto client = Client::connect(server_->addresses().front(), {.token = "app-token"});
    ASSERT_THAT(client, Succeeds()) << round;
    clients.push_back(std::move(*client));
  }
  strangers_come(40);
  for (Client& client : clients) EXPECT_THAT(client.list_queues(), Succeeds());
  wait_until([&] { return server_->connections() == 14; });
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

class SeatsTest : public ::testing::Test {
 protected:
  using Seat = std::unique_ptr<Seats::Seat>;

  Seat take(const std::string& host, bool known = false) {
    return must(seats_.take({.address = host + ":1", .host = host}, known, limits_));
  }
  // Returns a count of how often the seat's owner is told to leave.
  static std::shared_ptr<int> losses_of(Seats::Seat& seat) {
    auto losses = std::make_shared<int>(0);
    seat.on_loss([losses] { ++*losses; });
    return losses;
  }

  Meter meter_;
  Seats seats_{meter_};
  ServerLimits limits_{.max_connections = 8, .max_unauthenticated = 4, .max_unauthenticated_per_host = 2};
};

TEST_F(SeatsTest, EachIsGivenBack) {
  limits_.max_connections = 4;
  Seat first = take("a");
  Seat known = take("a", true);
  Seat second = take("b");
  second->is_known();
  second->is_known();
  Seat third = take("b");
  EXPECT_EQ(meter_.connections, 4U);
  EXPECT_THAT(seats_.take({.address = "c:1", .host = "c"}, true, limits_), FailsWith(ErrorCode::kOverloaded));
  EXPECT_THAT(seats_.take({.address = "c:1", .host = "c"}, false, limits_),
              FailsWith(ErrorCode::kOverloaded));
  first = nullptr;
  Seat again = take("c");
  for (Seat* seat : {&again, &known, &second, &third}) *seat = nullptr;
  EXPECT_EQ(meter_.connections, 0U);
  EXPECT_EQ(meter_.refused, 0U);
}

TEST_F(SeatsTest, TheFirstOfAHostMakesRoomForTheNextOfIt) {
  Seat other = take("b");
  Seat first = take("a");
  Seat second = take("a");
  const auto losses = losses_of(*first);
  Seat third = take("a");
  EXPECT_EQ(*losses, 1);
  EXPECT_EQ(*losses_of(*first), 1) << "at once, since it is lost";
  EXPECT_EQ(*losses_of(*second), 0);
  EXPECT_EQ(*losses_of(*other), 0);
  EXPECT_EQ(meter_.connections, 4U) << "until its socket is closed";
  first->is_known();
  EXPECT_EQ(*losses_of(*first), 1) << "too late";
  EXPECT_EQ(meter_.refused, 1U);
}

TEST_F(SeatsTest, TheHostWithTheMostMakesRoomForOthers) {
  Seat oldest = take("a");
  Seat known = take("b");
  known->is_known();
  Seat first = take("b");
  Seat second = take("b");
  Seat other = take("c");
  const auto losses = losses_of(*first);
  Seat newcomer = take("d");
  EXPECT_EQ(*losses, 1);
  const auto of_oldest = losses_of(*oldest);
  Seat next = take("e");
  EXPECT_EQ(*of_oldest, 1) << "where all have as many, who came first";
  for (Seat* seat : {&known, &second, &other, &newcomer, &next}) EXPECT_EQ(*losses_of(**seat), 0);
}

TEST_F(SeatsTest, HalfOfAllAreForThoseWhoAreKnown) {
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

class UnfinishedMessagesTest : public ::testing::Test {
 protected:
  using Share = UnfinishedMessages::Share;

  static bool is_too_much(Share& share, std::initializer_list<UnfinishedMessages::Message> messages) {
    UnfinishedMessages::Sum sum;
    for (const auto& message : messages) sum.add(message);
    return share.is_too_much(sum, 100);
  }

  UnfinishedMessages all_;
  Share one_{all_};
};

TEST_F(UnfinishedMessagesTest, TheLargestOfAllLoopsGoes) {
  Share other(all_);
  EXPECT_FALSE(is_too_much(one_, {{.bytes = 40}}));
  EXPECT_TRUE(is_too_much(other, {{.bytes = 10}, {.bytes = 60}}));
  EXPECT_FALSE(is_too_much(one_, {{.bytes = 41}})) << "the other loop has a larger one";
  EXPECT_FALSE(is_too_much(other, {{.bytes = 10}}));
  EXPECT_FALSE(is_too_much(one_, {{.bytes = 90}}));
  EXPECT_TRUE(is_too_much(one_, {{.bytes = 91}}));
}

TEST_F(UnfinishedMessagesTest, StrangersGoFirst) {
  Share other(all_);
  EXPECT_FALSE(is_too_much(one_, {{.is_strangers = true, .bytes = 20}}));
  EXPECT_FALSE(is_too_much(other, {{.bytes = 90}}));
  EXPECT_TRUE(is_too_much(one_, {{.is_strangers = true, .bytes = 20}}));
}

TEST_F(UnfinishedMessagesTest, ASingleMessageMayHaveAnySize) {
  Share other(all_);
  EXPECT_FALSE(is_too_much(one_, {{.bytes = 1000}}));
  EXPECT_FALSE(is_too_much(other, {}));
  EXPECT_TRUE(is_too_much(one_, {{.bytes = 1000}, {.bytes = 1}}));
}

TEST_F(UnfinishedMessagesTest, ALoopThatHasEndedCountsNoMore) {
  std::optional<Share> other(std::in_place, all_);
  EXPECT_FALSE(is_too_much(*other, {{.bytes = 60}}));
  EXPECT_TRUE(is_too_much(one_, {{.bytes = 60}}));
  other.reset();
  EXPECT_FALSE(is_too_much(one_, {{.bytes = 60}}));
}

}  // namespace
}  // namespace holdfast::server
