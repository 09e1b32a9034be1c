// The description of the API says what the API does.
#include <capnp/schema.h>

#include <set>

#include "engine/base/options/queue_option_table.h"
#include "schema/protocol/protocol_methods.h"
#include "server/http/open_api.h"
#include "server/http/routes.h"
#include "tests/http_api/api_fixture.h"

namespace holdfast::server {
namespace {

TEST(OpenApiTest, EveryCallOfTheProtocolIsAResource) {
  std::set<std::string> called;
  for (const Route& route : routes()) called.insert(std::string(route.call));
  // A token is shown in a header, and a stream of deliveries is not a call.
  const std::set<std::string> others = {"authenticate", "subscribe"};
  for (auto method : protocol::methods()) {
    const std::string name = method.getProto().getName().cStr();
    EXPECT_NE(called.contains(name), others.contains(name)) << name;
  }
}

TEST(OpenApiTest, EachRouteIsAnOperationOfItsOwn) {
  const json document = json::parse(open_api());
  std::set<std::string> ids;
  std::size_t operations = 0;
  for (const auto& [path, item] : document["paths"].items()) {
    for (const auto& [method, operation] : item.items()) {
      ++operations;
      EXPECT_TRUE(ids.insert(operation["operationId"]).second) << operation["operationId"];
      for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1)) {
        const std::string name = path.substr(at + 1, path.find('}', at) - at - 1);
        bool found = false;
        for (const json& parameter : operation["parameters"])
          found = found || (parameter["name"] == name && parameter["in"] == "path");
        EXPECT_TRUE(found) << path << ' ' << name;
      }
    }
  }
  // Sessions are no calls of the protocol.
  const std::size_t of_sessions = document["paths"]["/v1/session"].size();
  EXPECT_EQ(of_sessions, 3U);
  EXPECT_EQ(operations, routes().size() + of_sessions);
}

void collect_references(const json& value, std::set<std::string>& to) {
  if (value.is_object() && value.contains("$ref")) to.insert(value["$ref"]);
  for (const json& inner : value) {
    if (inner.is_structured()) collect_references(inner, to);
  }
}

TEST(OpenApiTest, NoReferenceLeadsNowhere) {
  const json document = json::parse(open_api());
  std::set<std::string> references;
  collect_references(document, references);
  EXPECT_FALSE(references.empty());
  for (const std::string& reference : references)
    EXPECT_TRUE(document.contains(json::json_pointer(reference.substr(1)))) << reference;
}

class ServedOpenApiTest : public ApiFixture {};

TEST_F(ServedOpenApiTest, IsThereForAnybody) {
  serve();
  const Answer answer = client().get("/v1/openapi.json");
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(answer.parsed()["openapi"], "3.1.0");
}

// Checks that an answer has exactly the members that are described.
void check(const json& document, json schema, const json& value, const std::string& where) {
  schema = resolved(document, schema);
  if (schema.contains("anyOf")) {
    if (value.is_null()) return;
    schema = resolved(document, schema["anyOf"][0]);
  }
  const std::string type = schema.value("type", "");
  if (type == "object") {
    ASSERT_TRUE(value.is_object()) << where;
    for (const auto& [name, member] : value.items()) {
      ASSERT_TRUE(schema["properties"].contains(name)) << where << '.' << name;
      check(document, schema["properties"][name], member, where + "." + name);
    }
    for (const json& name : schema.value("required", json::array()))
      EXPECT_TRUE(value.contains(name.get<std::string>())) << where << '.' << name;
  } else if (type == "array") {
    ASSERT_TRUE(value.is_array()) << where;
    for (const json& element : value) check(document, schema["items"], element, where + "[]");
  } else if (type == "integer" || type == "number") {
    EXPECT_TRUE(value.is_number()) << where;
  } else if (type == "boolean") {
    EXPECT_TRUE(value.is_boolean()) << where;
  } else {
    EXPECT_TRUE(value.is_string()) << where;
  }
}

TEST_F(ServedOpenApiTest, AnswersHaveTheMembersThatItDescribes) {
  serve();
  must(engine_->create_queue("orders",
                             {.dead_letters = {.queue = "orders-dlq"}, .journal = {.max_entries = 1000}},
                             MissingQueues::kCreate));
  must(engine_->send("orders", {.body = "x", .attributes = {{"a", "b"}}}));
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {.category = "c", .reason = "r"}));
  must(engine_->send("orders", {.body = std::string("\xff", 1)}));
  const auto id = must(engine_->send("orders", {.body = "y", .delay = 1h}));
  must(engine_->redrive("orders-dlq", {.filter = {.category = "none of these"}}));

  const json document = json::parse(open_api());
  auto http = client();
  const auto agrees = [&](const std::string& method, const std::string& path, const std::string& target) {
    const Answer answer = method == "get" ? http.get(target) : http.call(http::verb::post, target);
    ASSERT_EQ(answer.status, 200U) << target << ' ' << answer.body;
    const json& operation = document["paths"][path][method];
    check(document, operation["responses"]["200"]["content"]["application/json"]["schema"], answer.parsed(),
          target);
  };
  agrees("get", "/v1", "/v1");
  agrees("get", "/v1/queues", "/v1/queues");
  agrees("get", "/v1/queues/{name}", "/v1/queues/orders");
  agrees("get", "/v1/queues/{name}/statistics", "/v1/queues/orders/statistics");
  agrees("get", "/v1/queues/{queue}/messages", "/v1/queues/orders/messages?bodies=true");
  agrees("get", "/v1/queues/{queue}/messages", "/v1/queues/orders/messages?scheduled=true&max=1");
  agrees("get", "/v1/queues/{queue}/dead-letters", "/v1/queues/orders-dlq/dead-letters?bodies=true");
  agrees("get", "/v1/queues/{queue}/dead-letters/groups",
         "/v1/queues/orders-dlq/dead-letters/groups?by=category");
  agrees("get", "/v1/queues/{queue}/dead-letters/statistics",
         "/v1/queues/orders-dlq/dead-letters/statistics");
  agrees("get", "/v1/messages/{id}/history", "/v1/messages/" + id.id.to_string() + "/history");
  agrees("get", "/v1/redrives", "/v1/redrives");
  agrees("get", "/v1/statistics", "/v1/statistics");
  agrees("post", "/v1/verify", "/v1/verify");
  agrees("post", "/v1/dead-letters/find", "/v1/dead-letters/find");
  agrees("get", "/v1/drain", "/v1/drain");
  agrees("get", "/v1/session", "/v1/session");
  agrees("post", "/v1/queues/{queue}/deliveries", "/v1/queues/orders/deliveries?max=10");
}

// Each option that has bounds is declared with its least and its greatest value, and with those beside them.
TEST_F(ServedOpenApiTest, TheBoundsOfOptionsAreThoseThatHold) {
  serve();
  const json schemas = json::parse(open_api())["components"]["schemas"];
  auto http = client();
  std::size_t queues = 0;
  const auto status = [&](const std::string& name, const json& value) {
    // A time to live is refused if what expires has no dead letter queue to go to.
    const json options = {{"onExpiry", "drop"}, {name, value}};
    const std::string path = "/v1/queues/q" + std::to_string(++queues);
    return http.call(http::verb::put, path, options.dump()).status;
  };
  std::size_t bounded = 0;
  for (const auto& [name, schema] : schemas["QueueOptionsInput"]["properties"].items()) {
    const bool is_duration = schema.contains("anyOf");
    const json number = is_duration ? schema["anyOf"][0] : schema;
    if (!number.contains("maximum")) continue;
    ++bounded;
    EXPECT_EQ(schemas["AlterQueueRequest"]["properties"][name]["anyOf"][0], schema) << name;
    const json& least = number["minimum"];
    const json& most = number["maximum"];
    EXPECT_EQ(status(name, least), 201U) << name << ' ' << least;
    EXPECT_EQ(status(name, most), 201U) << name << ' ' << most;
    EXPECT_EQ(status(name, most.get<std::int64_t>() + 1), 413U) << name;
    const json below = is_duration ? json(least.get<double>() - 0.0001) : json(least.get<std::int64_t>() - 1);
    EXPECT_EQ(status(name, below), 400U) << name << ' ' << below;
  }
  std::size_t wanted = 0;
  for_each_option([&]<class T>(const QueueOption<T>& option) {
    if constexpr (BoundedOption<T>) wanted += option.bounds ? 1 : 0;
  });
  EXPECT_EQ(bounded, wanted);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  if (const auto at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
  return text;
}

// The client of the fixture checks each answer against the document.
TEST_F(ServedOpenApiTest, EveryStatusOfASuccessIsDescribed) {
  serve();
  must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  const auto id = must(engine_->send("orders", {.body = "x"})).id.to_string();
  const auto task = must(engine_->redrive("orders-dlq", {.wait = false})).task;
  auto http = client();
  for (const Route& route : routes()) {
    if (!is_tagged(route)) continue;
    std::string target = replaced(std::string(route.path), "{id}", id);
    target = replaced(target, "{task}", std::to_string(static_cast<std::uint64_t>(task)));
    const bool is_of_letters = target.find("dead-letters") != std::string::npos;
    for (const char* name : {"{queue}", "{name}"})
      target = replaced(target, name, is_of_letters ? "orders-dlq" : "orders");
    if (target.ends_with("/groups")) target += "?by=category";
    ASSERT_EQ(http.get(target).status, 200U) << target;
    EXPECT_EQ(http.get(target, {{"If-None-Match", "*"}}).status, 304U) << target;
  }
  const HttpTestClient::Headers raw = {{"Accept", "application/octet-stream"}};
  for (const unsigned status : {200U, 204U})
    EXPECT_EQ(http.call(http::verb::post, "/v1/queues/orders/deliveries", "", raw).status, status);
  EXPECT_EQ(http.call(http::verb::put, "/v1/queues/mail").status, 201U);
  EXPECT_EQ(http.call(http::verb::put, "/v1/queues/mail").status, 200U);
}

// The parameters that are required are exactly those without which a request is refused.
TEST_F(ServedOpenApiTest, WhatItSaysIsRequiredIsRequired) {
  serve();
  must(engine_->create_queue("orders"));
  must(engine_->send("orders", {.body = "x"}));
  const std::string receipt = must(engine_->receive("orders")).front().receipt.to_string();
  const json document = json::parse(open_api());
  auto http = client();
  std::set<std::string> found;
  for (const Route& route : routes()) {
    const json operation = described_operation(route.method, std::string(route.path));
    std::set<std::string> required;
    for (const json& parameter : operation.value("parameters", json::array())) {
      if (parameter["required"] && parameter["in"] == "query") required.insert(parameter["name"]);
    }
    const json body = operation.value("requestBody", json::object());
    const bool is_json = body.contains("content") && body["content"].contains("application/json");
    if (is_json) {
      const json schema = resolved(document, body["content"]["application/json"]["schema"]);
      for (const json& name : schema.value("required", json::array())) required.insert(name);
      EXPECT_EQ(body.value("required", false), !required.empty()) << operation["operationId"];
    }
    if (required.empty()) continue;
    std::string target = replaced(std::string(route.path), "{queue}", "orders");
    target = replaced(target, "{receipt}", receipt);
    const Answer refused =
        route.method == http::verb::get ? http.get(target) : http.post(target, json::object());
    EXPECT_EQ(refused.status, 400U) << target;
    const auto detail = refused.parsed()["detail"].get<std::string>();
    EXPECT_TRUE(detail.ends_with(": is required")) << target << ' ' << detail;
    EXPECT_TRUE(required.contains(detail.substr(0, detail.find(':')))) << target << ' ' << detail;
    for (const std::string& name : required)
      found.insert(operation["operationId"].get<std::string>() + '.' + name);
  }
  EXPECT_EQ(found, (std::set<std::string>{
                       "sendBatch.messages", "ackBatch.receipts", "extendBatch.receipts", "extendBatch.lease",
                       "extend.lease", "releaseBatch.receipts", "rejectBatch.receipts", "startBatch.receipts",
                       "groupDeadLetters.by", "changeDeadLetters.selection", "discardDeadLetters.selection",
                       "importDeadLetters.letters", "drain.timeout"}));
}

}  // namespace
}  // namespace holdfast::server
