// Clients that send nonsense, too much, or do not read.
#include <capnp/dynamic.h>
#include <capnp/rpc.capnp.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <set>
#include "holdfast/limits.h"
#include "schema/convert/messages/peek_conversion.h"
#include "schema/convert/values/hello_conversion.h"
#include "schema/protocol/protocol_methods.h"
#include "server/bounds/meter.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"
#include "tests/support/random.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ServerHostile : public ServerFixture {
 protected:
  tcp::socket connect_raw() {
    tcp::socket socket(port_.io());
    socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), address().port));
    return socket;
  }

  // Sends bytes on a new connection, and waits until the server hangs up. Returns what the server has
  // answered.
  std::string send_bytes(std::string_view bytes, bool half_close = false) {
    auto socket = connect_raw();
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    if (half_close) socket.shutdown(tcp::socket::shutdown_send, error);
    std::string answer;
    if (!error) asio::read(socket, asio::dynamic_buffer(answer), error);
    return answer;
  }

  void expect_service() {
    auto client = connect();
    must(client->send("orders", {{.body = "still here"}}).wait(scope_));
  }
};

std::string words(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (auto value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  return bytes;
}

template <class Fill>
std::string rpc_message(Fill fill) {
  capnp::MallocMessageBuilder builder;
  fill(builder.initRoot<capnp::rpc::Message>());
  const auto message = capnp::messageToFlatArray(builder);
  const auto chars = message.asChars();
  return {chars.begin(), chars.size()};
}

// Makes a message that asks for what a connection is given first. The message has room in it that it does not
// use.
std::string bootstrap(std::uint32_t question, std::size_t unused_words = 0) {
  capnp::MallocMessageBuilder builder;
  builder.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(question);
  const std::vector<capnp::word> unused(unused_words);
  const kj::ArrayPtr<const capnp::word> segments[] = {builder.getSegmentsForOutput()[0],
                                                      {unused.data(), unused.size()}};
  const auto message = capnp::messageToFlatArray(segments);
  const auto chars = message.asChars();
  return {chars.begin(), chars.size()};
}

constexpr std::size_t kMebibyteOfWords = (1 << 20) / sizeof(capnp::word);

TEST_F(ServerHostile, BytesThatAreNoMessageEndTheirConnectionOnly) {
  start();
  must(engine_->create_queue("orders"));
  auto bystander = connect();
  auto waiting = bystander->receive("orders", {.wait = 1h});
  EXPECT_FALSE(waiting.poll(scope_));

  send_bytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  send_bytes(words({511}));
  send_bytes(words({0xffffffffffffffff}));
  send_bytes(words({0xffffffff00000000}));    // 32 GiB
  send_bytes(words({0x100000000, 0}), true);  // the root is null
  send_bytes(words({0x100000000, 0xffffffffffffffff}), true);
  send_bytes(words({0x200000000, 0x7fffffff00000000, 0}), true);
  send_bytes(words({0x500000000}), true);  // the message is cut off
  send_bytes("", true);

  expect_service();
  EXPECT_EQ(must(waiting.wait(scope_)).front().body, "still here");
  bystander = nullptr;
  EXPECT_THAT(log(), HasSubstr("hanging up connection="));
  EXPECT_THAT(log_text_.str(), HasSubstr("too many segments"));
}

TEST_F(ServerHostile, HttpIsAnsweredInHttp) {
  start();
  for (const char* request : {"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
                              "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
                              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    SCOPED_TRACE(request);
    const std::string answer = send_bytes(request, true);
    const auto body = answer.find("\r\n\r\n") + 4;
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: " + std::to_string(answer.size() - body) + "\r\n"));
    EXPECT_THAT(answer.substr(body), HasSubstr("This port speaks Holdfast's RPC, not HTTP"));
  }
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr("reason=\"the other side speaks HTTP, not Holdfast's RPC"));
  EXPECT_THAT(text, Not(HasSubstr("expected")));
}

TEST_F(ServerHostile, JunkDoesNotFillTheLog) {
  start();
  constexpr std::size_t kConnections = 500;
  for (std::size_t i = 0; i < kConnections; ++i) send_bytes(words({511}));
  const std::string text = log();
  std::size_t lines = 0;
  for (auto at = text.find("hanging up"); at != std::string::npos; at = text.find("hanging up", at + 1))
    ++lines;
  EXPECT_GT(lines, 0U);
  EXPECT_LT(lines, kConnections);
}

TEST_F(ServerHostile, RandomBytesHarmNobody) {
  start();
  must(engine_->create_queue("orders"));
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    auto size = static_cast<std::uint32_t>(random.below(40));
    // Half of the messages have a good segment table, so that they get further.
    auto bytes = random.bytes(std::size_t{8} * size);
    if (random.one_in(2)) bytes.insert(0, words({std::uint64_t{size} << 32}));
    send_bytes(bytes, true);
  }
  expect_service();
}

TEST_F(ServerHostile, DamagedMessagesHarmNobody) {
  start();
  must(engine_->create_queue("orders"));
  capnp::MallocMessageBuilder builder;
  auto message = builder.initRoot<capnp::rpc::Message>();
  message.initBootstrap().setQuestionId(0);
  auto good = capnp::messageToFlatArray(builder);
  auto chars = good.asChars();
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::string bytes(chars.begin(), chars.size());
    for (int i = 0; i < 3; ++i)
      bytes[8 + random.below(bytes.size() - 8)] = static_cast<char>(random.below(256));
    send_bytes(bytes, true);
  }
  expect_service();
}

TEST_F(ServerHostile, ALongReasonDoesNotFillTheLog) {
  start();
  const std::string reason(200'000, 'n');
  send_bytes(bootstrap(0) + rpc_message([&](capnp::rpc::Message::Builder to) {
               to.initAbort().setReason(reason.c_str());
             }),
             true);
  const std::string text = log();
  EXPECT_THAT(text, AllOf(HasSubstr("reason="), HasSubstr("nnn")));
  EXPECT_LT(text.size(), 10'000U);
}

TEST_F(ServerHostile, ALongNameInACallThatIsRefusedDoesNotFillTheLog) {
  start({.tokens = tokens_of({})});
  auto client = connect();
  auto request = client->broker().createQueueRequest();
  request.setName(std::string(200'000, 'n').c_str());
  EXPECT_EQ(convert::read(request.send().wait(scope_).getError()).code, ErrorCode::kPermissionDenied);
  client = nullptr;
  const std::string text = log();
  EXPECT_THAT(text,
              HasSubstr("message=\"a client that did not say who it is was not granted this on queue 'nnn"));
  EXPECT_LT(text.size(), 10'000U);
}

// Cap'n Proto would answer with a copy of the message, which may be far larger.
TEST_F(ServerHostile, MessagesThatHaveNoUseAreNotGivenBack) {
  start();
  const std::string body(10'000, 'n');
  const auto answer = send_bytes(bootstrap(0) + rpc_message([&](capnp::rpc::Message::Builder to) {
                                   to.initProvide().getRecipient().setAs<capnp::Text>(body.c_str());
                                 }),
                                 true);
  EXPECT_THAT(answer, Not(HasSubstr("nnn")));
  EXPECT_THAT(log(), HasSubstr("reason=\"it sends messages of a kind that has no use here"));
}

TEST_F(ServerHostile, CallsPastTheLimitAreOverloaded) {
  start({.limits = {.max_calls = 10}});
  must(engine_->create_queue("orders"));
  auto client = connect();
  std::vector<kj::Promise<Result<Deliveries>>> waiting;
  waiting.reserve(10);
  for (int i = 0; i < 10; ++i) waiting.push_back(client->receive("orders", {.wait = 1h}));
  EXPECT_THAT(client->receive("orders", {.wait = 1h}).wait(scope_), FailsWith(ErrorCode::kOverloaded));
  auto other = connect();
  must(other->send("orders", {{.body = "x"}}).wait(scope_));
  waiting.pop_back();
  wait_until([&] {
    auto again = client->send("orders", {{.body = "y"}}).wait(scope_);
    return again.has_value();
  });
}

// A client at its limit can still come in, and can still resume the server. So can it drain the server, which
// this test leaves out, since a server that drains refuses calls by itself.
TEST_F(ServerHostile, AtItsLimitOnlyComingInAndTheServersEndAreAnswered) {
  start({.limits = {.max_calls = 1}});
  must(engine_->create_queue("orders"));
  auto client = connect();
  const auto waiting = client->receive("orders", {.wait = 1h});
  capnp::DynamicCapability::Client broker(client->broker());
  std::set<std::string> answered;
  for (const auto method : protocol::methods()) {
    const std::string name = method.getProto().getName().cStr();
    if (name == "drain") continue;
    const auto reply = broker.newRequest(method).send().wait(scope_);
    const bool is_refused =
        reply.has("error") &&
        convert::read(reply.get("error").as<capnp::DynamicStruct>().as<wire::Error>()).code ==
            ErrorCode::kOverloaded;
    if (!is_refused) answered.insert(name);
  }
  EXPECT_EQ(answered, (std::set<std::string>{"authenticate", "hello", "resume"}));
}

TEST_F(ServerHostile, AGreetingThatIsOverloadedIsCountedAsAnError) {
  start({.limits = {.max_calls = 1}});
  must(engine_->create_queue("orders"));
  auto client = connect();
  const auto waiting = client->receive("orders", {.wait = 1h});
  auto hello = client->broker().helloRequest();
  convert::write_hello("test", {.present = {.high = 1, .low = 2, .number = 2}, .lost = {1}}, hello);
  auto reply = hello.send().wait(scope_);
  ASSERT_TRUE(reply.isError());
  EXPECT_EQ(convert::read(reply.getError()).code, ErrorCode::kOverloaded);
  EXPECT_EQ(server_->meter().errors[static_cast<std::size_t>(ErrorCode::kOverloaded)], 1U);
}

TEST_F(ServerHostile, SendsPastTheLimitOfBytesAreOverloaded) {
  start({.limits = {.max_send_bytes = 1000}});
  must(engine_->create_queue("orders"));
  auto client = connect();
  EXPECT_THAT(client->send("orders", {{.body = std::string(1001, 'x')}}).wait(scope_),
              FailsWith(ErrorCode::kOverloaded));
  must(client->send("orders", {{.body = std::string(1000, 'x')}}).wait(scope_));
}

TEST_F(ServerHostile, ConnectionsPastTheLimitAreHungUpOn) {
  start({.limits = {.max_connections = 2}});
  must(engine_->create_queue("orders"));
  auto first = connect();
  auto second = connect();
  must(first->send("orders", {}).wait(scope_));
  must(second->send("orders", {}).wait(scope_));
  connect()->on_disconnect().wait(scope_);
  first = nullptr;
  wait_until([&] { return server_->connections() == 1; });
  expect_service();
}

TEST_F(ServerHostile, RepliesThatAreNotReadAreBounded) {
  start({.limits = {.max_unread_bytes = 8 << 20}});
  must(engine_->create_queue("orders"));
  must(engine_->send_batch("orders",
                           std::vector<Message>(60, {.body = std::string(limits::kBodyBytes, 'x')})));

  auto client = connect();
  std::vector<kj::Promise<Result<Deliveries>>> receives;
  receives.reserve(60);
  for (int i = 0; i < 60; ++i) receives.push_back(client->receive("orders", {.lease = 1h}));
  client->drained().wait(scope_);
  // This thread does not run its loop here, so it reads nothing.
  while (must(engine_->describe_queue("orders")).totals.delivered < 1) std::this_thread::yield();

  std::size_t taken = 0;
  for (auto& receive : receives) {
    auto deliveries = receive.wait(scope_);
    if (deliveries) {
      taken += deliveries->size();
    } else {
      EXPECT_EQ(deliveries.error().code, ErrorCode::kOverloaded);
    }
  }
  EXPECT_GT(taken, 0U);
  while (taken < 60) {
    for (auto& delivery : must(client->receive("orders", {.max = 10, .wait = 1min}).wait(scope_))) {
      EXPECT_EQ(delivery.deliveries, 1U);
      ++taken;
    }
  }
}

TEST_F(ServerHostile, AnswersThatAreNotReadAreBounded) {
  start({.limits = {.max_unread_bytes = 8 << 20}});
  must(engine_->create_queue("orders"));
  must(
      engine_->send_batch("orders", std::vector<Message>(8, {.body = std::string(limits::kBodyBytes, 'x')})));
  auto client = connect();
  std::vector<kj::Promise<Result<std::size_t>>> peeks;
  for (int i = 0; i < 60; ++i) {
    auto request = client->broker().peekRequest();
    convert::write("orders", PeekOptions{.max = 8, .bodies = true}, request);
    peeks.push_back(request.send().then([](auto reply) -> Result<std::size_t> {
      return convert::read(reply).map([](const PeekPage& page) { return page.items.size(); });
    }));
  }
  client->drained().wait(scope_);
  // This thread does not run its loop here, so it reads nothing.
  const auto peek = protocol::method_number("peek");
  const Meter& meter = server_->meter();
  while (meter.calls[peek].read().count == 0 || meter.calls_in_flight > 0) std::this_thread::yield();

  std::size_t shown = 0;
  std::size_t refused = 0;
  for (auto& promise : peeks) {
    const auto items = promise.wait(scope_);
    ++(items ? shown : refused);
    if (items) {
      EXPECT_EQ(*items, 8U);
    } else {
      EXPECT_EQ(items.error().code, ErrorCode::kOverloaded);
    }
  }
  EXPECT_GT(shown, 0U);
  EXPECT_GT(refused, 0U);
  auto again = client->broker().peekRequest();
  convert::write("orders", PeekOptions{}, again);
  auto reply = again.send().wait(scope_);
  must(convert::read(reply));
}

TEST_F(ServerHostile, SendsPastTheLimitOfAllClientsAreOverloaded) {
  start({.limits = {.max_total_send_bytes = 1000}});
  must(engine_->create_queue("orders"));
  auto client = connect();
  EXPECT_THAT(client->send("orders", {{.body = std::string(1001, 'x')}}).wait(scope_),
              FailsWith(ErrorCode::kOverloaded));
  for (int i = 0; i < 3; ++i) {
    must(client->send("orders", {{.body = std::string(1000, 'x')}}).wait(scope_));
  }
}

TEST_F(ServerHostile, WhoSendsNothingIsHungUpOn) {
  start({.limits = {.greeting_timeout = 1ms}});
  boost::asio::ip::tcp::socket silent(port_.io());
  silent.connect({boost::asio::ip::address_v4::loopback(), address().port});
  wait_until([&] { return server_->meter().opened == 1 && server_->connections() == 0; });
  EXPECT_THAT(log(), ::testing::HasSubstr("reason=\"it has sent no message"));
}

TEST_F(ServerHostile, WhoStopsInsideAMessageIsHungUpOn) {
  start({.limits = {.stall_timeout = 1ms}});
  const auto large = bootstrap(1, kMebibyteOfWords);
  send_bytes(bootstrap(0) + large.substr(0, large.size() / 2));
  EXPECT_THAT(log(), HasSubstr("reason=\"it has stopped inside a message"));
}

TEST_F(ServerHostile, HalfMessagesOfAllTogetherAreBounded) {
  start({.limits = {.max_total_send_bytes = 1'000'000}});
  must(engine_->create_queue("orders"));
  auto client = connect();
  must(client->send("orders", {{.body = "before"}}).wait(scope_));
  const auto large = bootstrap(1, kMebibyteOfWords);
  auto smaller = connect_raw();
  asio::write(smaller, asio::buffer(bootstrap(0) + large.substr(0, large.size() / 4)));
  send_bytes(bootstrap(0) + large.substr(0, large.size() / 4 * 3));
  wait_until([&] { return server_->connections() == 2; });
  must(client->send("orders", {{.body = "after"}}).wait(scope_));
  client = nullptr;
  EXPECT_THAT(log(), HasSubstr("reason=\"it sends the largest of too many messages"));
}

// The two connections are on different loops, since the server gives them out in turn. The limit is more than
// twice the smaller message, so at the limit the other one is the larger.
TEST_F(ServerHostile, HalfMessagesOfAllLoopsTogetherAreBounded) {
  start({.limits = {.max_total_send_bytes = 600'000, .stall_timeout = 1h}, .io_threads = 2});
  const auto large = bootstrap(1, kMebibyteOfWords);
  auto smaller = connect_raw();
  asio::write(smaller, asio::buffer(bootstrap(0) + large.substr(0, large.size() / 4)));
  send_bytes(bootstrap(0) + large.substr(0, large.size() / 4 * 3));
  wait_until([&] { return server_->connections() == 1; });
  smaller.close();
  EXPECT_THAT(log(), HasSubstr("reason=\"it sends the largest of too many messages"));
}

TEST_F(ServerHostile, WhoHasShownNoTokenSendsNoLargeMessage) {
  start({.tokens = tokens_of({})});
  const auto large = bootstrap(1, 3 * kMebibyteOfWords);
  send_bytes(bootstrap(0) + large.substr(0, large.size() / 2));
  EXPECT_THAT(log(), HasSubstr("reason=\"it sends a large message before it has shown a token"));
}

TEST_F(ServerHostile, WhoDoesNotReadIsHungUpOnAndTakesNothingAlong) {
  start({.limits = {.stall_timeout = 1ms}});
  must(engine_->create_queue("orders", {.lease = 1ms}));
  must(engine_->send_batch("orders",
                           std::vector<Message>(60, {.body = std::string(limits::kBodyBytes, 'x')})));
  auto client = connect();
  std::vector<kj::Promise<Result<Deliveries>>> receives;
  receives.reserve(60);
  for (int i = 0; i < 60; ++i) receives.push_back(client->receive("orders", {}));
  client->drained().wait(scope_);
  // This thread does not run its loop here, so it reads nothing.
  while (server_->meter().opened == 0 || server_->connections() > 0) std::this_thread::yield();
  server_->set_limits({});
  auto other = connect();
  std::set<MessageId> taken;
  while (taken.size() < 60) {
    for (auto& delivery : must(other->receive("orders", {.lease = 1h, .wait = 1min}).wait(scope_))) {
      EXPECT_TRUE(taken.insert(delivery.id).second);
    }
  }
  other = nullptr;
  EXPECT_THAT(log(), ::testing::HasSubstr("reason=\"it does not read what is sent to it"));
}

TEST_F(ServerHostile, WhoIdlesIsHungUpOnUnlessItWaits) {
  start({.limits = {.idle_timeout = 3s}});
  must(engine_->create_queue("orders"));
  auto waiting = connect();
  auto receive = waiting->receive("orders", {.wait = 1h});
  auto idle = connect();
  must(idle->send("orders", {}).wait(scope_));
  idle->on_disconnect().wait(scope_);
  must(engine_->send("orders", {.body = "x"}));
  EXPECT_EQ(must(receive.wait(scope_)).size(), 1U);
}

}  // namespace
}  // namespace holdfast::server
