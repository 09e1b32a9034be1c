// Who is let in by the HTTP port, what it reads, and how it ends.
#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <set>

#include "holdfast/limits.h"
#include "schema/tls/tls.h"
#include "server/http/body_room.h"
#include "server/http/exchange/refusals.h"
#include "server/http/routes.h"
#include "tests/http_api/api_fixture.h"
#include "tests/http_api/unread_bytes.h"
#include "tests/server/tokens.h"
#include "tests/support/certificates.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpDoorTest : public ApiFixture {
 protected:
  HttpDoorTest() { must(engine_->create_queue("orders")); }

  static std::size_t count_of(std::string_view what, std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
      ++count;
    return count;
  }

  static ServerOptions with_tokens() {
    ServerOptions options;
    options.tokens = tokens_of(
        {token_with("app-token", "app", "produce,consume:orders"), token_with("ops-token", "ops", "all:*")});
    return options;
  }
};

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
  const std::string kSend =
      "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n";
  const std::string kToken = "Authorization: Bearer app-token\r\n";
  for (const std::string& doubled : {kToken + "authorization: Bearer ops-token\r\n", kToken + kToken,
                                     kToken + "Content-Type: text/plain\r\nContent-Type: text/html\r\n",
                                     kToken + "Idempotency-Key: 1\r\nidempotency-key: 1\r\n",
                                     kToken + "Origin: http://localhost\r\nOrigin: http://localhost\r\n"}) {
    auto http = client();
    http.say(kSend + doubled + "\r\nx");
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
  EXPECT_THAT(log(), HasSubstr("reason=\"a request has more than one Host\""));
}

// RFC 9112, 3.2.2: what the target says of the host counts, whatever Host says.
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

// What is refused by its header alone is answered as that request, not as the one before it.
TEST_F(HttpDoorTest, ARefusalIsOfItsOwnRequest) {
  serve();
  const std::string twice = " /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n";
  auto after_head = client();
  after_head.say("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET" + twice);
  EXPECT_THAT(after_head.rest(), HasSubstr("\"code\":\"invalid_argument\""));
  auto head = client();
  head.say("HEAD" + twice);
  EXPECT_THAT(head.rest(), AllOf(StartsWith("HTTP/1.1 400"), EndsWith("\r\n\r\n")));
}

// Its answer would have no body.
TEST_F(HttpDoorTest, TheHeadOfAStreamOfEventsIsRefused) {
  serve();
  auto http = client();
  http.say("HEAD /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(http.until("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET\r\n")));
}

// A page of anybody's can have a browser send a GET here that says nothing of where it comes from.
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

// Whoever adds a route for GET looks here at whether its call has effects: if it has, it is no GET.
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

TEST_F(HttpDoorTest, WhatIsNotThereForAMethodSaysForWhichItIs) {
  serve();
  auto http = client();
  for (const char* path : {"/healthz", "/readyz", "/metrics", "/v1/openapi.json"}) {
    const Answer answer = http.call(http::verb::post, path, "Action=ListQueues",
                                    {{"Content-Type", "application/x-www-form-urlencoded"}});
    EXPECT_EQ(answer.status, 405U) << path;
    EXPECT_EQ(answer.header("allow"), "GET");
    EXPECT_EQ(http.get(path).status, 200U) << path;
  }
}

// Some clients send one behind a body (RFC 9112, 2.2).
TEST_F(HttpDoorTest, AnEmptyLineBeforeARequestIsPassedOver) {
  serve();
  auto http = client();
  const std::string get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  http.say("\r\n" + get + "\r\n\r\n" + get + "Connection: close\r\n\r\n");
  const std::string answers = http.rest();
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 200"));
  EXPECT_NE(answers.rfind("HTTP/1.1 200"), 0U);
  EXPECT_THAT(answers, Not(HasSubstr("HTTP/1.1 400")));
}

// How a request is divided into what a network carries at a time says nothing. Each part is read before the
// next one is sent.
TEST_F(HttpDoorTest, ARequestIsTheSameWhereverItIsDivided) {
  serve();
  const std::string send = "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\n";
  const std::string requests =
      "\r\n" + send + "Content-Length: 3\r\n\r\nabc\r\n" + send +
      "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nde\r\n1\r\nf\r\n0\r\nX: y\r\n\r\n" + "\r\n\r\n" + send +
      "Connection: close\r\nContent-Length: 0\r\n\r\n";
  for (std::size_t at = 1; at < requests.size(); ++at) {
    auto http = client();
    http.say(requests.substr(0, at));
    wait_until([&] { return unread_bytes(server_->http_addresses().front()) == 0; });
    http.say(requests.substr(at));
    const std::string answers = http.rest();
    EXPECT_EQ(count_of("HTTP/1.1 201 Created\r\n", answers), 3U) << "divided before byte " << at << '\n'
                                                                 << answers;
    const auto received = must(engine_->receive("orders", {.max = 10}));
    ASSERT_EQ(received.size(), 3U) << at;
    EXPECT_EQ(received[0].body, "abc");
    EXPECT_EQ(received[1].body, "def");
    EXPECT_EQ(received[2].body, "");
    for (const Delivery& one : received) must(engine_->ack(one.receipt));
  }
}

TEST(HttpErrorsTest, AnExceptionIsNeverTheFaultOfARequest) {
  EXPECT_EQ(problem(error_of(KJ_EXCEPTION(FAILED, "x"))).result_int(), 500U);
  EXPECT_EQ(error_of(KJ_EXCEPTION(OVERLOADED, "x")).code, ErrorCode::kOverloaded);
}

TEST_F(HttpDoorTest, WhatIsNotHttpIsAnsweredAndHungUpOn) {
  serve();
  auto nonsense = client();
  nonsense.say("HELO example.org\r\n\r\n");
  EXPECT_THAT(nonsense.rest(), StartsWith("HTTP/1.1 400 Bad Request"));
  auto long_header = client();
  long_header.say("GET /v1 HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n");
  EXPECT_THAT(long_header.rest(), StartsWith("HTTP/1.1 400 Bad Request"));
  auto two_lengths = client();
  two_lengths.say(
      "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: "
      "chunked\r\n\r\n");
  EXPECT_THAT(two_lengths.rest(), StartsWith("HTTP/1.1 400 Bad Request"));
}

TEST_F(HttpDoorTest, ABodyOfAnUnknownCodingIsNotTheNextRequest) {
  serve();
  for (const char* coding :
       {"xchunked", "identity", "gzip", "gzip, chunked", "chunked, identity", "\"chunked\"", ""}) {
    auto smuggler = client();
    smuggler.say(
        std::string("POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ") +
        coding + "\r\n\r\nDELETE /v1/queues/orders HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(smuggler.rest(), StartsWith("HTTP/1.1 400 Bad Request")) << coding;
  }
  EXPECT_EQ(client().get("/v1/queues/orders").status, 200U);
}

// What comes behind the last chunk is no part of the head.
TEST_F(HttpDoorTest, WhatComesAroundAndBehindChunksIsBoundedAndSaysNothing) {
  serve();
  const auto send = [&](const std::string& chunks) {
    auto http = client();
    http.say(
        "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nConnection: "
        "close\r\nTransfer-Encoding: "
        "chunked\r\n\r\n" +
        chunks);
    return http.rest();
  };
  EXPECT_THAT(send("1\r\nx\r\n0\r\nHoldfast-Bogus: 1\r\n\r\n"), StartsWith("HTTP/1.1 201 Created"));
  EXPECT_THAT(send("1;" + std::string(30'000, 'e') + "\r\nx\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 201 Created"));
  for (const std::size_t size : {66'000U, 300'000U}) {
    const std::string many(size, 'a');
    EXPECT_THAT(send("0\r\nX: " + many + "\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request")) << size;
    EXPECT_THAT(send("1;" + many + "\r\nx\r\n0\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request")) << size;
  }
  std::string fields;
  while (fields.size() < 300'000) fields += "X-Field: " + std::string(100, 'v') + "\r\n";
  EXPECT_THAT(send("0\r\n" + fields + "\r\n"), StartsWith("HTTP/1.1 400 Bad Request"));
  EXPECT_EQ(client().get("/v1/queues/orders").status, 200U);
}

TEST_F(HttpDoorTest, ARequestOfHttp10HasNoChunksAndWaitsForNothing) {
  serve();
  auto chunked = client();
  chunked.say(
      "POST /v1/queues/orders/messages HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n1\r\nx"
      "\r\n0\r\n\r\n");
  EXPECT_THAT(chunked.rest(), HasSubstr(" 400 Bad Request"));
  const std::string head =
      "\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n";
  auto old = client();
  old.say("POST /v1/queues/orders/messages HTTP/1.0" + head + "x");
  EXPECT_THAT(old.rest(), HasSubstr(" 201 Created"));
  auto waiting = client();
  waiting.say("POST /v1/queues/orders/messages HTTP/1.1" + head);
  EXPECT_THAT(waiting.until("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
  waiting.say("x");
  EXPECT_THAT(waiting.rest(), HasSubstr(" 201 Created"));
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

// Also where it has sent more than the request that it waits with.
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
    // The one place is free again.
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

// A browser tells the page that embeds an answer whether it loaded: what is refused says nothing of what
// there is.
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

// Browsers say where a request comes from over TLS and to this machine only.
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

// Whatever depth it has: values of JSON are written and destroyed by recursion.
TEST_F(HttpDoorTest, ADeeplyNestedBodyIsRefused) {
  serve();
  auto http = client();
  for (const std::size_t levels : {std::size_t(limits::kJsonDepth), std::size_t(1'000'000)}) {
    const std::string deep = std::string(levels + 1, '[') + std::string(levels + 1, ']');
    const Answer answer = http.call(http::verb::put, "/v1/queues/deep", "{\"tags\": " + deep + "}",
                                    {{"Content-Type", "application/json"}});
    EXPECT_EQ(answer.status, 400U);
    EXPECT_THAT(answer.body, HasSubstr("nested deeper than"));
  }
}

TEST_F(HttpDoorTest, ABodyOfTooManyValuesOrMembersIsRefused) {
  serve();
  auto http = client();
  const auto refused = [&](const std::string& body) {
    const Answer answer =
        http.call(http::verb::put, "/v1/queues/many", body, {{"Content-Type", "application/json"}});
    EXPECT_EQ(answer.status, 400U);
    return answer.body;
  };
  std::string values = "{\"tags\":[0";
  for (std::size_t i = 0; i < limits::kJsonValues; ++i) values += ",0";
  EXPECT_THAT(refused(values + "]}"), HasSubstr("the body has more than 2097152 values"));
  std::string members = "{\"tags\":{\"t\":\"\"";
  for (std::size_t i = 0; i < limits::kJsonMembers; ++i) members += ",\"" + std::to_string(i) + "\":\"\"";
  EXPECT_THAT(refused(members + "}}"), HasSubstr("the body has an object of more than 1000 members"));
  EXPECT_THAT(refused("{"), HasSubstr("the body is not JSON"));
}

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

// Or a client without a secret could announce much on many connections, and keep all others out.
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

TEST_F(HttpDoorTest, RequestsThatFollowEachOtherAreAnsweredInTheirOrder) {
  serve();
  auto http = client();
  std::string text;
  for (const char* path : {"/healthz", "/v1/queues/nowhere", "/healthz"})
    text += std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  http.say(text);
  EXPECT_EQ(http.finish().status, 200U);
  EXPECT_EQ(http.finish().status, 404U);
  EXPECT_EQ(http.finish().body, "ok\n");
  const Answer head = http.call(http::verb::head, "/healthz");
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.header("content-length"), "3");
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

TEST_F(HttpDoorTest, AMemberThatStandsTwiceIsRefused) {
  serve();
  auto http = client();
  for (const auto& [method, path] : std::initializer_list<std::pair<http::verb, const char*>>{
           {http::verb::put, "/v1/queues/twice"}, {http::verb::post, "/v1/queues/orders/messages/batch"}}) {
    const Answer answer = http.call(method, path, R"({"messages": [{"body": "x", "body": "y"}]})",
                                    {{"Content-Type", "application/json"}});
    EXPECT_EQ(answer.status, 400U) << path;
    EXPECT_THAT(answer.body, HasSubstr("the body has the member 'body' twice in one object")) << path;
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 0U);
}

TEST_F(HttpDoorTest, AServerThatDrainsAnswersNewConnections) {
  serve();
  server_->drain({.timeout = 1h});
  EXPECT_EQ(client().get("/healthz").status, 200U);
  wait_until([&] { return client().get("/readyz").status == 503U; });
  wait_until(
      [&] { return client().call(http::verb::post, "/v1/queues/orders/messages", "x").status == 503U; });
}

// RFC 9112, 9.6: who sends nothing more may still read.
TEST_F(HttpDoorTest, WhoSendsNothingMoreIsAnswered) {
  serve();
  const std::string send =
      "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx";
  for (const std::size_t requests : {1U, 3U}) {
    auto http = client();
    std::string all;
    for (std::size_t i = 0; i < requests; ++i) all += send;
    http.say(all);
    http.close_sending();
    EXPECT_EQ(count_of("HTTP/1.1 201 Created", http.rest()), requests);
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 4U);
}

// Sends it, says that nothing more comes, and reads to the end.
std::string ask_over_tls(const std::string& address, const std::string& requests) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> connection(BIO_new_ssl_connect(context.get()),
                                                                 BIO_free_all);
  BIO_set_conn_hostname(connection.get(), address.substr(address.rfind('/') + 1).c_str());
  BIO_write(connection.get(), requests.data(), static_cast<int>(requests.size()));
  SSL* ssl = nullptr;
  BIO_get_ssl(connection.get(), &ssl);
  SSL_shutdown(ssl);
  std::string answers;
  std::array<char, 4096> part{};
  while (true) {
    const int bytes = SSL_read(ssl, part.data(), static_cast<int>(part.size()));
    if (bytes <= 0) return answers;
    answers.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

TEST_F(HttpDoorTest, WhoSendsNothingMoreOverTlsIsAnswered) {
  TestAuthority authority(directory_ / "certificates");
  const auto issued = authority.issue("server", "IP:127.0.0.1");
  ServerOptions options;
  options.http_listen = {"tls://127.0.0.1:0"};
  options.tls =
      must(transport::TlsContext::for_server({.certificate = issued.certificate, .key = issued.key}));
  start(std::move(options));
  const std::string send =
      "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx";
  const std::string address = server_->http_addresses().front();
  EXPECT_EQ(count_of("HTTP/1.1 201 Created", ask_over_tls(address, send)), 1U);
  EXPECT_EQ(count_of("HTTP/1.1 201 Created", ask_over_tls(address, send + send + send)), 3U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 4U);
}

class HttpUnreadTest : public HttpDoorTest {
 protected:
  // More than the kernel keeps for a connection.
  static constexpr std::size_t kLarge = 16 << 20;

  HttpUnreadTest() {
    must(engine_->create_queue("large", {.max_body_bytes = kLarge}));
    must(engine_->send("large", {.body = std::string(kLarge, 'x')}));
    must(engine_->send("orders", {.body = "x"}));
    serve();
  }

  // Asks for an answer and reads nothing but its head. Returns how long its body is.
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
    return received.status == 200U;
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

// What the kernel takes looks as if the client had read it.
TEST_F(HttpUnreadTest, TheKernelHasLittleOfAnAnswerThatIsNotRead) {
  auto slow = client();
  ask_and_stall(slow);
  const std::string& address = server_->http_addresses().front();
  wait_until([&] { return unsent_bytes(address) >= 64 << 10; });
  EXPECT_LT(unsent_bytes(address), 1U << 20);
}

}  // namespace
}  // namespace holdfast::server
