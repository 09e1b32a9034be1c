// These tests check how the HTTP port reads requests, wherever they begin, end and are divided.
#include <openssl/ssl.h>

#include <array>
#include <memory>

#include "holdfast/limits.h"
#include "schema/tls/tls.h"
#include "server/http/exchange/refusals.h"
#include "tests/http_api/door_fixture.h"
#include "tests/http_api/unread_bytes.h"
#include "tests/support/certificates.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t count_of(std::string_view what, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
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

// A request that is refused for its header alone is answered as itself, and not as the request before it.
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

// The answer to HEAD would have no body.
TEST_F(HttpDoorTest, TheHeadOfAStreamOfEventsIsRefused) {
  serve();
  auto http = client();
  http.say("HEAD /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(http.until("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET\r\n")));
}

// Some clients send an empty line behind a body (RFC 9112, 2.2).
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

// It does not matter how a request is divided into what a network carries at a time. Each part is read before
// more is sent.
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

// What comes behind the last chunk does not count as part of the head.
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

// A body of any depth is refused in time: values of JSON are written and destroyed by recursion.
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

// RFC 9112, 9.6: a client that sends nothing more may still read.
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

// Sends the requests, says that nothing more comes, and reads to the end.
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

}  // namespace
}  // namespace holdfast::server
