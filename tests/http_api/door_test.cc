// These tests check who is let in by the HTTP port, and how it ends.
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <future>
#include <set>
#include <string_view>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "server/http/exchange/date_header.h"
#include "server/http/routes.h"
#include "tests/http_api/door_fixture.h"
#include "tests/support/switched_store.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(HttpDoorTest, ATokenSaysWhoMayDoWhat) {
  serve(with_tokens());
  auto http = client();
  const Answer stranger = http.get("/v1/queues/orders");
  EXPECT_EQ(stranger.status, 401U);
  EXPECT_EQ(stranger.header("www-authenticate"), "Bearer realm=\"holdfast\"");
  EXPECT_EQ(http.get("/v1/queues/orders", {{"Authorization", "Bearer wrong"}}).status, 401U);

  const HttpTestClient::Headers app = {{"Authorization", "Bearer app-token"}};
  EXPECT_EQ(http.get("/v1/queues/orders", app).status, 200U);
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/messages", "x", app).status, 201U);
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "", app).status, 403U);
  EXPECT_EQ(http.get("/v1/queues/secret", app).status, 404U);
  const HttpTestClient::Headers ops = {{"Authorization", "bearer ops-token"}};
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "", ops).parsed()["purged"], 1);
  EXPECT_EQ(http.get("/v1/queues/orders", app).status, 200U);
}

// A token learns nothing of the queues that are not its own, whatever refers to its own.
TEST_F(HttpDoorTest, ARefusalNamesNoQueueThatTheTokenMayNotSee) {
  ServerOptions options;
  options.tokens = tokens_of({token_with("desk-token", "desk", "operate,administer:desk*")});
  must(engine_->create_queue("desk"));
  must(engine_->create_queue("secret", {.dead_letters = {.queue = "desk", .parking_queue = "desk-parking"}},
                             MissingQueues::kCreate));
  serve(std::move(options));
  const HttpTestClient::Headers desk = {{"Authorization", "Bearer desk-token"}};
  for (const char* own : {"desk", "desk-parking"}) {
    const Answer refused = client().call(http::verb::delete_, "/v1/queues/" + std::string(own), "", desk);
    EXPECT_EQ(refused.code(), "queue_in_use");
    EXPECT_THAT(refused.body,
                AllOf(Not(HasSubstr("secret")), HasSubstr("queue of a queue that you may not see")));
  }
  const Answer refused = client().call(http::verb::patch, "/v1/queues/desk",
                                       R"({"deadLetterSources": {"allow": "none"}})", desk);
  EXPECT_EQ(refused.code(), "queue_in_use") << refused.body;
  EXPECT_THAT(refused.body, Not(HasSubstr("secret")));
}

TEST_F(HttpDoorTest, ATokenThatIsTakenBackOpensNothingAnyMore) {
  serve(with_tokens());
  auto http = client();
  const HttpTestClient::Headers app = {{"Authorization", "Bearer app-token"}};
  ASSERT_EQ(http.get("/v1/queues/orders", app).status, 200U);
  server_->set_tokens(tokens_of({}));
  EXPECT_EQ(http.get("/v1/queues/orders", app).status, 401U) << "as with a token that was never known";
}

TEST_F(HttpDoorTest, AProbeMayHaveAQuery) {
  serve();
  auto http = client();
  EXPECT_EQ(http.get("/healthz?x=1").body, "ok\n");
  EXPECT_EQ(http.get("/readyz?verbose&x=%zz").body, "ok\n");
  EXPECT_THAT(http.get("/metrics?name=a").body, HasSubstr("holdfast_queue_messages"));
}

TEST_F(HttpDoorTest, TwoTokensMayUseOneIdempotencyKey) {
  serve(with_tokens());
  auto http = client();
  const auto send = [&](const std::string& token, const std::string& body) {
    return http.call(http::verb::post, "/v1/queues/orders/messages", body,
                     {{"Authorization", "Bearer " + token}, {"Idempotency-Key", "order-1234"}});
  };
  const Answer first = send("app-token", "x");
  EXPECT_EQ(first.status, 201U);
  EXPECT_EQ(send("ops-token", "y").status, 201U);
  EXPECT_EQ(send("app-token", "x").parsed()["id"], first.parsed()["id"]);
  EXPECT_EQ(send("app-token", "z").status, 400U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 2U);
}

TEST_F(HttpDoorTest, AHeaderOfWhichOneWouldCountMayNotStandTwice) {
  serve(with_tokens());
  const std::string send =
      "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n";
  const std::string token = "Authorization: Bearer app-token\r\n";
  for (const std::string& doubled : {token + "authorization: Bearer ops-token\r\n", token + token,
                                     token + "Content-Type: text/plain\r\nContent-Type: text/html\r\n",
                                     token + "Idempotency-Key: 1\r\nidempotency-key: 1\r\n",
                                     token + "Origin: http://localhost\r\nOrigin: http://localhost\r\n"}) {
    auto http = client();
    http.say(send + doubled + "\r\nx");
    const std::string answer = http.rest();
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 400"), HasSubstr(": there is more than one"))) << doubled;
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.sent, 0U);
}

TEST_F(HttpDoorTest, NumbersAreForWhoMaySeeEverything) {
  serve(with_tokens());
  auto http = client();
  EXPECT_EQ(http.get("/healthz").body, "ok\n");
  EXPECT_EQ(http.get("/readyz").status, 200U);
  EXPECT_EQ(http.get("/metrics").status, 401U);
  EXPECT_EQ(http.get("/metrics", {{"Authorization", "Bearer app-token"}}).status, 403U);
  const Answer metrics = http.get("/metrics", {{"Authorization", "Bearer ops-token"}});
  EXPECT_EQ(metrics.status, 200U);
  EXPECT_THAT(metrics.body, HasSubstr("holdfast_queue_messages{queue=\"orders\""));
}

TEST_F(HttpDoorTest, NumbersSayThatTheEngineHasFailed) {
  const PowerSwitch power = power_on();
  auto store = must(open_memory_store(std::make_shared<MemoryDisk>(1)));
  engine_.emplace(must(EngineInside::open_over(std::make_unique<SwitchedStore>(std::move(store), power),
                                               {.background = false})));
  must(engine_->create_queue("orders"));
  serve(with_tokens());
  *power = false;
  ASSERT_THAT(engine_->send("orders", {.body = "x"}), FailsWith(ErrorCode::kStorageFailed));
  auto http = client();
  EXPECT_EQ(http.get("/metrics").status, 401U);
  EXPECT_EQ(http.get("/metrics", {{"Authorization", "Bearer wrong"}}).status, 401U);
  EXPECT_EQ(http.get("/metrics", {{"Authorization", "Bearer app-token"}}).status, 403U);
  const Answer metrics = http.get("/metrics", {{"Authorization", "Bearer ops-token"}});
  EXPECT_EQ(metrics.status, 200U);
  EXPECT_THAT(metrics.body, HasSubstr("holdfast_writable 0\n"));
}

TEST_F(HttpDoorTest, APageOfAnotherOriginCanDoNothing) {
  ServerOptions options;
  options.http_names.cors_origins = {"https://ops.example.org"};
  serve(std::move(options));
  auto http = client();
  const std::string path = "/v1/queues/orders/messages";
  EXPECT_EQ(http.call(http::verb::post, path, "x", {{"Origin", "https://evil.example"}}).status, 403U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 0U);

  auto browser = client();
  const Answer preflight = browser.call(http::verb::options, path, "",
                                        {{"Origin", "https://ops.example.org"},
                                         {"Access-Control-Request-Method", "POST"},
                                         {"Access-Control-Request-Headers", "authorization"}});
  EXPECT_EQ(preflight.status, 204U);
  EXPECT_EQ(preflight.header("access-control-allow-origin"), "https://ops.example.org");
  EXPECT_EQ(preflight.header("access-control-allow-headers"), "authorization");
  auto page = client();
  const Answer sent = page.call(http::verb::post, path, "x", {{"Origin", "https://ops.example.org"}});
  EXPECT_EQ(sent.status, 201U);
  EXPECT_EQ(sent.header("access-control-allow-origin"), "https://ops.example.org");
  const std::string own = "http://" + server_->http_addresses().front();
  EXPECT_EQ(page.call(http::verb::post, path, "x", {{"Origin", own}}).status, 201U);
}

TEST_F(HttpDoorTest, ANameThatIsNotItsOwnIsRefused) {
  ServerOptions options;
  options.http_names.hosts = {"queue.example.org"};
  serve(std::move(options));
  EXPECT_EQ(client().get("/v1/queues", {{"Host", "rebound.example"}}).status, 421U);
  EXPECT_EQ(client().get("/v1/queues", {{"Host", "queue.example.org:80"}}).status, 200U);
}

TEST_F(HttpDoorTest, ARequestNamesOneHostThatCanBeOne) {
  serve();
  const auto ask_with = [&](const std::string& hosts) {
    auto http = client();
    http.say("GET /healthz HTTP/1.1\r\n" + hosts + "Connection: close\r\n\r\n");
    return http.rest();
  };
  for (const char* hosts :
       {"", "Host: localhost\r\nHost: localhost\r\n", "Host: localhost\r\nX: y\r\nhost: rebound.example\r\n",
        "Host: a b\r\n", "Host: localhost@rebound.example\r\n", "Host: [::1\r\n"}) {
    EXPECT_THAT(ask_with(hosts),
                AllOf(StartsWith("HTTP/1.1 400 Bad Request\r\n"), HasSubstr("\"code\":\"invalid_argument\"")))
        << hosts;
  }
  EXPECT_THAT(ask_with("Host: localhost\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(log(), HasSubstr("reason=\"the request has more than one Host header\""));
}

// RFC 9112, 3.2.2: the host in the target counts, whatever the Host header says.
TEST_F(HttpDoorTest, ATargetMayBeAWholeUrl) {
  serve();
  const auto ask = [&](const std::string& target, const std::string& host = "rebound.example") {
    auto http = client();
    http.say("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    return http.rest();
  };
  EXPECT_THAT(ask("http://localhost/v1/queues/orders"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("\"orders\"")));
  EXPECT_THAT(ask("HTTP://127.0.0.1:80/v1/queues/orders/messages?max=1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("https://[::1]:7780/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("http://localhost?x=1"), ::testing::Not(StartsWith("HTTP/1.1 400")));
  EXPECT_THAT(ask("http://rebound.example/v1/queues", "localhost"), StartsWith("HTTP/1.1 421"));
  for (const char* target : {"http:///v1", "http://", "http://a@localhost/v1", "http://a%20b%/v1"})
    EXPECT_THAT(ask(target, "localhost"), StartsWith("HTTP/1.1 400")) << target;
  EXPECT_THAT(ask("ftp://localhost/v1", "localhost"), StartsWith("HTTP/1.1 404"));
}

// Any page can make a browser send a GET here that does not say where it comes from.
TEST_F(HttpDoorTest, AGetReceivesNothing) {
  serve();
  must(engine_->send("orders", {.body = "x"}));
  for (const char* method : {"GET", "HEAD"}) {
    auto http = client();
    http.say(std::string(method) +
             " /v1/queues/orders/deliveries/stream?max=10&lease=0.001 HTTP/1.1\r\nHost: localhost\r\n"
             "Connection: close\r\n\r\n");
    EXPECT_THAT(http.until("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: POST\r\n")))
        << method;
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.delivered, 0U);
}

// A call that has effects must not have a route for GET. A new route for GET needs its call in this list.
TEST(HttpRoutesTest, WhatIsAskedByGetOnlyReads) {
  const std::set<std::string_view> reads = {
      "hello",          "listQueues",    "describeQueue",   "queueStatistics",  "peek",
      "messageHistory", "statistics",    "listDeadLetters", "groupDeadLetters", "deadLetterStatistics",
      "drainStatus",    "redriveStatus", "listRedrives"};
  for (const Route& route : routes()) {
    const bool only_reads = reads.contains(route.call);
    EXPECT_TRUE(only_reads || route.method != http::verb::get) << route.path;
  }
}

TEST_F(HttpDoorTest, APageMayReadWhyItWasRefused) {
  ServerOptions options = with_tokens();
  options.http_names.cors_origins = {"https://ops.example.org"};
  serve(std::move(options));
  const Answer refused = client().call(http::verb::post, "/v1/queues/orders/messages", "x",
                                       {{"Origin", "https://ops.example.org"}});
  EXPECT_EQ(refused.status, 401U);
  EXPECT_EQ(refused.header("access-control-allow-origin"), "https://ops.example.org");
}

// A GET without CORS has no origin.
TEST_F(HttpDoorTest, APageOfAnotherSiteReceivesNothing) {
  serve();
  auto http = client();
  ASSERT_EQ(http.call(http::verb::post, "/v1/queues/orders/messages", "x").status, 201U);
  for (const char* site : {"cross-site", "same-site"}) {
    EXPECT_EQ(client().get("/v1/queues", {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", "no-cors"}}).status,
              403U);
    EXPECT_EQ(client()
                  .call(http::verb::post, "/v1/queues/orders/deliveries/stream?max=1", "",
                        {{"Origin", "null"}, {"Sec-Fetch-Site", site}})
                  .status,
              403U);
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 1U);
  for (const char* site : {"same-origin", "none"})
    EXPECT_EQ(client().get("/v1/queues", {{"Sec-Fetch-Site", site}}).status, 200U);
}

// A browser tells the page that embeds an answer whether it was loaded. So a refusal must not depend on what
// exists.
TEST_F(HttpDoorTest, WhatAPageOfAnotherSiteEmbedsIsRefusedBeforeAnybodyLooks) {
  serve();
  const auto embed = [&](const char* path, const char* site, const char* mode, const char* destination) {
    return client().get(
        path, {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", mode}, {"Sec-Fetch-Dest", destination}});
  };
  for (const char* site : {"cross-site", "same-site"}) {
    const std::string refused = embed("/v1/queues/nowhere", site, "navigate", "document").body;
    for (const auto& [mode, destination] :
         std::initializer_list<std::pair<const char*, const char*>>{{"navigate", "object"},
                                                                    {"navigate", "embed"},
                                                                    {"navigate", "iframe"},
                                                                    {"no-cors", "image"},
                                                                    {"no-cors", "empty"},
                                                                    {"no-cors", "script"},
                                                                    {"cors", "empty"},
                                                                    {"navigate", ""}}) {
      for (const char* path :
           {"/v1/queues/orders", "/v1/queues/nowhere", "/v1/nothing", "/", "/queues/orders", "/healthz",
            "/assets/x.js", "/?Action=GetQueueUrl&QueueName=orders"}) {
        const Answer answer = embed(path, site, mode, destination);
        EXPECT_EQ(answer.status, 403U) << path << ' ' << mode << ' ' << destination;
        const bool is_of_sqs = std::string_view(path).starts_with("/?");
        EXPECT_TRUE(is_of_sqs || answer.body == refused) << path << answer.body;
      }
    }
    for (const char* link : {"/", "/queues/orders", "/queues/nowhere"})
      EXPECT_NE(embed(link, site, "navigate", "document").status, 403U) << link;
    EXPECT_EQ(embed("/v1/queues/orders", site, "navigate", "document").status, 403U);
  }
}

// Browsers say where a request comes from only over TLS, and to this machine.
TEST_F(HttpDoorTest, WhatABrowserWouldEmbedUnmarkedItKeepsFromThePage) {
  serve();
  for (const char* path : {"/v1/queues/orders", "/v1/queues/nowhere", "/v1/queues", "/healthz", "/metrics"}) {
    for (const auto method : {http::verb::get, http::verb::head}) {
      const Answer answer = client().call(method, path);
      EXPECT_EQ(answer.header("cross-origin-resource-policy"), "same-origin") << path;
      EXPECT_EQ(answer.header("x-frame-options"), "DENY") << path;
      EXPECT_EQ(answer.header("x-content-type-options"), "nosniff") << path;
    }
  }
}

// The client may have sent more than the request that waits.
TEST_F(HttpDoorTest, WhoHangsUpWhileWaitingGetsNothing) {
  ServerOptions options;
  options.limits.max_connections = 1;
  serve(std::move(options));
  const std::string poll =
      "POST /v1/queues/orders/deliveries?wait=1h HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  for (const std::string& more : {std::string(), std::string("\r\n"), poll}) {
    auto gone = client();
    gone.say(poll + more);
    gone.hang_up();
    // The only place becomes free again.
    unsigned status = 0;
    while (status != 200) {
      try {
        status = client().get("/healthz").status;
      } catch (const boost::system::system_error&) {
        std::this_thread::yield();
      }
    }
    must(engine_->send("orders", {.body = "x"}));
    const auto next = must(engine_->receive("orders", {.wait = 1h}));
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(next.front().deliveries, 1U);
    must(engine_->ack(next.front().receipt));
  }
}

TEST_F(HttpDoorTest, AServerThatDrainsSaysSo) {
  serve();
  auto http = client();
  ASSERT_EQ(http.get("/readyz").status, 200U);
  server_->drain({.timeout = 1h});
  wait_until([&] { return http.get("/readyz").status == 503U; });
  const Answer refused = http.call(http::verb::post, "/v1/queues/orders/messages", "x");
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.code(), "closed");
}

TEST_F(HttpDoorTest, AServerThatDrainsAnswersNewConnections) {
  serve();
  server_->drain({.timeout = 1h});
  EXPECT_EQ(client().get("/healthz").status, 200U);
  wait_until([&] { return client().get("/readyz").status == 503U; });
  wait_until(
      [&] { return client().call(http::verb::post, "/v1/queues/orders/messages", "x").status == 503U; });
}

TEST_F(HttpDoorTest, AConnectionThatIsIdleForTooLongIsClosed) {
  ServerOptions options;
  options.limits.idle_timeout = 3s;
  serve(std::move(options));
  auto idle = client();
  ASSERT_EQ(idle.get("/healthz").status, 200U);
  EXPECT_EQ(idle.rest(), "");
}

TEST_F(HttpDoorTest, ANewLimitOfStallsHoldsForOpenConnections) {
  ServerOptions options;
  options.limits.stall_timeout = 1h;
  serve(std::move(options));
  auto slow = client();
  ASSERT_EQ(slow.get("/healthz").status, 200U);
  server_->set_limits({.stall_timeout = 1ms});
  slow.say("POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(slow.rest(), "");
}

// Returns whether the sockets of this process that serve clients at this port have keepalive.
std::vector<bool> keepalives(std::uint16_t port) {
  std::vector<bool> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    sockaddr_in own{};
    sockaddr_in client{};
    socklen_t own_size = sizeof(own);
    socklen_t client_size = sizeof(client);
    const bool serves = ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
                        own.sin_family == AF_INET && ntohs(own.sin_port) == port &&
                        ::getpeername(fd, reinterpret_cast<sockaddr*>(&client), &client_size) == 0;
    int value = 0;
    socklen_t size = sizeof(value);
    if (serves && ::getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, &size) == 0) found.push_back(value != 0);
  }
  return found;
}

TEST_F(HttpDoorTest, AClientWhoseMachineIsGoneIsNoticed) {
  serve();
  auto waits = client();
  ASSERT_EQ(waits.get("/healthz").status, 200U);
  const auto address = must(transport::parse_address(server_->http_addresses().front()));
  EXPECT_EQ(keepalives(address.port), std::vector<bool>{true});
}

// A client that signs requests with a clock that is wrong learns by the answer what the server's says.
TEST_F(HttpDoorTest, EachAnswerHasADate) {
  serve();
  for (const char* target : {"/v1", "/healthz", "/v1/nowhere", "/?Action=Nonsense"})
    EXPECT_THAT(client().get(target).header("date"), EndsWith(" GMT")) << target;
  auto consumer = client();
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries/stream");
  EXPECT_THAT(consumer.until("\r\n\r\n"), HasSubstr("\r\nDate: "));
}

TEST(DateHeaderTest, IsATimeAsHttpWritesIt) {
  DateHeader date;
  EXPECT_EQ(date.at(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.at(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date.at(1'709'164'800), "Thu, 29 Feb 2024 00:00:00 GMT");
}

TEST_F(HttpDoorTest, AStopAnswersWhoWaits) {
  serve();
  auto consumer = client();
  auto idle = client();
  ASSERT_EQ(idle.get("/healthz").status, 200U);
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries?wait=1h");
  wait_until([&] { return server_->meter().calls_in_flight == 1; });
  server_->stop(10s);
  EXPECT_EQ(consumer.finish().parsed()["deliveries"], json::array());
  EXPECT_EQ(idle.rest(), "");
}

// What looks after a server must get an answer while somebody waits for something long.
TEST_F(HttpDoorTest, ALongRedriveHoldsUpNoOtherCall) {
  must(engine_->create_queue("work", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  must(engine_->send("work", {.body = "x"}));
  must(engine_->reject(must(engine_->receive("work")).at(0).receipt, {}));
  ServerOptions options;
  options.blocking_threads = 1;
  serve(std::move(options));
  std::promise<void> begun;
  std::promise<void> may_end;
  auto first = std::async(std::launch::async, [&] {
    return engine_->redrive("dead", {}, [&](const DeadLetter& letter) -> Result<Message> {
      begun.set_value();
      may_end.get_future().wait();
      return Message{.body = letter.body};
    });
  });
  begun.get_future().wait();
  auto waits = client();  // for the letters of the queue, which the first redrive has
  waits.start(http::verb::post, "/v1/queues/dead/dead-letters/redrive", R"({"wait":true})",
              {{"Content-Type", "application/json"}});
  wait_until([&] { return must(engine_->list_redrives()).size() == 2; });
  auto other = client();
  EXPECT_EQ(other.get("/healthz").status, 200U);
  EXPECT_EQ(other.get("/v1/queues/dead").status, 200U);
  may_end.set_value();
  EXPECT_EQ(waits.finish(http::verb::post).status, 200U);
  EXPECT_EQ(must(first.get()).moved, 1U);
}

// A client that follows a drain over one connection is told that the server has ended, and the server does
// not wait for it before that.
TEST_F(HttpDoorTest, WhoFollowsADrainIsToldOfTheEnd) {
  serve();
  auto follower = client();
  follower.post("/v1/drain", {{"timeout", "1h"}, {"exit", true}});
  ASSERT_EQ(follower.get("/v1/drain?wait=1h").parsed().value("over", false), true);
  follower.start(http::verb::get, "/v1/drain?wait=1h");
  server_->stop(1h);
  server_->end(engine_->close(), 1s);
  EXPECT_EQ(follower.finish().parsed().value("ended", false), true);
}

}  // namespace
}  // namespace holdfast::server
