// These tests check how much the bodies of requests and answers that are not read take together.
#include <memory>

#include "holdfast/limits.h"
#include "server/http/connection/body_room.h"
#include "tests/http_api/door_fixture.h"
#include "tests/http_api/unread_bytes.h"

namespace holdfast::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(HttpDoorTest, ABodyHasABound) {
  serve();
  auto said = client();
  said.say("POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
           std::to_string(BodyRoom::kMost + 1) + "\r\n\r\n");
  EXPECT_THAT(said.rest(), StartsWith("HTTP/1.1 413"));

  auto unsaid = client();
  unsaid.say(
      "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  unsaid.say("100001\r\n" + std::string(BodyRoom::kUnsaid + 1, 'x') + "\r\n");
  EXPECT_THAT(unsaid.rest(), StartsWith("HTTP/1.1 413"));

  auto fits = client();
  fits.say(
      "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Transfer-Encoding: chunked\r\n\r\n100000\r\n" +
      std::string(BodyRoom::kUnsaid, 'x') + "\r\n0\r\n\r\n");
  EXPECT_THAT(fits.rest(), StartsWith("HTTP/1.1 201"));
}

// Otherwise a client without a secret could announce much on many connections, and keep all others out.
TEST_F(HttpDoorTest, WhatIsAnnouncedAndDoesNotComeTakesNoRoom) {
  ServerOptions options;
  options.limits.max_total_send_bytes = 1000;
  serve(std::move(options));
  std::vector<std::unique_ptr<HttpTestClient>> silent;
  for (std::size_t i = 0; i < 4; ++i) {
    silent.push_back(std::make_unique<HttpTestClient>(server_->http_addresses().front()));
    silent.back()->say(
        "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n"
        "Expect: 100-continue\r\n\r\n");
    EXPECT_THAT(silent.back()->until("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
    silent.back()->say("x");
  }
  EXPECT_EQ(client().call(http::verb::post, "/v1/queues/orders/messages", std::string(900, 'x')).status,
            201U);
}

TEST_F(HttpDoorTest, BodiesOfAllClientsHaveABoundTogether) {
  ServerOptions options;
  options.limits.max_total_send_bytes = 1000;
  serve(std::move(options));
  auto first = client();
  first.say("POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n" +
            std::string(899, 'x'));
  Answer refused;
  wait_until([&] {
    refused = client().call(http::verb::post, "/v1/queues/orders/messages", std::string(200, 'x'));
    return refused.status != 201U;
  });
  EXPECT_EQ(refused.code(), "overloaded");
  first.hang_up();
  wait_until([&] {
    auto third = client();
    return third.call(http::verb::post, "/v1/queues/orders/messages", std::string(200, 'x')).status == 201U;
  });
}

TEST_F(HttpDoorTest, WhatAStrangerWouldSayTakesNoRoom) {
  ServerOptions options = with_tokens();
  options.limits.max_total_send_bytes = 1000;
  serve(std::move(options));
  for (const char* authorization : {"", "Authorization: Bearer wrong\r\n"}) {
    auto stranger = client();
    stranger.say(std::string("POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\n") +
                 authorization + "Content-Length: 900\r\n\r\n");
    EXPECT_THAT(stranger.until("\r\n"), StartsWith("HTTP/1.1 401"));
  }
  EXPECT_EQ(client()
                .call(http::verb::post, "/v1/queues/orders/messages", std::string(900, 'x'),
                      {{"Authorization", "Bearer app-token"}})
                .status,
            201U);
}

// A request that waits for something to come has been read, however long it waits.
TEST_F(HttpDoorTest, ABodyTakesNoRoomWhileItsRequestWaits) {
  ServerOptions options;
  options.limits.max_total_send_bytes = 1000;
  serve(std::move(options));
  auto events = client();
  events.start(http::verb::get, "/v1/events", std::string(900, ' '));
  events.until("event: start");
  auto receives = client();
  receives.start(http::verb::post, "/v1/queues/orders/deliveries?wait=1h", "{}" + std::string(880, ' '),
                 {{"Content-Type", "application/json"}});
  wait_until([&] {
    return client().call(http::verb::post, "/v1/queues/orders/messages", std::string(900, 'x')).status ==
           201U;
  });
  const Answer received = receives.finish();
  EXPECT_EQ(received.status, 200U) << received.body;
}

class HttpUnreadTest : public HttpDoorTest {
 protected:
  // This is more than the kernel keeps for a connection.
  static constexpr std::size_t kLarge = 16 << 20;

  HttpUnreadTest() {
    must(engine_->create_queue("large", {.limits = {.max_body_bytes = kLarge}}));
    must(engine_->send("large", {.body = std::string(kLarge, 'x')}));
    must(engine_->send("orders", {.body = "x"}));
    serve();
  }

  // Asks for an answer, and reads only its head. Returns how long the body is.
  static std::size_t ask_and_stall(HttpTestClient& slow) {
    slow.start(http::verb::post, "/v1/queues/large/deliveries");
    const std::string head = slow.until("\r\n\r\n");
    return std::stoul(head.substr(head.find("Content-Length: ") + 16));
  }
};

TEST_F(HttpUnreadTest, AnswersThatAreNotReadHaveABoundTogether) {
  const std::string receive = "/v1/queues/orders/deliveries";
  auto slow = client();
  const std::size_t unread = ask_and_stall(slow);
  ASSERT_GT(unread, kLarge);

  server_->set_limits({.max_total_send_bytes = unread - 1, .give_way_timeout = 1h});
  const Answer refused = client().get("/v1/queues");
  EXPECT_EQ(refused.status, 429U);
  EXPECT_EQ(refused.code(), "overloaded");
  EXPECT_THAT(refused.body,
              HasSubstr("have reached their limit of " + std::to_string(unread - 1) + " bytes"));
  const std::string large(100 << 10, 'y');
  EXPECT_EQ(client().call(http::verb::post, "/v1/queues/orders/messages", large).status, 201U);
  EXPECT_EQ(client().call(http::verb::post, receive).parsed()["deliveries"][0]["body"], "x")
      << "a small answer always has room";
  server_->set_limits({.max_total_send_bytes = unread, .give_way_timeout = 1h});
  EXPECT_EQ(client().get("/v1/queues").status, 200U);
  EXPECT_EQ(client().call(http::verb::post, receive).code(), "overloaded");
  slow.hang_up();
  Answer received;
  wait_until([&] {
    received = client().call(http::verb::post, receive);
    return received.status == 200U && !received.parsed()["deliveries"].empty();
  });
  EXPECT_EQ(received.parsed()["deliveries"][0]["body"], large);
  EXPECT_EQ(received.parsed()["deliveries"][0]["deliveries"], 1U) << "refused receives charge nothing";
}

TEST_F(HttpUnreadTest, WhoDoesNotReadGivesWayToOthers) {
  auto slow = client();
  const std::size_t unread = ask_and_stall(slow);
  server_->set_limits({.max_total_send_bytes = unread, .give_way_timeout = 0s});
  const std::string large(100 << 10, 'y');
  EXPECT_EQ(client().call(http::verb::post, "/v1/queues/orders/messages", large).status, 201U);
  EXPECT_EQ(client().call(http::verb::post, "/v1/queues/orders/deliveries?max=2").status, 200U);
  EXPECT_LT(slow.rest().size(), unread);
  EXPECT_THAT(log(), HasSubstr("it does not read its answer"));
}

// The size of an answer is that of its deliveries in the protocol.
TEST_F(HttpUnreadTest, AnAnswerOfUpToALimitIsGivenHoweverMuchOthersDoNotRead) {
  constexpr std::size_t kBesideTheBody = 40 * sizeof(std::uint64_t);  // of an answer with one message
  constexpr std::size_t kFits = limits::kAssuredAnswerBytes - kBesideTheBody + 7;  // whole words count
  const std::string receive = "/v1/queues/orders/deliveries";
  must(engine_->purge_queue("orders"));
  auto slow = client();
  server_->set_limits({.max_total_send_bytes = ask_and_stall(slow), .give_way_timeout = 1h});
  must(engine_->send("orders", {.body = std::string(kFits, 'x')}));
  EXPECT_EQ(client().call(http::verb::post, receive).status, 200U);
  must(engine_->send("orders", {.body = std::string(kFits + 1, 'x')}));
  const Answer refused = client().call(http::verb::post, receive);
  EXPECT_EQ(refused.status, 429U);
  EXPECT_EQ(refused.code(), "overloaded");
}

// It cannot have read what it was to deliver.
TEST_F(HttpUnreadTest, WhoGoesAwayWithinAnAnswerIsChargedNothing) {
  for (const char* target : {"/v1/queues/large/deliveries", "/v1/queues/large/deliveries/stream?max=1"}) {
    auto slow = client();
    slow.start(http::verb::post, target);
    slow.until("\r\n\r\n");
    EXPECT_EQ(must(engine_->describe_queue("large")).counts.leased, 1U) << target;
    slow.hang_up();
    wait_until([&] { return must(engine_->describe_queue("large")).counts.ready == 1U; });
  }
  EXPECT_EQ(must(engine_->receive("large")).front().deliveries, 1U);
}

// A client works on what it has while the next message comes: it had that one, and may have failed with it.
TEST_F(HttpUnreadTest, WhatAStreamHasBroughtWholeIsChargedThoughTheNextOneIsCutOff) {
  const Receipt gone = must(engine_->receive("large")).front().receipt;
  must(engine_->ack(gone));
  must(engine_->send("large", {.body = "first"}));
  must(engine_->send("large", {.body = std::string(kLarge, 'y')}));
  auto slow = client();
  slow.start(http::verb::post, "/v1/queues/large/deliveries/stream?max=2&lease=1h");
  slow.until("\"body\":\"first\"");
  slow.until("event: delivery\n");
  EXPECT_EQ(must(engine_->describe_queue("large")).counts.leased, 2U);
  slow.hang_up();
  wait_until([&] { return must(engine_->describe_queue("large")).counts.ready == 1U; });
  EXPECT_EQ(must(engine_->describe_queue("large")).counts.leased, 1U);
  const Deliveries again = must(engine_->receive("large"));
  EXPECT_EQ(again.front().body.size(), kLarge);
  EXPECT_EQ(again.front().deliveries, 1U);
}

// What the kernel has taken looks as if the client had read it.
TEST_F(HttpUnreadTest, TheKernelHasLittleOfAnAnswerThatIsNotRead) {
  auto slow = client();
  ask_and_stall(slow);
  const std::string& address = server_->http_addresses().front();
  wait_until([&] { return unsent_bytes(address) >= 64 << 10; });
  EXPECT_LT(unsent_bytes(address), 1U << 20);
}

}  // namespace
}  // namespace holdfast::server
