// These tests are about queues and messages over HTTP.
#include <map>
#include <thread>

#include "tests/http_api/api_fixture.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpMessagesTest : public ApiFixture {
 protected:
  void SetUp() override {
    serve();
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  }

  json receive_one(HttpTestClient& client, const std::string& query = "") {
    const Answer answer = client.call(http::verb::post, "/v1/queues/orders/deliveries" + query);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    const json deliveries = answer.parsed()["deliveries"];
    EXPECT_EQ(deliveries.size(), 1U);
    return deliveries.empty() ? json() : deliveries[0];
  }
  static Answer receive_raw(HttpTestClient& client) {
    return client.call(http::verb::post, "/v1/queues/orders/deliveries", "",
                       {{"Accept", "application/octet-stream"}});
  }
};

TEST_F(HttpMessagesTest, AQueueIsCreatedDescribedChangedAndDeleted) {
  auto http = client();
  EXPECT_EQ(http.put("/v1/queues/mail", {{"lease", "1m30s"}, {"maxDeliveries", 7}}).status, 201U);
  EXPECT_EQ(http.put("/v1/queues/mail", {{"lease", 90}, {"maxDeliveries", 7}}).status, 200U);
  const json names_another = {{"deadLetterQueue", "bills-dlq"}};
  EXPECT_EQ(http.put("/v1/queues/bills", names_another).status, 404U);
  EXPECT_EQ(http.put("/v1/queues/bills?createMissing=true", names_another).status, 201U);
  const Answer other = http.put("/v1/queues/mail", {{"maxDeliveries", 8}});
  EXPECT_EQ(other.status, 409U);
  EXPECT_EQ(other.code(), "queue_exists");
  EXPECT_EQ(other.header("content-type"), "application/problem+json");

  const json mail = http.get("/v1/queues/mail").parsed();
  EXPECT_EQ(mail["name"], "mail");
  EXPECT_EQ(mail["options"]["lease"], 90);
  EXPECT_EQ(mail["options"]["maxDeliveries"], 7);
  EXPECT_EQ(mail["counts"]["ready"], 0);

  EXPECT_EQ(http.call(http::verb::patch, "/v1/queues/mail", R"({"maxLength": 12})").status, 200U);
  EXPECT_EQ(must(engine_->describe_queue("mail")).options.limits.max_length, 12U);
  EXPECT_EQ(must(engine_->describe_queue("mail")).options.retry.max_deliveries, 7U);
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/queues/mail").status, 204U);
  const Answer gone = http.get("/v1/queues/mail");
  EXPECT_EQ(gone.status, 404U);
  EXPECT_EQ(gone.code(), "queue_not_found");
}

TEST_F(HttpMessagesTest, WhatIsSentRawIsReceivedRaw) {
  auto http = client();
  const std::string body("{\"order\": 1}\0\xff", 14);
  const Answer sent = http.call(http::verb::post, "/v1/queues/orders/messages", body,
                                {{"Content-Type", "application/json"},
                                 {"Holdfast-Attribute", "customer=47%2C11, note=a%3Db"},
                                 {"Holdfast-Priority", "0"}});
  ASSERT_EQ(sent.status, 201U) << sent.body;
  EXPECT_EQ(sent.parsed()["durability"], "fsync");

  const Answer got = http.call(http::verb::post, "/v1/queues/orders/deliveries", "",
                               {{"Accept", "application/octet-stream"}});
  ASSERT_EQ(got.status, 200U);
  EXPECT_EQ(got.body, body);
  EXPECT_EQ(got.header("content-type"), "application/json");
  EXPECT_EQ(got.header("holdfast-attribute"), "customer=47%2C11, note=a%3Db");
  EXPECT_EQ(got.header("holdfast-id"), sent.parsed()["id"].get<std::string>());
  EXPECT_EQ(got.header("holdfast-deliveries"), "1");

  EXPECT_EQ(http.call(http::verb::delete_, "/v1/deliveries/" + got.header("holdfast-receipt")).status, 204U);
  const Answer again = http.call(http::verb::delete_, "/v1/deliveries/" + got.header("holdfast-receipt"));
  EXPECT_EQ(again.status, 404U);
  EXPECT_EQ(again.code(), "message_not_found");
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/deliveries", "",
                      {{"Accept", "application/octet-stream"}})
                .status,
            204U);
}

// Each byte of the values takes three where it is percent-encoded.
TEST_F(HttpMessagesTest, AllAttributesThatAMessageMayHaveAreReceivedRaw) {
  Message message{.body = "x"};
  std::string expected;
  const std::size_t value_bytes = limits::kAttributesTotalBytes / limits::kAttributes - 2;
  for (std::size_t i = 0; i < limits::kAttributes; ++i) {
    const std::string name = {static_cast<char>('A' + i / 26), static_cast<char>('A' + i % 26)};
    message.attributes.push_back({name, std::string(value_bytes, '\xe9')});
    expected += (expected.empty() ? "" : ", ") + name + "=";
    for (std::size_t byte = 0; byte < value_bytes; ++byte) expected += "%E9";
  }
  must(engine_->send("orders", message));
  auto http = client();
  const Answer got = receive_raw(http);
  ASSERT_EQ(got.status, 200U) << got.body;
  EXPECT_EQ(got.body, "x");
  EXPECT_EQ(got.header("holdfast-attribute"), expected);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.leased, 1U);
}

// Clients bound the length of a line, so each attribute has its own.
TEST_F(HttpMessagesTest, EachAttributeIsALineOfItsOwn) {
  must(engine_->send("orders", {.body = "x", .attributes = {{"a", "1"}, {"b", "2"}}}));
  auto http = client();
  http.say(
      "POST /v1/queues/orders/deliveries HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n"
      "Content-Length: 0\r\n\r\n");
  EXPECT_THAT(http.until("\r\n\r\n"), AllOf(HasSubstr("\r\nHoldfast-Attribute: a=1\r\n"),
                                            HasSubstr("\r\nHoldfast-Attribute: b=2\r\n")));
}

TEST_F(HttpMessagesTest, AContentTypeThatNoHeaderCanHaveStaysAnAttribute) {
  auto http = client();
  const std::map<std::string, std::string> encoded = {{"text/\x01plain", "text%2F%01plain"},
                                                      {std::string("a\0b", 3), "a%00b"},
                                                      {"\x7f", "%7F"},
                                                      {" text", "%20text"},
                                                      {"text\t", "text%09"},
                                                      {"text\r\nX-Evil: 1", "text%0D%0AX-Evil%3A%201"},
                                                      {"", ""}};
  for (const auto& [type, attribute] : encoded) {
    must(engine_->send("orders", {.body = "x", .attributes = {{"content-type", type}}}));
    const Answer got = receive_raw(http);
    EXPECT_EQ(got.status, 200U) << got.body;
    EXPECT_EQ(got.header("content-type"), "application/octet-stream") << attribute;
    EXPECT_EQ(got.header("holdfast-attribute"), "content-type=" + attribute);
  }
  must(engine_->send(
      "orders", {.body = "x",
                 .attributes = {{"content-type", "text/plain; a=\xc3\xa4 b"}, {"content-type", "second"}}}));
  const Answer got = receive_raw(http);
  EXPECT_EQ(got.header("content-type"), "text/plain; a=\xc3\xa4 b");
  EXPECT_EQ(got.header("holdfast-attribute"), "content-type=second");
}

TEST_F(HttpMessagesTest, ABatchOfNoMessagesHasSentNothing) {
  auto http = client();
  const Answer sent = http.post("/v1/queues/orders/messages/batch", {{"messages", json::array()}});
  EXPECT_EQ(sent.status, 200U) << sent.body;
  EXPECT_EQ(sent.parsed()["ids"], json::array());
}

TEST_F(HttpMessagesTest, ABatchAnswersForEachOfItsMessages) {
  auto http = client();
  const Answer sent =
      http.post("/v1/queues/orders/messages/batch",
                {{"messages",
                  {{{"body", "one"}, {"attributes", {{{"name", "n"}, {"value", "v"}}}}},
                   {{"bodyBase64", "/wA="}},
                   {{"body", "late"}, {"delay", 10}, {"visibleAt", "2030-01-01T00:00:00Z"}}}}});
  ASSERT_EQ(sent.status, 201U) << sent.body;
  const json failed = sent.parsed()["failed"];
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(sent.parsed()["ids"].size(), 3U);
  EXPECT_TRUE(sent.parsed()["ids"][1].is_string());
  EXPECT_TRUE(sent.parsed()["ids"][2].is_null());
  EXPECT_EQ(failed[0]["index"], 2);
  EXPECT_EQ(failed[0]["error"]["code"], "invalid_argument");

  const Answer received = http.call(http::verb::post, "/v1/queues/orders/deliveries?max=10");
  const json deliveries = received.parsed()["deliveries"];
  ASSERT_EQ(deliveries.size(), 2U);
  EXPECT_EQ(deliveries[0]["body"], "one");
  EXPECT_EQ(deliveries[0]["attributes"][0]["value"], "v");
  EXPECT_EQ(deliveries[1]["bodyBase64"], "/wA=");
  json receipts = json::array();
  for (const json& delivery : deliveries) receipts.push_back(delivery["receipt"]);
  EXPECT_EQ(http.post("/v1/deliveries/ack", {{"receipts", receipts}}).parsed()["failed"], json::array());
  EXPECT_EQ(http.post("/v1/deliveries/ack", {{"receipts", receipts}}).parsed()["failed"].size(), 2U);
}

TEST_F(HttpMessagesTest, ReceiptsThatAreRefusedAsAWholeAreAProblem) {
  auto http = client();
  must(engine_->send("orders", {.body = "one"}));
  const json receipts = json::array({receive_one(http)["receipt"]});
  const Answer answer = http.post("/v1/deliveries/extend", {{"receipts", receipts}, {"lease", 0}});
  EXPECT_EQ(answer.status, 400U) << answer.body;
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  EXPECT_EQ(answer.code(), "invalid_argument");
}

TEST_F(HttpMessagesTest, ReceiptsHaveToBeSaid) {
  auto http = client();
  for (const char* verb : {"ack", "extend", "release", "reject", "start"}) {
    const std::string target = std::string("/v1/deliveries/") + verb;
    const auto body = [&](json more) {
      if (verb == std::string_view("extend")) more["lease"] = "30s";
      return more;
    };
    for (const json& without : {json::object(), json({{"receipts", nullptr}})}) {
      const Answer refused = http.post(target, body(without));
      EXPECT_EQ(refused.status, 400U) << verb << ": " << refused.body;
      EXPECT_EQ(refused.code(), "invalid_argument") << verb;
      EXPECT_EQ(refused.parsed()["detail"], "receipts: is required") << verb;
    }
    EXPECT_EQ(http.call(http::verb::post, target).status, 400U) << verb << " without a body";
    EXPECT_EQ(http.post(target, body({{"receipts", json::array()}})).status, 200U) << verb;
  }
}

TEST_F(HttpMessagesTest, AReceiptThatCannotBeOneRefusesTheWholeCall) {
  auto http = client();
  must(engine_->send("orders", {.body = "one"}));
  const json receipt = receive_one(http)["receipt"];
  const Answer refused = http.post("/v1/deliveries/ack", {{"receipts", {receipt, "nonsense"}}});
  EXPECT_EQ(refused.status, 400U);
  EXPECT_THAT(refused.parsed()["detail"].get<std::string>(), StartsWith("receipts[1]: "));
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.leased, 1U);
}

// The place of a message with a priority is a larger number than those that readers of JSON keep exactly.
TEST_F(HttpMessagesTest, APlaceIsATextThatLeadsToItsMessage) {
  auto http = client();
  ASSERT_EQ(http.put("/v1/queues/urgent", {{"priorities", 8}}).status, 201U);
  for (int i = 0; i < 3; ++i) must(engine_->send("urgent", {.body = std::to_string(i), .priority = 5}));
  const json first = http.get("/v1/queues/urgent/messages?max=2").parsed();
  ASSERT_EQ(first["items"].size(), 2U);
  EXPECT_NE(first["items"][0]["seq"].get<std::string>(), first["items"][1]["seq"].get<std::string>());
  const auto next = first["next"]["from"].get<std::string>();
  EXPECT_GT(std::stoull(next), std::uint64_t{1} << 53U);
  const json rest = http.get("/v1/queues/urgent/messages?bodies=true&from=" + next).parsed();
  ASSERT_EQ(rest["items"].size(), 1U);
  EXPECT_EQ(rest["items"][0]["seq"], next);
  EXPECT_EQ(rest["items"][0]["body"], "2");
  for (const char* place : {"", "-1", "1.5", "0x1", "18446744073709551616", "%201"})
    EXPECT_EQ(http.get("/v1/queues/urgent/messages?from=" + std::string(place)).status, 400U) << place;
}

TEST_F(HttpMessagesTest, ABatchOfWhichNothingWasSentHasFailed) {
  auto http = client();
  const Answer answer =
      http.post("/v1/queues/orders/messages/batch",
                {{"messages", {{{"body", "a"}, {"priority", 9}}, {{"body", "b"}, {"priority", 9}}}}});
  EXPECT_EQ(answer.status, 400U) << answer.body;
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  EXPECT_EQ(answer.code(), "invalid_argument");
  ASSERT_EQ(answer.parsed()["failed"].size(), 2U);
  EXPECT_EQ(answer.parsed()["failed"][1]["index"], 1);
  EXPECT_EQ(answer.parsed()["failed"][1]["error"]["code"], "invalid_argument");
  EXPECT_FALSE(answer.parsed().contains("ids"));
}

TEST_F(HttpMessagesTest, AHeaderOfOursThatMeansNothingHereIsNamed) {
  auto http = client();
  const auto refused = [&](const std::string& path, const std::string& header) {
    const Answer answer =
        http.call(http::verb::post, path, R"({"messages": [{"body": "x"}]})", {{header, "1s"}});
    EXPECT_EQ(answer.status, 400U) << path << ' ' << header;
    EXPECT_THAT(answer.body, HasSubstr(header));
  };
  refused("/v1/queues/orders/messages", "Holdfast-Dealy");
  refused("/v1/queues/orders/messages", "holdfast-receipt");
  refused("/v1/queues/orders/messages/batch", "Holdfast-Delay");
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 0U);
  EXPECT_EQ(
      http.call(http::verb::post, "/v1/queues/orders/messages", "x", {{"Holdfast-Request", "1"}}).status,
      201U);
}

TEST_F(HttpMessagesTest, AHeaderWithOneValueIsRefusedWhereThereAreTwo) {
  const auto ask = [&](const std::string& headers) {
    auto http = client();
    http.say(
        "POST /v1/queues/orders/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
        "1\r\n" +
        headers + "\r\nx");
    return http.rest();
  };
  for (const std::string name : {"Idempotency-Key", "Holdfast-Delay"}) {
    const std::string answer = ask(name + ": 1\r\n" + name + ": 2\r\n");
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 400"), HasSubstr(name + ": there is more than one")));
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.sent, 0U);
  EXPECT_THAT(ask("Holdfast-Attribute: a=1\r\nHoldfast-Attribute: b=2\r\n"), StartsWith("HTTP/1.1 201"));
}

// With the key, the call would still have its effect again.
TEST_F(HttpMessagesTest, AKeyIsRefusedByACallThatItDoesNotMakeSafe) {
  must(engine_->send("orders", {.body = "x"}));
  auto http = client();
  const HttpTestClient::Headers key = {{"Idempotency-Key", "1"}};
  for (const char* path : {"/v1/queues/orders/purge", "/v1/queues/orders/deliveries"}) {
    const Answer answer = http.call(http::verb::post, path, "", key);
    EXPECT_EQ(answer.status, 400U) << path;
    EXPECT_THAT(answer.body, HasSubstr("Idempotency-Key: this request does not take this header"));
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 1U);
  EXPECT_EQ(http.get("/v1/queues/orders", key).status, 200U);
}

TEST_F(HttpMessagesTest, RawIsAskedForByItsTypeAlone) {
  auto http = client();
  const auto type_for = [&](const char* accept) {
    must(engine_->send("orders", {.body = "x"}));
    return http.call(http::verb::post, "/v1/queues/orders/deliveries", "", {{"Accept", accept}})
        .header("content-type");
  };
  EXPECT_EQ(type_for("Application/Octet-Stream"), "application/octet-stream");
  for (const char* accept : {"application/octet-stream;q=1", "application/octet-stream, */*", "*/*"})
    EXPECT_EQ(type_for(accept), "application/json") << accept;
}

TEST_F(HttpMessagesTest, AFieldThatIsWrongIsNamed) {
  auto http = client();
  const auto refused = [&](const json& body, const std::string& what) {
    const Answer answer = http.post("/v1/queues/orders/messages/batch", body);
    EXPECT_EQ(answer.status, 400U);
    EXPECT_THAT(answer.parsed()["detail"].get<std::string>(), HasSubstr(what));
  };
  refused({{"messages", {{{"bodi", "x"}}}}}, "messages[0].bodi");
  refused({{"messages", {{{"body", 7}}}}}, "messages[0].body");
  refused({{"messages", {{{"bodyBase64", "_"}}}}}, "messages[0].bodyBase64");
  refused({{"messages", {{{"body", "x"}, {"bodyBase64", "eQ=="}}}}}, "messages[0].bodyBase64");
  const json both = {{"name", "a"}, {"value", "x"}, {"valueBase64", "eQ=="}};
  refused({{"messages", {{{"body", "x"}, {"attributes", {both}}}}}}, "attributes[0].valueBase64");
  refused({{"messages", {{{"priority", -1}}}}}, "messages[0].priority");
  refused({{"messages", {{{"priority", 4294967296}}}}}, "messages[0].priority");
  refused({{"messages", {{{"delay", "soon"}}}}}, "messages[0].delay");
  refused({{"durability", "eternal"}}, "durability");
  refused(json::array(), "the body");
  refused({{"messages", {json::object()}}}, "messages[0].body: is required");
  refused({{"messages", {{{"body", "x"}}, {{"body", nullptr}, {"group", "g"}}}}},
          "messages[1].body: is required");
  const auto with_attribute = [](const json& attribute) -> json {
    return {{"messages", {{{"body", "x"}, {"attributes", {attribute}}}}}};
  };
  refused(with_attribute({{"name", "a"}}), "attributes[0].value: is required");
  refused(with_attribute({{"value", "x"}}), "attributes[0].name: is required");
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/messages/batch", "{").status, 400U);
  EXPECT_EQ(http.get("/v1/queues/orders/messages?max=many").status, 400U);
  EXPECT_EQ(http.get("/v1/queues/orders/messages?nonsense=1").status, 400U);
  EXPECT_EQ(http.get("/v1/queues/orders/messages?max=1&max=2").status, 400U);
  const std::string deep(limits::kJsonDepth + 1, '[');
  for (const std::string& text : {std::string("1%00junk"), deep})
    EXPECT_EQ(http.get("/v1/queues/orders/messages?max=" + text).status, 400U) << text;
  EXPECT_EQ(
      http.call(http::verb::post, "/v1/queues/orders/messages", "x", {{"Holdfast-Priority", "0%00junk"}})
          .status,
      400U);
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/deliveries/nonsense").status, 400U);
  EXPECT_EQ(http.get("/v1/nowhere").status, 404U);
  const Answer method = http.call(http::verb::delete_, "/v1/queues/orders/messages");
  EXPECT_EQ(method.status, 405U);
  EXPECT_EQ(method.header("allow"), "POST, GET");
}

TEST_F(HttpMessagesTest, WhatIsEmptyMayBeSaid) {
  auto http = client();
  const json empty = {{"body", ""}, {"attributes", {{{"name", "a"}, {"value", ""}}}}};
  const json empty_too = {{"bodyBase64", ""}, {"attributes", {{{"name", "a"}, {"valueBase64", ""}}}}};
  EXPECT_EQ(http.post("/v1/queues/orders/messages/batch", {{"messages", {empty, empty_too}}}).status, 201U);
  for (int i = 0; i < 2; ++i) {
    const json received = receive_one(http);
    EXPECT_EQ(received["body"], "");
    EXPECT_EQ(received["attributes"], empty["attributes"]) << "so that it can be sent as it was received";
  }
}

// One of the two would count, and a client could not tell which one.
TEST_F(HttpMessagesTest, AParameterHasOnePlace) {
  auto http = client();
  must(engine_->send("orders", {.body = "x"}));
  const std::string receipt = receive_one(http)["receipt"];
  const auto refused = [&](http::verb method, const std::string& target, const json& body,
                           const std::string& detail) {
    const Answer answer = http.call(method, target, body.is_null() ? "" : body.dump());
    EXPECT_EQ(answer.status, 400U) << target;
    EXPECT_EQ(answer.parsed()["detail"], detail) << target;
  };
  using http::verb;
  refused(verb::post, "/v1/drain?timeout=1s", {}, "timeout: belongs in the body");
  refused(verb::post, "/v1/queues/orders/pause?sends=true", {}, "sends: belongs in the body");
  refused(verb::post, "/v1/queues/orders/messages/batch?durability=fsync", {{"messages", json::array()}},
          "durability: belongs in the body");
  refused(verb::post, "/v1/deliveries/" + receipt + "/release?delay=1s", {}, "delay: belongs in the body");
  refused(verb::put, "/v1/queues/new?createMissing=true&maxDeliveries=3", {},
          "maxDeliveries: belongs in the body");
  refused(verb::post, "/v1/queues/orders/messages?delay=1s", {},
          "delay: belongs in the headers, since the body is that of the message");
  refused(verb::post, "/v1/queues/orders/deliveries", {{"max", 2}}, "max: belongs in the query");
  refused(verb::put, "/v1/queues/new", {{"createMissing", true}}, "createMissing: belongs in the query");
  refused(verb::get, "/v1/queues/orders/messages", {{"max", 2}}, "max: belongs in the query");
  refused(verb::post, "/v1/queues/orders/messages/batch", {{"queue", "others"}, {"messages", json::array()}},
          "queue: belongs in the path");
  refused(verb::post, "/v1/queues/orders/deliveries?queue=others", {}, "queue: belongs in the path");
  refused(verb::post, "/v1/deliveries/" + receipt + "/ack", {{"receipts", {receipt}}},
          "receipts: belongs in the path");
  refused(verb::delete_, "/v1/queues/orders?ifVersion=1", {}, "ifVersion: belongs in the header If-Match");
  refused(verb::delete_, "/v1/deliveries/" + receipt + "?requestId=1", {},
          "requestId: belongs in the header Idempotency-Key");
  refused(verb::post, "/v1/drain?nonsense=1", {}, "nonsense: there is no such parameter");
  refused(verb::delete_, "/v1/queues/orders", {{"nonsense", 1}}, "nonsense: there is no such member");
  const json named = {{"requestId", "a"}, {"messages", {{{"body", "x"}}}}};
  const Answer two =
      http.call(verb::post, "/v1/queues/orders/messages/batch", named.dump(), {{"Idempotency-Key", "b"}});
  EXPECT_EQ(two.status, 400U) << two.body;
  EXPECT_THAT(two.body, HasSubstr("Idempotency-Key: is given together with 'requestId'"));
  const json versioned = {{"ifVersion", {"1"}}, {"maxDeliveries", 7}};
  const Answer both = http.call(verb::patch, "/v1/queues/orders", versioned.dump(), {{"If-Match", "\"1\""}});
  EXPECT_EQ(both.status, 400U) << both.body;
  EXPECT_THAT(both.body, HasSubstr("If-Match: is given together with 'ifVersion'"));
  const QueueInfo orders = must(engine_->describe_queue("orders"));
  EXPECT_EQ(orders.totals.sent, 1U);
  EXPECT_EQ(orders.counts.leased, 1U);
  must(engine_->send("orders", {.body = "y"}));
  const std::string other = receive_one(http)["receipt"];
  EXPECT_EQ(
      http.call(verb::post, "/v1/deliveries/" + other + "/reject?durability=buffered", R"({"reason": "r"})")
          .status,
      204U);
  EXPECT_EQ(http.call(verb::delete_, "/v1/deliveries/" + receipt + "?durability=buffered").status, 204U);
}

TEST_F(HttpMessagesTest, AReceiveSaysWhoConsumes) {
  must(engine_->send("orders", {.body = "x"}));
  auto http = client();
  const json received =
      http.call(http::verb::post, "/v1/queues/orders/deliveries?instance=worker-7&version=1.4").parsed();
  const std::string receipt = received["deliveries"][0]["receipt"];
  EXPECT_EQ(http.post("/v1/deliveries/" + receipt + "/reject", {{"reason", "r"}}).status, 204U);
  const json letter = http.get("/v1/queues/orders-dlq/dead-letters").parsed()["items"][0];
  EXPECT_EQ(letter["record"]["consumer"], json({{"instance", "worker-7"}, {"version", "1.4"}}));
}

TEST_F(HttpMessagesTest, ASendIsRepeatedUnderItsKeyWithoutHarm) {
  auto http = client();
  const HttpTestClient::Headers key = {{"Idempotency-Key", "order-1"}};
  const Answer first = http.call(http::verb::post, "/v1/queues/orders/messages", "x", key);
  const Answer second = http.call(http::verb::post, "/v1/queues/orders/messages", "x", key);
  EXPECT_EQ(second.status, 201U);
  EXPECT_EQ(first.parsed()["id"], second.parsed()["id"]);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 1U);
}

TEST_F(HttpMessagesTest, ASettleIsRepeatedUnderItsKeyWithoutHarm) {
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->send("orders", {.body = "y"}));
  auto http = client();
  const auto settle = [&](http::verb method, const std::string& verb, const std::string& body,
                          const char* key) {
    const std::string receipt =
        http.call(http::verb::post, "/v1/queues/orders/deliveries").parsed()["deliveries"][0]["receipt"];
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(
          http.call(method, "/v1/deliveries/" + receipt + verb, body, {{"Idempotency-Key", key}}).status,
          204U);
  };
  settle(http::verb::post, "/reject", R"({"reason": "no such customer"})", "reject-1");
  settle(http::verb::delete_, "", "", "ack-1");
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.dead_lettered, 1U);
}

TEST_F(HttpMessagesTest, AReceiveWaitsForASend) {
  auto consumer = client();
  auto producer = client();
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries?wait=1h");
  producer.call(http::verb::post, "/v1/queues/orders/messages", "at last");
  EXPECT_EQ(consumer.finish().parsed()["deliveries"][0]["body"], "at last");
}

TEST_F(HttpMessagesTest, WhoHangsUpWhileItWaitsGetsNothing) {
  auto consumer = client();
  consumer.start(http::verb::post, "/v1/queues/orders/deliveries?wait=1h");
  wait_until([&] { return server_->meter().calls_in_flight == 1; });
  consumer.hang_up();
  wait_until([&] { return server_->meter().calls_in_flight == 0; });
  must(engine_->send("orders", {.body = "x"}));
  EXPECT_EQ(must(engine_->receive("orders")).front().deliveries, 1U);
}

// The server does not read a client that has sent a further request, so nothing tells at once that the client
// has gone.
TEST_F(HttpMessagesTest, WhoHangsUpBehindItsNextRequestGetsNothing) {
  const std::string end = " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  for (const std::string& receive : {"POST /v1/queues/orders/deliveries?wait=1h" + end,
                                     "POST /v1/queues/orders/deliveries/stream" + end}) {
    auto consumer = client();
    consumer.say(receive + "GET /v1/queues HTTP/1.1\r\nHost: localhost\r\n\r\n");
    wait_until([&] { return server_->meter().calls_in_flight == 1; });
    consumer.hang_up();
    must(engine_->send("orders", {.body = "x"}));
    const auto next = must(engine_->receive("orders", {.wait = 1h}));
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(next.front().deliveries, 1U);
    must(engine_->ack(next.front().receipt));
  }
}

TEST_F(HttpMessagesTest, AHeaderOfAMessageIsANumberOrATextAsInJson) {
  auto http = client();
  const auto send = [&](const char* header, const char* value) {
    return http.call(http::verb::post, "/v1/queues/orders/messages", "x", {{header, value}});
  };
  for (const char* value : {"3600", "0.5", "1h30m", "1h%33%30m"}) {
    EXPECT_EQ(send("Holdfast-Delay", value).status, 201U) << value;
    EXPECT_EQ(send("Holdfast-Time-To-Live", value).status, 201U) << value;
  }
  EXPECT_EQ(send("Holdfast-Group", "17").status, 201U);
  EXPECT_EQ(send("Holdfast-Visible-At", "2030-01-01T02:00:00+02:00").status, 201U);
  for (const char* header :
       {"Holdfast-Delay", "Holdfast-Visible-At", "Holdfast-Group", "Holdfast-Deduplication-Id",
        "Holdfast-Priority", "Holdfast-Time-To-Live", "Holdfast-Durability", "Holdfast-Attribute"}) {
    const Answer refused = send(header, "");
    EXPECT_EQ(refused.code(), "invalid_argument") << header;
  }
  EXPECT_THAT(send("Holdfast-Visible-At", "2030-02-30T00:00:00Z").body, HasSubstr("2030-02-30"));
  EXPECT_EQ(send("Holdfast-Delay", "soon").code(), "invalid_argument");
}

TEST_F(HttpMessagesTest, SettlesOneDelivery) {
  auto http = client();
  http.call(http::verb::post, "/v1/queues/orders/messages", "x");
  const std::string receipt = receive_one(http, "?lease=10s")["receipt"];
  EXPECT_EQ(http.post("/v1/deliveries/" + receipt + "/extend", {{"lease", "1h"}}).status, 204U);
  EXPECT_EQ(http.post("/v1/deliveries/" + receipt + "/release", {{"delay", 0}}).status, 204U);
  EXPECT_EQ(http.post("/v1/deliveries/" + receipt + "/release", {{"delay", 0}}).code(), "receipt_stale");
  const std::string second = receive_one(http)["receipt"];
  const json why = {
      {"category", "validation"}, {"reason", "no such customer"}, {"stackTrace", "main\nparse"}};
  EXPECT_EQ(http.post("/v1/deliveries/" + second + "/reject", why).status, 204U);
  const json dead = http.get("/v1/queues/orders-dlq/dead-letters?category=validation").parsed();
  ASSERT_EQ(dead["items"].size(), 1U);
  EXPECT_EQ(dead["items"][0]["record"]["rejection"]["reason"], "no such customer");
  EXPECT_EQ(dead["items"][0]["record"]["cause"], "rejected");
}

TEST_F(HttpMessagesTest, ADeadLetterThatIsReceivedRawSaysWhyItDied) {
  must(engine_->send("orders", {.body = "x"}));
  auto http = client();
  // A cut at the limit would divide the character behind the letters.
  const std::string reason = std::string(1023, 'a') + "\u00e9 and more";
  ASSERT_EQ(http.post("/v1/deliveries/" + receive_one(http)["receipt"].get<std::string>() + "/reject",
                      {{"category", "validation, strict"}, {"code", "E42"}, {"reason", reason}})
                .status,
            204U);
  const Answer letter = http.call(http::verb::post, "/v1/queues/orders-dlq/deliveries", "",
                                  {{"Accept", "application/octet-stream"}});
  ASSERT_EQ(letter.status, 200U) << letter.body;
  EXPECT_EQ(letter.header("holdfast-failure-cause"), "rejected");
  EXPECT_EQ(letter.header("holdfast-failure-category"), "validation%2C%20strict");
  EXPECT_EQ(letter.header("holdfast-failure-code"), "E42");
  EXPECT_EQ(letter.header("holdfast-failure-queue"), "orders");
  EXPECT_EQ(letter.header("holdfast-failure-reason"), std::string(1023, 'a'));
  EXPECT_THAT(letter.header("holdfast-failure-at"), HasSubstr("T"));

  must(engine_->send("orders", {.body = "y"}));
  const Answer message = http.call(http::verb::post, "/v1/queues/orders/deliveries", "",
                                   {{"Accept", "application/octet-stream"}});
  EXPECT_EQ(message.header("holdfast-failure-cause"), "");
}

TEST_F(HttpMessagesTest, WhatIsAskedAgainIsNotSentAgain) {
  auto http = client();
  const Answer first = http.get("/v1/queues/orders");
  const std::string etag = first.header("etag");
  EXPECT_EQ(http.get("/v1/queues/orders", {{"If-None-Match", etag}}).status, 304U);
  EXPECT_EQ(http.get("/v1/queues/orders", {{"If-None-Match", "\"other\", W/" + etag}}).status, 304U);
  EXPECT_EQ(http.get("/v1/queues/orders", {{"If-None-Match", "*"}}).status, 304U);
  must(engine_->send("orders", {.body = "x"}));
  EXPECT_EQ(http.get("/v1/queues/orders", {{"If-None-Match", etag}}).status, 200U);
}

}  // namespace
}  // namespace holdfast::server
