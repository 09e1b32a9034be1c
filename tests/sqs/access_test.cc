// Tests who may do what over SQS where clients have tokens. Requests are signed.
#include "server/sqs/signature.h"
#include "tests/server/tokens.h"
#include "tests/sqs/sqs_fixture.h"

namespace holdfast::server::sqs {
namespace {

using ::testing::HasSubstr;

class SqsAccessTest : public SqsFixture {
 protected:
  SqsAccessTest() {
    must(engine_->create_queue("orders"));
    must(engine_->create_queue("secret"));
    must(engine_->create_queue("orders.fifo", {.grouping = {.mode = Grouping::kOrdered},
                                               .deduplication = {.mode = Deduplication::kByContent}}));
    ServerOptions options = without_cooldown();
    options.tokens = tokens_of({signing("app", {"produce,consume:orders", "produce,consume:orders.fifo"}),
                                signing("other", {"produce:orders", "produce:orders.fifo", "consume:mail"}),
                                signing("owner", {"administer:dlq", "administer:orders"}),
                                token_with("bearer-token", "bearer", "all:*")});
    serve_sqs(std::move(options));
  }

  // Makes the token NAME-token that signs.
  static TokenEntry signing(const std::string& name, const std::vector<std::string>& grants) {
    Rights rights{.name = name, .grants = {}};
    for (const std::string& grant : grants) rights.grants.push_back(must(parse_grant(grant)));
    return {.hash = hash_of(name + "-token"), .rights = rights, .secret = name + "-token"};
  }

  static std::string now() {
    const std::time_t time = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&time, &utc);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc)};
  }

  // Asks as a client with this key id and secret.
  Answer ask(const std::string& id, const std::string& secret, const std::string& operation,
             const json& input, const std::string& sent = "") {
    SqsClient client(server_->http_addresses().front());
    return ask_over(client, id, secret, operation, input, sent);
  }
  Answer ask_over(SqsClient& client, const std::string& id, const std::string& secret,
                  const std::string& operation, const json& input, const std::string& sent = "") {
    HttpRequest request(http::verb::post, "/", 11, input.dump());
    const std::string host = server_->http_addresses().front();
    const std::string date = now();
    request.set(http::field::host, host);
    request.set("X-Amz-Date", date);
    request.set("X-Amz-Target", "AmazonSQS." + operation);
    const Authorization said{.access_key_id = id,
                             .date = date.substr(0, 8),
                             .region = "eu-central-1",
                             .service = "sqs",
                             .signed_headers = {"host", "x-amz-date", "x-amz-target"},
                             .signature = {}};
    const std::string header =
        "AWS4-HMAC-SHA256 Credential=" + id + "/" + said.date +
        "/eu-central-1/sqs/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=" +
        signature_of(request, said, secret);
    return client.http().call(
        http::verb::post, "/", sent.empty() ? request.body() : sent,
        {{"X-Amz-Target", "AmazonSQS." + operation}, {"X-Amz-Date", date}, {"Authorization", header}});
  }
  static std::string code(const Answer& answer) { return answer.header("x-amzn-query-error"); }

  const json to_orders_ = {{"QueueUrl", "/0/orders"}, {"MessageBody", "x"}};
};

TEST_F(SqsAccessTest, AQueueThatATokenMayNotMakeIsRefusedAsSuch) {
  for (const char* name : {"secret", "new"})
    EXPECT_THAT(code(ask("app", "app-token", "CreateQueue", {{"QueueName", name}})),
                HasSubstr("AccessDenied"));
}

TEST_F(SqsAccessTest, ASignedRequestHasTheRightsOfItsToken) {
  EXPECT_EQ(ask("app", "app-token", "SendMessage", to_orders_).status, 200U);
  EXPECT_EQ(
      ask("app", "app-token", "ReceiveMessage", {{"QueueUrl", "/0/orders"}}).parsed()["Messages"].size(), 1U);
  const Answer denied = ask("app", "app-token", "PurgeQueue", {{"QueueUrl", "/0/orders"}});
  EXPECT_EQ(denied.status, 403U);
  EXPECT_EQ(code(denied), "AccessDenied;Sender");
  EXPECT_EQ(code(ask("app", "app-token", "GetQueueUrl", {{"QueueName", "secret"}})),
            "AWS.SimpleQueueService.NonExistentQueue;Sender");
  EXPECT_EQ(ask("app", "app-token", "ListQueues", json::object()).parsed()["QueueUrls"].size(), 2U);
}

// Otherwise a client would take the message for deleted, and it would come again.
TEST_F(SqsAccessTest, DeletingAndHidingNeedTheRightToReceive) {
  ASSERT_EQ(ask("app", "app-token", "SendMessage", to_orders_).status, 200U);
  const json message =
      ask("app", "app-token", "ReceiveMessage", {{"QueueUrl", "/0/orders"}}).parsed()["Messages"][0];
  json one = {{"QueueUrl", "/0/orders"}, {"ReceiptHandle", message["ReceiptHandle"]}};
  json entry = {{"Id", "a"}, {"ReceiptHandle", message["ReceiptHandle"]}, {"VisibilityTimeout", 0}};
  const json batch = {{"QueueUrl", "/0/orders"}, {"Entries", {entry}}};
  for (const char* operation :
       {"DeleteMessage", "DeleteMessageBatch", "ChangeMessageVisibility", "ChangeMessageVisibilityBatch"}) {
    SCOPED_TRACE(operation);
    one["VisibilityTimeout"] = 0;
    const json& input = std::string_view(operation).ends_with("Batch") ? batch : one;
    EXPECT_EQ(code(ask("other", "other-token", operation, input)), "AccessDenied;Sender");
    EXPECT_EQ(code(ask("owner", "owner-token", operation, input)), "AccessDenied;Sender");
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.leased, 1U);
  EXPECT_EQ(ask("app", "app-token", "DeleteMessage", one).status, 200U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.leased, 0U);
}

TEST_F(SqsAccessTest, WhoMayNotReceiveDoesNotTouchAnAttempt) {
  must(engine_->send("orders.fifo", {.body = "x", .group = "g"}));
  const json attempt = {{"QueueUrl", "/0/orders.fifo"}, {"ReceiveRequestAttemptId", "one"}};
  const json first = ask("app", "app-token", "ReceiveMessage", attempt).parsed();
  ASSERT_EQ(first["Messages"].size(), 1U);
  EXPECT_EQ(code(ask("other", "other-token", "ReceiveMessage", attempt)), "AccessDenied;Sender");
  EXPECT_EQ(ask("app", "app-token", "ReceiveMessage", attempt).parsed(), first);
}

// The token may alter one of the two queues that dead-letter to the queue, and does not know the other one.
TEST_F(SqsAccessTest, AQueueThatCannotBeDeletedKeepsItsSources) {
  must(engine_->create_queue("dlq"));
  for (const char* source : {"orders", "secret"})
    must(engine_->alter_queue(source, {.dead_letters = {.queue = "dlq"}}));
  EXPECT_EQ(code(ask("owner", "owner-token", "DeleteQueue", {{"QueueUrl", "/0/dlq"}})),
            "AWS.SimpleQueueService.UnsupportedOperation;Sender");
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.dead_letters.queue, "dlq");
  must(engine_->alter_queue("secret", {.dead_letters = {.queue = ""}}));
  EXPECT_EQ(ask("owner", "owner-token", "DeleteQueue", {{"QueueUrl", "/0/dlq"}}).status, 200U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).options.dead_letters.queue, "");
}

// The name of a token that signs is no secret, and the signature is checked when the body is there.
TEST_F(SqsAccessTest, StrangersDoNotTakeTheRoomOfThoseWhoAreKnown) {
  ServerOptions options = without_cooldown();
  options.tokens = tokens_of({signing("app", {"produce:orders"})});
  options.limits.max_total_send_bytes = 4'000'000;
  server_.reset();
  serve_sqs(std::move(options));
  SqsClient known(server_->http_addresses().front());
  ASSERT_EQ(ask_over(known, "app", "app-token", "SendMessage", to_orders_).status, 200U);
  std::vector<std::unique_ptr<HttpTestClient>> strangers;
  std::string said;
  do {
    strangers.push_back(std::make_unique<HttpTestClient>(server_->http_addresses().front()));
    strangers.back()->say(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.SendMessage\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=app/20260101/eu/sqs/aws4_request, SignedHeaders=host, "
        "Signature=00\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n");
    said = strangers.back()->until("\r\n\r\n");
    if (said.starts_with("HTTP/1.1 100")) strangers.back()->say(std::string(999'999, 'x'));
  } while (said.starts_with("HTTP/1.1 100"));
  EXPECT_THAT(said, HasSubstr("RequestThrottled"));
  json message = to_orders_;
  message["MessageBody"] = std::string(900'000, 'x');
  EXPECT_EQ(ask_over(known, "app", "app-token", "SendMessage", message).status, 200U);
}

TEST_F(SqsAccessTest, WhoSignedIsTheSender) {
  ASSERT_EQ(ask("app", "app-token", "SendMessage", to_orders_).status, 200U);
  must(engine_->send("orders", {.body = "through another door"}));
  const json received = ask("app", "app-token", "ReceiveMessage",
                            {{"QueueUrl", "/0/orders"},
                             {"MaxNumberOfMessages", 2},
                             {"MessageAttributeNames", {"All"}},
                             {"MessageSystemAttributeNames", {"SenderId"}}})
                            .parsed()["Messages"];
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0]["Attributes"], json({{"SenderId", "app"}}));
  EXPECT_FALSE(received[0].contains("MessageAttributes"));
  EXPECT_EQ(received[1]["Attributes"], json({{"SenderId", "000000000000"}}));
}

TEST_F(SqsAccessTest, WhoDoesNotSignWellIsRefused) {
  const Answer unsigned_one = sqs().ask("SendMessage", to_orders_);
  EXPECT_EQ(unsigned_one.status, 403U);
  EXPECT_EQ(code(unsigned_one), "MissingAuthenticationToken;Sender");
  EXPECT_EQ(code(ask("nobody", "app-token", "SendMessage", to_orders_)), "InvalidClientTokenId;Sender");
  EXPECT_EQ(code(ask("bearer", "bearer-token", "SendMessage", to_orders_)), "InvalidClientTokenId;Sender");
  EXPECT_EQ(code(ask("app", "wrong", "SendMessage", to_orders_)), "SignatureDoesNotMatch;Sender");
  EXPECT_EQ(code(ask("app", "app-token", "SendMessage", to_orders_,
                     R"({"QueueUrl": "/0/orders", "MessageBody": "y"})")),
            "SignatureDoesNotMatch;Sender");
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 0U);
}

TEST(SqsTokenFileTest, ALineMayHaveTheTokenThatSigns) {
  const std::string line = "app " + hash_of("hf_1") + " produce:orders secret=hf_1";
  const auto entry = must(parse_token_line(line));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->secret, "hf_1");
  EXPECT_EQ(token_line(*entry), line);
  EXPECT_EQ(Tokens({*entry}).secret_of("app"), "hf_1");
  EXPECT_EQ(Tokens({*entry}).secret_of("other"), "");
  const auto wrong = parse_token_line("app " + hash_of("hf_1") + " produce:orders secret=hf_2");
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace holdfast::server::sqs
