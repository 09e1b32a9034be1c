// Dead letters are found, handled and brought back over HTTP.
#include "tests/http_api/api_fixture.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpDeadLettersTest : public ApiFixture {
 protected:
  void SetUp() override {
    serve();
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
    for (const char* body : {"{\"n\":1}", "{\"n\":2}", "{\"n\":3}"})
      dead_letter(body, body[5] == '3' ? "timeout" : "schema");
  }

  void dead_letter(const std::string& body, const std::string& category) {
    must(engine_->send("orders", {.body = body}));
    must(engine_->reject(must(engine_->receive("orders")).front().receipt,
                         {.category = category, .reason = "it is " + category}));
  }
  json get(const std::string& target) {
    const Answer answer = http_.get(target);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return answer.parsed();
  }

  // Makes a connection for each call, since the server is started after the fixture is made.
  struct Http {
    HttpDeadLettersTest& test;
    Answer get(const std::string& target) const { return test.client().get(target); }
    Answer post(const std::string& target, const json& body) const {
      return test.client().post(target, body);
    }
  };

  const std::string letters_ = "/v1/queues/orders-dlq/dead-letters";
  const Http http_{*this};
};

TEST_F(HttpDeadLettersTest, AreListedByPages) {
  const json first = get(letters_ + "?max=2&bodies=true");
  ASSERT_EQ(first["items"].size(), 2U);
  EXPECT_EQ(first["items"][0]["body"], "{\"n\":1}");
  EXPECT_EQ(first["items"][0]["record"]["sourceQueue"], "orders");
  const json rest = get(letters_ + "?start=" + first["next"].get<std::string>());
  ASSERT_EQ(rest["items"].size(), 1U);
  EXPECT_FALSE(rest.contains("next"));
  EXPECT_EQ(http_.get(letters_ + "?start=nonsense").status, 400U);
  EXPECT_EQ(http_.get(letters_ + "?start=__________8").status, 400U);
}

TEST_F(HttpDeadLettersTest, AreFilteredAndGrouped) {
  EXPECT_EQ(get(letters_ + "?category=schema")["items"].size(), 2U);
  EXPECT_EQ(get(letters_ + "?reason=TIMEOUT")["items"].size(), 1U);
  EXPECT_EQ(get(letters_ + "?diedBefore=2001-01-01T00:00:00Z")["items"].size(), 0U);
  const json groups = get(letters_ + "/groups?by=category");
  EXPECT_EQ(groups["groups"][0]["value"], "schema");
  EXPECT_EQ(groups["groups"][0]["count"], 2);
  const std::string fingerprint = get(letters_ + "?category=timeout")["items"][0]["record"]["fingerprint"];
  EXPECT_EQ(get(letters_ + "?fingerprint=" + fingerprint)["items"].size(), 1U);
  EXPECT_EQ(get(letters_ + "/statistics")["dead"], 3);
}

TEST_F(HttpDeadLettersTest, AFilterUnderBothOfItsNamesIsRefused) {
  must(engine_->send("orders", {.body = "{}", .attributes = {{"correlation-id", "c"}}}));
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {.category = "late"}));
  for (const char* one : {"correlationId=c", "correlationIdBase64=Yw%3D%3D"})
    EXPECT_EQ(get(letters_ + "?" + one)["items"].size(), 1U) << one;
  for (const char* both :
       {"correlationId=c&correlationIdBase64=Yw%3D%3D", "correlationIdBase64=Yw%3D%3D&correlationId=other",
        "correlationId=&correlationIdBase64="}) {
    const Answer answer = http_.get(letters_ + "?" + both);
    EXPECT_EQ(answer.status, 400U) << both;
    EXPECT_THAT(answer.parsed()["detail"].get<std::string>(),
                StartsWith("correlationIdBase64: is given together"))
        << both;
  }
}

TEST_F(HttpDeadLettersTest, AreListedAndGroupedByAttributesAsJson) {
  must(engine_->send("orders", {.body = "{}", .attributes = {{"tenant", "north"}}}));
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {.category = "late"}));
  const std::string north = "attributes=%5B%7B%22name%22:%22tenant%22,%22value%22:%22north%22%7D%5D";
  EXPECT_EQ(get(letters_ + "?" + north)["items"].size(), 1U);
  const json groups = get(letters_ + "/groups?by=category&" + north);
  ASSERT_EQ(groups["groups"].size(), 1U);
  EXPECT_EQ(groups["groups"][0]["value"], "late");
  for (const char* wrong : {"tenant", "%7B%7D", "", "%5B%7B%22nam%22:%22x%22%7D%5D",
                            "%5B%7B%22name%22:%22tenant%22,%22name%22:%22other%22%7D%5D"})
    EXPECT_EQ(http_.get(letters_ + "?attributes=" + wrong).status, 400U) << wrong;
  EXPECT_EQ(http_.get(letters_ + "?" + north + "&" + north).status, 400U);
}

TEST_F(HttpDeadLettersTest, AreFoundInWhateverQueue) {
  must(engine_->alter_queue("orders-dlq",
                            {.dead_letters = {.searched_attributes = std::vector<std::string>{"customer"}}}));
  must(engine_->send("orders", {.body = "{}", .attributes = {{"customer", "4711"}}}));
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {}));
  const auto find = [&](const json& request) {
    const Answer answer = http_.post("/v1/dead-letters/find", request);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return answer.parsed();
  };
  const json found = find({{"filter", {{"attributes", {{{"name", "customer"}, {"value", "4711"}}}}}}});
  ASSERT_EQ(found["items"].size(), 1U);
  EXPECT_EQ(found["items"][0]["queue"], "orders-dlq");
  EXPECT_EQ(found["items"][0]["letter"]["record"]["searched"][0]["value"], "4711");
  EXPECT_EQ(found["scanned"][0], "orders-dlq");  // it has letters from before the attribute was declared
  const json first = find({{"max", 3}});
  EXPECT_EQ(first["items"].size(), 3U);
  EXPECT_EQ(find({{"start", first["next"]}})["items"].size(), 1U);
  EXPECT_EQ(find({{"queues", {"orders-dlq"}}, {"filter", {{"body", "\"N\":1"}}}})["items"].size(), 1U);
  EXPECT_EQ(http_.post("/v1/dead-letters/find", {{"queues", {"nowhere"}}}).status, 404U);
}

TEST_F(HttpDeadLettersTest, AreSelectedByPlacesWhichAreTexts) {
  const json letter = get(letters_ + "?category=timeout")["items"][0];
  EXPECT_EQ(letter["seq"], "3");
  EXPECT_EQ(letter["record"]["sourceSeq"], "3");
  EXPECT_EQ(get(letters_ + "?seqs=3&seqs=1")["items"].size(), 2U);
  const auto discard = [&](const json& place) {
    return http_.post(letters_ + "/discard", {{"selection", {{"filter", {{"seqs", {place}}}}}}});
  };
  const Answer number = discard(3);
  EXPECT_EQ(number.status, 400U);
  EXPECT_THAT(number.body, ::testing::HasSubstr("selection.filter.seqs[0]: is not a place"));
  EXPECT_EQ(discard(letter["seq"]).parsed()["changed"], 1);
}

TEST_F(HttpDeadLettersTest, ADeliveryOfOneSaysWhyItDied) {
  const Answer received = http_.post("/v1/queues/orders-dlq/deliveries", json::object());
  EXPECT_EQ(received.parsed()["deliveries"][0]["failure"]["rejection"]["category"], "schema");
}

TEST_F(HttpDeadLettersTest, AreTriaged) {
  const Answer changed =
      http_.post(letters_ + "/change", {{"selection", {{"filter", {{"category", "schema"}}}}},
                                        {"status", "investigating"},
                                        {"assignee", "ada"},
                                        {"note", "looks like the new client"}});
  ASSERT_EQ(changed.status, 200U) << changed.body;
  EXPECT_EQ(changed.parsed()["changed"], 2);
  const json letter = get(letters_ + "?assignee=ada")["items"][0];
  EXPECT_EQ(letter["triage"]["status"], "investigating");
  EXPECT_EQ(letter["triage"]["notes"][0]["text"], "looks like the new client");
  EXPECT_EQ(http_.post(letters_ + "/discard", {{"selection", {{"all", false}}}}).status, 400U);
}

TEST_F(HttpDeadLettersTest, AreRedrivenAfterALook) {
  const json would =
      http_.post(letters_ + "/redrive", {{"filter", {{"category", "schema"}}}, {"dryRun", true}}).parsed();
  EXPECT_EQ(would["moved"], 2);
  EXPECT_EQ(would["task"], 0);
  EXPECT_EQ(would["sample"].size(), 2U);
  const json edit = {{"jsonPatch", R"([{"op":"replace","path":"/n","value":9}])"}};
  const Answer done =
      http_.post(letters_ + "/redrive", {{"filter", {{"category", "schema"}}}, {"edit", edit}});
  ASSERT_EQ(done.status, 200U) << done.body;
  EXPECT_EQ(done.parsed()["moved"], 2);
  EXPECT_EQ(must(engine_->receive("orders")).front().body, "{\"n\":9}");

  EXPECT_EQ(http_.post(letters_ + "/redrive", {{"rate", 1000}}).code(), "invalid_argument");
  const Answer started = http_.post(letters_ + "/redrive", {{"rate", 1000}, {"wait", false}});
  ASSERT_EQ(started.status, 200U) << started.body;
  const auto task = started.parsed()["task"].get<std::uint64_t>();
  wait_until([&] { return get("/v1/redrives/" + std::to_string(task))["state"] == "done"; });
  EXPECT_EQ(get("/v1/redrives")["tasks"].size(), 2U);
  EXPECT_EQ(http_.get("/v1/redrives/999").code(), "task_not_found");
}

TEST_F(HttpDeadLettersTest, AreParked) {
  must(engine_->create_queue("aside"));
  const json filter = {{"category", "schema"}};
  const json parks = {{"action", "park"}, {"to", "aside"}, {"filter", filter}};
  json dry = parks;
  dry["dryRun"] = true;
  EXPECT_EQ(http_.post(letters_ + "/redrive", dry).parsed()["parked"], 2);
  EXPECT_EQ(must(engine_->describe_queue("aside")).counts.dead, 0U);
  EXPECT_EQ(http_.post(letters_ + "/redrive", parks).parsed()["parked"], 2);
  EXPECT_EQ(must(engine_->describe_queue("aside")).counts.dead, 2U);
  EXPECT_EQ(http_.post(letters_ + "/redrive", {{"action", "burn"}}).status, 400U);
}

TEST_F(HttpDeadLettersTest, WhatIsExportedIsImported) {
  json items = get(letters_ + "?bodies=true")["items"];
  ASSERT_EQ(http_.post(letters_ + "/discard", {{"selection", {{"all", true}}}}).parsed()["changed"], 3);
  must(engine_->purge_queue("orders-dlq"));
  must(engine_->create_queue("elsewhere"));
  const Answer imported = http_.post("/v1/queues/elsewhere/dead-letters/import", {{"letters", items}});
  ASSERT_EQ(imported.status, 200U) << imported.body;
  EXPECT_EQ(imported.parsed()["imported"], 3);
  json again = get("/v1/queues/elsewhere/dead-letters?bodies=true")["items"];
  ASSERT_EQ(again.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again[i]["body"], items[i]["body"]);
    EXPECT_EQ(again[i]["id"], items[i]["id"]);
    EXPECT_EQ(again[i]["record"]["fingerprint"], items[i]["record"]["fingerprint"]);
  }
}

TEST_F(HttpDeadLettersTest, AnImportSaysWhichLetterIsNotWhole) {
  const json items = get(letters_ + "?bodies=true")["items"];
  must(engine_->create_queue("elsewhere"));
  const auto refusal = [&](const json& letters) {
    const Answer answer = http_.post("/v1/queues/elsewhere/dead-letters/import", {{"letters", letters}});
    EXPECT_EQ(answer.status, 400U);
    return answer.parsed()["detail"].get<std::string>();
  };
  json without_body = items;
  without_body[1].erase("body");
  EXPECT_THAT(refusal(without_body),
              AllOf(HasSubstr(items[1]["id"].get<std::string>()), HasSubstr("bodies")));
  json without_cause = items;
  without_cause[2]["record"].erase("cause");
  EXPECT_THAT(refusal(without_cause), StartsWith("letters[2]: record.cause: "));
  EXPECT_THAT(refusal(json::array({json::object()})), StartsWith("letters[0]: record: "));
  json without_original = items;
  without_original[0]["original"] = json::object();
  EXPECT_THAT(refusal(without_original), StartsWith("letters[0]: original.body: "));
  const json redacted =
      http_.post("/v1/dead-letters/find", {{"bodies", true}, {"redact", {{"bodies", true}}}})
          .parsed()["items"];
  EXPECT_FALSE(redacted[0]["letter"].contains("body"));
  EXPECT_THAT(refusal(json::array({redacted[0]["letter"]})), HasSubstr("its body was redacted"));
  EXPECT_EQ(must(engine_->describe_queue("elsewhere")).counts.dead, 0U);
}

TEST_F(HttpDeadLettersTest, AnEmptyBodyIsThereAndIsImported) {
  must(engine_->create_queue("elsewhere"));
  must(engine_->send("orders", {.body = ""}));
  const auto deliveries = must(engine_->receive("orders"));
  must(engine_->reject(deliveries.at(0).receipt, {.category = "empty"}));
  EXPECT_FALSE(get(letters_ + "?category=empty")["items"][0].contains("body"));
  const json items = get(letters_ + "?category=empty&bodies=true")["items"];
  EXPECT_EQ(items[0]["body"], "");
  const Answer imported = http_.post("/v1/queues/elsewhere/dead-letters/import", {{"letters", items}});
  EXPECT_EQ(imported.parsed()["imported"], 1) << imported.body;
}

}  // namespace
}  // namespace holdfast::server
