// A client that speaks SQS is answered in SQS, also if the request is refused before its body is read.
#include "holdfast/limits.h"
#include "server/http/connection/body_room.h"
#include "server/sqs/format/sqs_limits.h"
#include "tests/sqs/sqs_fixture.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::HasSubstr;

constexpr const char* kJsonHead = "X-Amz-Target: AmazonSQS.SendMessage\r\n";
constexpr const char* kQueryHead = "Content-Type: application/x-www-form-urlencoded\r\n";

class SqsDoorTest : public SqsFixture {
 protected:
  // Sends `headers`, with one header on each line, and the body. Returns the answer.
  Answer ask(const std::string& headers, const std::string& body = "") {
    HttpTestClient http(server_->http_addresses().front());
    const std::string host = headers.find("Host:") == std::string::npos ? "Host: localhost\r\n" : "";
    http.say("POST / HTTP/1.1\r\n" + host + headers + "\r\n" + body);
    return http.finish();
  }
  // Checks that a request in either protocol is refused so.
  void expect_refused(const std::string& headers, const std::string& body, unsigned status,
                      const std::string& type, const std::string& code) {
    const Answer json = ask(kJsonHead + headers, body);
    EXPECT_EQ(json.status, status) << json.body;
    EXPECT_EQ(json.header("content-type"), "application/x-amz-json-1.0");
    EXPECT_EQ(json.header("x-amzn-query-error"), code + ";Sender");
    EXPECT_EQ(json.parsed().value("__type", ""), type);
    const Answer query = ask(kQueryHead + headers, body);
    EXPECT_EQ(query.status, status) << query.body;
    EXPECT_EQ(query.header("content-type"), "text/xml");
    EXPECT_EQ(query.header("x-amzn-query-error"), code + ";Sender");
    EXPECT_THAT(query.body, HasSubstr("<Code>" + code + "</Code>"));
  }
};

TEST_F(SqsDoorTest, ABodyThatIsTooLargeIsRefusedInTheProtocolOfItsClient) {
  serve_sqs();
  const std::string too_many = std::to_string(limits::kRequestBytes + 1);
  expect_refused("Content-Length: " + too_many + "\r\n", "", 413,
                 "com.amazon.coral.service#RequestEntityTooLargeException", "RequestEntityTooLarge");
  const std::string unsaid = "100001\r\n" + std::string(BodyRoom::kUnsaid + 1, 'x') + "\r\n0\r\n\r\n";
  expect_refused("Transfer-Encoding: chunked\r\n", unsaid, 413,
                 "com.amazon.coral.service#RequestEntityTooLargeException", "RequestEntityTooLarge");
}

TEST_F(SqsDoorTest, AFullBatchOfWhichEachByteIsEscapedIsRead) {
  serve_sqs();
  std::string padding(limits::kRequestBytes - 2, ' ');
  const Answer answer = ask(kJsonHead + ("Content-Length: " + std::to_string(limits::kRequestBytes) + "\r\n"),
                            "{" + padding + "}");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_EQ(answer.header("x-amzn-query-error"), "MissingParameter;Sender");
}

TEST_F(SqsDoorTest, ABodyOfTooManyValuesIsMalformedInput) {
  serve_sqs();
  std::string body = "{\"x\":[0";
  for (std::size_t i = 0; i < holdfast::limits::kJsonValues; ++i) body += ",0";
  body += "]}";
  const Answer answer = ask(kJsonHead + ("Content-Length: " + std::to_string(body.size()) + "\r\n"), body);
  EXPECT_EQ(answer.status, 400U);
  EXPECT_EQ(answer.parsed().value("__type", ""), "com.amazon.coral.service#SerializationException");
  EXPECT_THAT(answer.body, HasSubstr("has more than 2097152 values"));
}

TEST_F(SqsDoorTest, BodiesForWhichThereIsNoRoomAreThrottled) {
  ServerOptions options;
  options.limits.max_total_send_bytes = 1000;
  serve_sqs(std::move(options));
  expect_refused("Content-Length: 1001\r\n", "", 400, "com.amazonaws.sqs#RequestThrottled",
                 "RequestThrottled");
}

TEST_F(SqsDoorTest, ANameOfSomebodyElseAndAPageOfSomebodyElseAreDenied) {
  serve_sqs();
  constexpr const char* kType = "com.amazon.coral.service#AccessDeniedException";
  expect_refused("Host: rebound.example\r\nContent-Length: 2\r\n", "{}", 403, kType, "AccessDenied");
  expect_refused("Origin: https://evil.example\r\nContent-Length: 2\r\n", "{}", 403, kType, "AccessDenied");
  expect_refused("Sec-Fetch-Site: cross-site\r\nContent-Length: 2\r\n", "{}", 403, kType, "AccessDenied");
}

TEST_F(SqsDoorTest, WhatCannotBeReadIsMalformedInput) {
  serve_sqs();
  for (const char* headers :
       {"Host: a\r\nHost: b\r\n", "Transfer-Encoding: gzip\r\n", "Authorization: a\r\nAuthorization: a\r\n",
        "X-Amz-Date: 20260301T093000Z\r\nX-Amz-Date: 20260301T093000Z\r\n",
        ("Content-Type: application/x-www-form-urlencoded\r\n"
         "Content-Type: application/x-www-form-urlencoded\r\n")}) {
    expect_refused(headers, "", 400, "com.amazon.coral.service#SerializationException", "MalformedInput");
  }
  expect_refused("Transfer-Encoding: chunked\r\n", "nonsense\r\n", 400,
                 "com.amazon.coral.service#SerializationException", "MalformedInput");
}

TEST_F(SqsDoorTest, AnOperationOfAnotherServiceIsNoneOfThisOne) {
  serve_sqs();
  for (const char* target : {"DynamoDB_20120810.ListTables", "ListQueues", "AmazonSQS", "SendMessage"}) {
    const Answer answer = ask("X-Amz-Target: " + std::string(target) + "\r\nContent-Length: 2\r\n", "{}");
    EXPECT_EQ(answer.status, 400U) << target;
    EXPECT_EQ(answer.header("x-amzn-query-error"), "InvalidAction;Sender") << target;
  }
}

TEST_F(SqsDoorTest, TheTypeOfAFormIsKnownInAnyCase) {
  serve_sqs();
  const std::string form = "Action=CreateQueue&QueueName=orders";
  const Answer answer = ask("Content-Type: Application/X-WWW-Form-Urlencoded\r\nContent-Length: " +
                                std::to_string(form.size()) + "\r\n",
                            form);
  EXPECT_EQ(answer.status, 200U) << answer.body;
}

// Any page can make a browser send a GET that does not say where it comes from.
TEST_F(SqsDoorTest, AGetOfTheQueryProtocolIsToldToPost) {
  serve_sqs();
  sqs().create("orders");
  const Answer answer = sqs().http().get("/?Action=DeleteQueue&QueueUrl=orders");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_EQ(answer.header("x-amzn-query-error"), "AWS.SimpleQueueService.UnsupportedOperation;Sender");
  EXPECT_THAT(answer.body, HasSubstr("POST"));
  EXPECT_TRUE(engine_->describe_queue("orders"));
}

TEST_F(SqsDoorTest, AMemberThatStandsTwiceIsMalformedInput) {
  serve_sqs();
  const std::string body = R"({"QueueName": "a", "QueueName": "b"})";
  const Answer answer = ask(
      "X-Amz-Target: AmazonSQS.CreateQueue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n", body);
  EXPECT_EQ(answer.status, 400U);
  EXPECT_EQ(answer.parsed().value("__type", ""), "com.amazon.coral.service#SerializationException");
  EXPECT_THAT(answer.body, HasSubstr("has the member 'QueueName' twice"));
}

// A purge is several calls, and its client waits for none of them.
TEST_F(SqsDoorTest, WhatIsReceivedWholeIsDoneThoughItsClientHangsUp) {
  serve_sqs(without_cooldown());
  sqs().create("orders");
  const std::string form = "Action=PurgeQueue&QueueUrl=http%3A%2F%2Fx%2F000000000000%2Forders";
  const std::string purge = "POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kQueryHead) +
                            "Content-Length: " + std::to_string(form.size()) + "\r\n\r\n" + form;
  for (int i = 0; i < 20; ++i) {
    must(engine_->send("orders", {.body = "x"}));
    HttpTestClient http(server_->http_addresses().front());
    http.say(purge);
    http.hang_up();
    wait_until([&] { return must(engine_->describe_queue("orders")).counts.ready == 0; });
  }
}

}  // namespace
}  // namespace holdfast::server::sqs
