// A client can make a change under the condition that a queue is still as the client has seen it, with
// If-Match and If-None-Match.
#include <map>
#include <set>
#include <thread>

#include "server/http/open_api.h"
#include "server/http/routes.h"
#include "tests/http_api/api_fixture.h"

namespace holdfast::server {
namespace {

class HttpConditionsTest : public ApiFixture {
 protected:
  using Headers = HttpTestClient::Headers;

  void SetUp() override {
    serve();
    must(engine_->create_queue("orders", {.limits = {.max_length = 10}}));
  }

  static std::string etag_of(HttpTestClient& http) { return http.get(kOrders).header("etag"); }
  static Answer set_length(HttpTestClient& http, std::uint64_t length, const Headers& headers) {
    return http.call(http::verb::patch, kOrders, json{{"maxLength", length}}.dump(), headers);
  }
  std::uint64_t length() { return must(engine_->describe_queue("orders")).options.limits.max_length; }

  static constexpr const char* kOrders = "/v1/queues/orders";
};

TEST_F(HttpConditionsTest, AChangeOfWhatHasChangedSinceIsRefused) {
  auto http = client();
  const std::string seen = etag_of(http);
  EXPECT_EQ(set_length(http, 11, {{"If-Match", seen}}).status, 200U);
  const Answer stale = set_length(http, 12, {{"If-Match", seen}});
  EXPECT_EQ(stale.status, 412U);
  EXPECT_EQ(stale.code(), "precondition_failed");
  EXPECT_EQ(stale.header("content-type"), "application/problem+json");
  EXPECT_EQ(length(), 11U);
  EXPECT_EQ(set_length(http, 12, {{"If-Match", etag_of(http)}}).status, 200U);
  EXPECT_EQ(length(), 12U);
}

TEST_F(HttpConditionsTest, MessagesThatComeAndGoAreNoChangeOfTheQueue) {
  auto http = client();
  const std::string seen = etag_of(http);
  must(engine_->send("orders", {.body = "x"}));
  EXPECT_NE(etag_of(http), seen);
  EXPECT_EQ(set_length(http, 11, {{"If-Match", seen}}).status, 200U);
}

TEST_F(HttpConditionsTest, OneOfSeveralTagsIsEnoughAndWeakOnesAreNone) {
  auto http = client();
  EXPECT_EQ(set_length(http, 11, {{"If-Match", "\"none, at all\", " + etag_of(http)}}).status, 200U);
  EXPECT_EQ(set_length(http, 12, {{"If-Match", "W/" + etag_of(http)}}).status, 412U);
  EXPECT_EQ(set_length(http, 12, {{"If-Match", "nonsense"}}).status, 412U);
  EXPECT_EQ(set_length(http, 12, {{"If-Match", "*"}}).status, 200U);
}

TEST_F(HttpConditionsTest, AQueueIsDeletedOnlyAsItWasSeen) {
  auto http = client();
  const std::string seen = etag_of(http);
  EXPECT_EQ(set_length(http, 11, {}).status, 200U);
  EXPECT_EQ(http.call(http::verb::delete_, kOrders, "", {{"If-Match", seen}}).status, 412U);
  EXPECT_EQ(length(), 11U);
  EXPECT_EQ(http.call(http::verb::delete_, kOrders, "", {{"If-Match", etag_of(http)}}).status, 204U);
  EXPECT_EQ(http.call(http::verb::delete_, kOrders, "", {{"If-Match", seen}}).status, 404U);
}

TEST_F(HttpConditionsTest, AnotherQueueOfTheSameNameAndOptionsIsAnotherOne) {
  auto http = client();
  const std::string seen = etag_of(http);
  must(engine_->delete_queue("orders"));
  must(engine_->create_queue("orders", {.limits = {.max_length = 10}}));
  EXPECT_EQ(set_length(http, 11, {{"If-Match", seen}}).status, 412U);
}

TEST_F(HttpConditionsTest, AQueueIsCreatedOnlyWhereThereIsNone) {
  auto http = client();
  const Headers is_new = {{"If-None-Match", "*"}};
  EXPECT_EQ(http.call(http::verb::put, "/v1/queues/mail", "", is_new).status, 201U);
  EXPECT_EQ(http.call(http::verb::put, "/v1/queues/mail", "", is_new).status, 412U);
  const Answer other = http.call(http::verb::put, "/v1/queues/mail", R"({"maxLength": 3})", is_new);
  EXPECT_EQ(other.status, 412U);
  EXPECT_EQ(other.code(), "precondition_failed");
  EXPECT_EQ(http.call(http::verb::put, "/v1/queues/mail").status, 200U);
}

TEST_F(HttpConditionsTest, AConditionThatNobodyHoldsIsRefusedAndNotPassedOver) {
  auto http = client();
  EXPECT_EQ(http.call(http::verb::put, "/v1/queues/mail", "", {{"If-Match", "*"}}).status, 412U);
  EXPECT_EQ(http.call(http::verb::put, "/v1/queues/mail", "", {{"If-None-Match", "\"a\""}}).status, 412U);
  EXPECT_EQ(http.get("/v1/queues/mail").status, 404U);
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "", {{"If-Match", etag_of(http)}}).status,
            412U);
  EXPECT_EQ(http.call(http::verb::delete_, "/v1/drain", "", {{"If-Match", "\"a\""}}).status, 412U);
  must(engine_->send("orders", {.body = "x"}));
  EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/purge", "", {{"If-Match", "*"}}).status, 412U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 1U);
}

// Each route obeys a condition or refuses it. This holds for new routes too.
TEST_F(HttpConditionsTest, EveryRouteHoldsItsConditionOrRefusesIt) {
  auto http = client();
  must(engine_->send("orders", {.body = "x"}));
  const std::string receipt = must(engine_->receive("orders")).front().receipt.to_string();
  const json document = json::parse(open_api());
  std::set<std::string> described;
  for (const auto& [path, item] : document["paths"].items()) {
    for (const auto& [method, operation] : item.items()) {
      for (const json& parameter : operation.value("parameters", json::array())) {
        if (resolved(document, parameter)["name"] == "If-Match") described.insert(method + " " + path);
      }
    }
  }
  EXPECT_THAT(described, ::testing::ElementsAre("delete /v1/queues/{name}", "patch /v1/queues/{name}"));
  for (const Route& route : routes()) {
    if (route.method == http::verb::get) continue;
    std::string path(route.path);
    for (const auto& [name, value] : std::map<std::string, std::string>{
             {"{name}", "orders"}, {"{queue}", "orders"}, {"{receipt}", receipt}, {"{task}", "1"}}) {
      if (const std::size_t at = path.find(name); at != std::string::npos)
        path.replace(at, name.size(), value);
    }
    EXPECT_EQ(http.call(route.method, path, "", {{"If-Match", "\"stale\""}}).status, 412U) << path;
    EXPECT_EQ(http.call(route.method, path, "", {{"If-None-Match", "\"seen\""}}).status, 412U) << path;
  }
  for (const auto method : {http::verb::post, http::verb::delete_})
    EXPECT_EQ(http.call(method, "/v1/session", "", {{"If-Match", "\"stale\""}}).status, 412U);
  const QueueInfo queue = must(engine_->describe_queue("orders"));
  EXPECT_EQ(queue.options.limits.max_length, 10U);
  EXPECT_EQ(queue.counts.leased, 1U);
  EXPECT_EQ(queue.totals.sent, 1U);
  EXPECT_EQ(http.call(http::verb::get, "/readyz").status, 200U);
}

TEST_F(HttpConditionsTest, AConditionOrKeyWithNothingInItIsRefusedAndNotPassedOver) {
  auto http = client();
  for (const char* header : {"If-Match", "If-None-Match", "Idempotency-Key"}) {
    const Answer answer = set_length(http, 11, {{header, ""}});
    EXPECT_EQ(answer.status, 400U) << header;
    EXPECT_THAT(answer.body, ::testing::HasSubstr(header));
  }
  EXPECT_EQ(http.call(http::verb::delete_, kOrders, "", {{"If-Match", ""}}).status, 400U);
  EXPECT_EQ(http.get(kOrders, {{"If-None-Match", " "}}).status, 400U);
  EXPECT_EQ(length(), 10U);
}

// A client that reads, adds one and writes under the condition loses no addition of another client.
TEST_F(HttpConditionsTest, TheComparisonAndTheChangeAreOneStep) {
  constexpr unsigned kClients = 4;
  constexpr unsigned kAdditions = 25;
  std::vector<std::thread> clients;
  for (unsigned i = 0; i < kClients; ++i) {
    clients.emplace_back([this] {
      auto http = client();
      for (unsigned added = 0; added < kAdditions;) {
        const Answer seen = http.get(kOrders);
        const auto next = seen.parsed()["options"]["maxLength"].get<std::uint64_t>() + 1;
        const Answer done = set_length(http, next, {{"If-Match", seen.header("etag")}});
        if (done.status == 200U) ++added;
        if (done.status != 200U && done.status != 412U) ADD_FAILURE() << done.body;
      }
    });
  }
  for (std::thread& one : clients) one.join();
  EXPECT_EQ(length(), 10U + kClients * kAdditions);
}

}  // namespace
}  // namespace holdfast::server
