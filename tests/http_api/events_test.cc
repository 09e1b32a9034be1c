// Events are sent as server-sent events. A client that was cut off goes on where it was.
#include "server/events/event_log.h"
#include "tests/http_api/api_fixture.h"
#include "tests/server/tokens.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Headers = HttpTestClient::Headers;

class EventsTest : public ApiFixture {
 protected:
  EventsTest() {
    for (const char* name : {"orders", "secret"})
      must(engine_->create_queue(name, {.dead_letters = {.queue = std::string(name) + "-dlq"}},
                                 MissingQueues::kCreate));
  }

  void die(const std::string& queue, const std::string& reason) {
    must(engine_->send(queue, {.body = "x"}));
    must(engine_->reject(must(engine_->receive(queue)).front().receipt, {.category = "c", .reason = reason}));
  }

  // Begins a stream, and returns the id with which it begins.
  std::string begin(HttpTestClient& http, const std::string& target = "/v1/events",
                    const Headers& headers = {}) {
    http.start(http::verb::get, target, "", headers);
    http.until("\r\n\r\n");
    const std::string start = http.until("event: start\ndata: {}\n\n");
    const auto from = start.find("id: ") + 4;
    return start.substr(from, start.find('\n', from) - from);
  }
  // Returns the whole of the first event with this name.
  std::string next(HttpTestClient& http, const std::string& name) {
    http.until("event: " + name + "\n");
    return http.until("\n\n");
  }
};

TEST_F(EventsTest, ADeathIsToldAsItHappens) {
  serve();
  auto http = client();
  begin(http);
  die("orders", "no such customer");
  const std::string data = next(http, "died");
  ASSERT_THAT(data, StartsWith("data: "));
  const json event = json::parse(data.substr(6));
  EXPECT_EQ(event["queue"], "orders");
  EXPECT_EQ(event["target"], "orders-dlq");
  EXPECT_EQ(event["cause"], "rejected");
  EXPECT_EQ(event["category"], "c");
  EXPECT_EQ(event["text"], "no such customer");
  EXPECT_EQ(event["messageId"].get<std::string>().size(), 36U);
}

TEST_F(EventsTest, AnAlertIsToldToo) {
  serve();
  auto http = client();
  begin(http, "/v1/events?queue=orders-dlq");
  die("secret", "not of this queue");
  die("orders", "of this queue");
  EXPECT_THAT(next(http, "died"), HasSubstr("of this queue"));
  engine_->run_due();
  EXPECT_THAT(next(http, "ruleFired"), HasSubstr("\"queue\":\"orders-dlq\""));
}

TEST_F(EventsTest, WhoWasCutOffGoesOnWhereHeWas) {
  serve();
  auto first = client();
  const std::string at = begin(first);
  die("orders", "first");
  next(first, "died");
  first.hang_up();
  die("orders", "second");

  auto again = client();
  begin(again, "/v1/events", {{"Last-Event-ID", at}});
  EXPECT_THAT(next(again, "died"), HasSubstr("first"));
  EXPECT_THAT(next(again, "died"), HasSubstr("second"));
}

TEST_F(EventsTest, WhatNobodyKnowsAnyMoreIsSaidToBeMissed) {
  serve();
  auto http = client();
  begin(http, "/v1/events", {{"Last-Event-ID", "00000000-17"}});
  EXPECT_THAT(next(http, "missed"), HasSubstr("\"count\":0"));
  die("orders", "after it");
  EXPECT_THAT(next(http, "died"), HasSubstr("after it"));
}

// If a part of it counted, the client would get events twice, or miss some without a word.
TEST_F(EventsTest, AnIdThatTheServerNeverGaveIsAnUnknownOne) {
  serve();
  auto first = client();
  const std::string at = begin(first);
  const std::string log = at.substr(0, at.find('-'));
  die("orders", "before");
  next(first, "died");
  for (const std::string& id :
       {log + "-0x", log + "-00", log + "-", log + "--0", log, log + "-+0", log + "-1x", log + "-999",
        log + "-99999999999999999999", "x" + at, std::string("0")}) {
    auto http = client();
    begin(http, "/v1/events", {{"Last-Event-ID", id}});
    die("orders", "after " + id);
    const std::string seen = http.until("after " + id + "\"");
    EXPECT_THAT(seen, HasSubstr("event: missed\ndata: {\"count\":0}\n\n")) << id;
    EXPECT_THAT(seen, Not(HasSubstr("before"))) << id;
  }
}

TEST_F(EventsTest, ATokenSeesWhatItMayOperate) {
  ServerOptions options;
  options.tokens = tokens_of({token_with("some", "some", "operate:orders*")});
  serve(std::move(options));
  auto stranger = client();
  EXPECT_EQ(stranger.get("/v1/events").status, 401U);
  auto http = client();
  begin(http, "/v1/events", {{"Authorization", "Bearer some"}});
  die("secret", "not to be seen");
  die("orders", "to be seen");
  EXPECT_THAT(next(http, "died"), HasSubstr("to be seen"));
  server_->set_tokens(tokens_of({}));
  const std::string rest = http.rest();
  EXPECT_THAT(rest, Not(HasSubstr("not to be seen")));
  EXPECT_THAT(rest, HasSubstr("event: end\ndata: {\"code\":\"permission_denied\"}"));
}

TEST_F(EventsTest, AQueueThatNobodyCanSeeHasNoStream) {
  ServerOptions options;
  options.tokens =
      tokens_of({token_with("some", "some", "operate:orders*"),
                 token_with("sender", "sender", "produce:orders"), token_with("all", "all", "all:*")});
  serve(std::move(options));
  const auto status = [this](const char* queue, const std::string& token) {
    const std::string path = std::string("/v1/events?queue=") + queue;
    auto http = client();
    http.start(http::verb::get, path, "", {{"Authorization", "Bearer " + token}});
    const std::string head = http.until("\r\n\r\n");
    return head.substr(head.find(' ') + 1, 3);
  };
  EXPECT_EQ(status("orders", "some"), "200");
  EXPECT_EQ(status("secret", "some"), "404");
  EXPECT_EQ(status("orders", "sender"), "403");
  EXPECT_EQ(status("nowhere", "all"), "404");
}

TEST_F(EventsTest, TheLogAndTheMetricsTellItFromTheCallsThatAdmitIt) {
  serve({.slow_call = 1us});
  for (const char* target : {"/v1/events", "/v1/events?queue=orders"}) {
    auto http = client();
    begin(http, target);
  }
  EXPECT_EQ(client().get("/v1/events?queue=nowhere").status, 404U);
  const std::string metrics = client().get("/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("holdfast_call_seconds_count{method=\"streamEvents\"} 3\n"));
  EXPECT_THAT(metrics, AllOf(Not(HasSubstr("listQueues")), Not(HasSubstr("queueStatistics"))));
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr(" method=streamEvents ms="));
  EXPECT_THAT(text, HasSubstr(" method=streamEvents error=queue_not_found "));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("listQueues")), Not(HasSubstr("queueStatistics"))));
}

TEST_F(EventsTest, TheEndOfTheServerEndsIt) {
  serve();
  auto http = client();
  begin(http);
  server_->stop(std::chrono::seconds(60));
  EXPECT_THAT(http.rest(), HasSubstr("event: end\ndata: {\"code\":\"closed\"}"));
}

TEST_F(EventsTest, AQueryThatItDoesNotKnowIsRefused) {
  serve();
  EXPECT_EQ(client().get("/v1/events?kind=died").status, 400U);
}

TEST_F(EventsTest, TheLogKeepsTheLastOnes) {
  EventLog log(*engine_);
  EXPECT_THAT(log.after(0, 10).entries, IsEmpty());
  must(log.listen());
  must(log.listen());  // this makes no second subscription
  must(
      engine_->create_queue("full", {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
  constexpr std::size_t kMore = 10;
  for (std::size_t i = 0; i <= EventLog::kEventsKept + kMore; ++i)
    must(engine_->send("full",
                       {
                           .body = "x",
                       },
                       {.durability = Durability::kBuffered}));
  while (log.after(EventLog::kEventsKept + kMore - 1, 1).entries.empty()) std::this_thread::yield();
  const auto part = log.after(3, 2);
  EXPECT_EQ(part.missed, kMore - 3);
  ASSERT_EQ(part.entries.size(), 2U);
  EXPECT_EQ(part.entries[0].number, kMore + 1);
  EXPECT_EQ(part.entries[1].number, kMore + 2);
  EXPECT_EQ(part.entries[0].event.kind, EventKind::kOverflowed);
}

}  // namespace
}  // namespace holdfast::server
