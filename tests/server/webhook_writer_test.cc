// Tests what a webhook is sent for each shape, and what Webhook makes of it with a receiver on the loopback.
#include "server/alerts/webhook_writer.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/null_sink.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "server/alerts/webhook.h"
#include "tests/support/http_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using namespace holdfast::testing;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr WebhookWriter::Dropped kNone{};

Event fired(AlertSeverity severity = AlertSeverity::kCritical) {
  const Alert alert{.rule = "depth", .severity = severity, .value = 5, .threshold = 2};
  return {.kind = EventKind::kRuleFired,
          .time = Timestamp(1'772'357'400'412ms),
          .queue = "a<b&c>",
          .queue_id = QueueId{7},
          .text = alert.rule,
          .count = alert.value,
          .tags = {{"team", "billing"}, {"tier", "1"}},
          .alert = alert};
}

Event cleared() {
  Event event = fired();
  event.kind = EventKind::kRuleCleared;
  event.count = event.alert->value = 1;
  return event;
}

Event death() {
  return {.kind = EventKind::kDied,
          .time = Timestamp(1'772'357'400'412ms),
          .queue = "orders",
          .message = MessageId{},
          .cause = DeathCause::kRejected,
          .category = "timeout",
          .text = "no answer\nat line 3",
          .target = "dlq",
          .count = 3,
          .dead_letter = Seq{17}};
}

class WebhookWriterTest : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) {
    const auto path = directory_ / name;
    std::ofstream(path) << text;
    return path;
  }
  WebhookOptions pager_duty() {
    return {.url = "http://x/", .shape = WebhookShape::kPagerDuty, .key = file("key", "R0UT1NG\n")};
  }
  WebhookOptions of_template(const std::string& text) {
    return {.url = "http://x/", .shape = WebhookShape::kTemplate, .template_file = file("template", text)};
  }
  static Json write(const WebhookOptions& options, const std::vector<Event>& events,
                    const WebhookWriter::Dropped& dropped = kNone) {
    return Json::parse(must(WebhookWriter::make(options)).write(events, dropped));
  }

  TempDir directory_;
};

TEST_F(WebhookWriterTest, JsonHasAllFieldsOfAllEvents) {
  const Json json = write({}, {fired(), death()}, {.count = 4, .at = {}});
  EXPECT_EQ(json.at("dropped"), 4);
  EXPECT_EQ(json.at("events").at(0), Json::parse(R"({
    "kind": "rule_fired", "time": "2026-03-01T09:30:00.412000Z", "time_ms": 1772357400412, "queue": "a<b&c>",
    "rule": "depth", "severity": "critical", "value": 5, "threshold": 2,
    "summary": "critical: a<b&c>: 5 dead letters, more than 2", "tags": {"team": "billing", "tier": "1"}})"));
  const Json& died = json.at("events").at(1);
  EXPECT_EQ(died.at("dead_letter"), "17");
  EXPECT_EQ(died.at("dead_letter_queue"), "dlq");
  EXPECT_THAT(died.at("summary").get<std::string>(),
              HasSubstr("died (rejected, timeout), and is in dlq as number 17: no answer..."));
}

TEST_F(WebhookWriterTest, SlackHasAnAttachmentForEachEvent) {
  const WebhookOptions options{.shape = WebhookShape::kSlack};
  EXPECT_EQ(must(WebhookWriter::make(options)).batch(), 20U);
  const Json json =
      write(options, {fired(), fired(AlertSeverity::kWarning), cleared()}, {.count = 2, .at = {}});
  const Json& all = json.at("attachments");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], Json::parse(R"({
    "color": "danger", "text": "critical: a&lt;b&amp;c&gt;: 5 dead letters, more than 2",
    "fallback": "critical: a&lt;b&amp;c&gt;: 5 dead letters, more than 2",
    "ts": 1772357400, "footer": "team=billing, tier=1"})"));
  EXPECT_EQ(all[1].at("color"), "warning");
  EXPECT_EQ(all[2].at("color"), "good");
  EXPECT_EQ(all[3].at("text"), "2 events could not be told");
}

TEST_F(WebhookWriterTest, PagerDutyIsTriggeredAndResolved) {
  const WebhookOptions options = pager_duty();
  EXPECT_EQ(must(WebhookWriter::make(options)).batch(), 1U);
  const Json trigger = write(options, {fired()});
  EXPECT_EQ(trigger.at("routing_key"), "R0UT1NG");
  EXPECT_EQ(trigger.at("event_action"), "trigger");
  EXPECT_EQ(trigger.at("dedup_key"), "holdfast/7/depth");
  const Json& payload = trigger.at("payload");
  EXPECT_EQ(payload.at("summary"), "critical: a<b&c>: 5 dead letters, more than 2");
  EXPECT_EQ(payload.at("severity"), "critical");
  EXPECT_FALSE(payload.at("source").get<std::string>().empty());
  EXPECT_EQ(payload.at("timestamp"), "2026-03-01T09:30:00.412000Z");
  EXPECT_EQ(payload.at("component"), "a<b&c>");
  EXPECT_EQ(payload.at("class"), "depth");
  EXPECT_EQ(payload.at("custom_details").at("tags").at("team"), "billing");
  EXPECT_EQ(write(options, {fired(AlertSeverity::kWarning)}).at("payload").at("severity"), "warning");
  EXPECT_EQ(write(options, {cleared()}), Json::parse(R"({"routing_key": "R0UT1NG", "event_action": "resolve",
                                                         "dedup_key": "holdfast/7/depth"})"));
  const Json missed = write(options, {}, {.count = 3, .at = fired().time});
  EXPECT_EQ(missed.at("payload").at("summary"), "3 events could not be told");
  EXPECT_EQ(missed.at("payload").at("timestamp"), "2026-03-01T09:30:00.412000Z");
}

TEST_F(WebhookWriterTest, ATemplateIsFilledIn) {
  const Json json =
      write(of_template(R"({"title": "{{queue}} {{ rule }}", "n": "{{value}}", "labels": "{{tags}}",
                                          "text": ["tags: {{tags}}", "{{severity}}, {{tag team}}{{tag none}}"],
                                          "more": "{{dead_letter}}", "fixed": 1, "dropped": "{{dropped}}"})"),
            {fired()}, {.count = 2, .at = {}});
  EXPECT_EQ(json, Json::parse(R"({"title": "a<b&c> depth", "n": 5, "labels": {"team": "billing", "tier": "1"},
                                  "text": ["tags: team=billing, tier=1", "critical, billing"],
                                  "more": null, "fixed": 1, "dropped": 2})"));
}

TEST_F(WebhookWriterTest, WhatIsFilledInIsNotReadAgain) {
  Event event = fired();
  event.tags = {{"team", "{{queue}}\", \"x\": \""}};
  EXPECT_EQ(write(of_template(R"({"a": "t {{tag team}}"})"), {event}).at("a"), "t {{queue}}\", \"x\": \"");
}

TEST_F(WebhookWriterTest, RefusesWhatDoesNotBelongTogether) {
  const auto refuses = [](const WebhookOptions& options, const std::string& what) {
    EXPECT_THAT(WebhookWriter::make(options).map([](auto&&) {}),
                FailsNaming(ErrorCode::kInvalidArgument, what));
  };
  refuses({.shape = WebhookShape::kPagerDuty}, "alert-webhook-key is missing");
  refuses({.shape = WebhookShape::kSlack, .key = "k"}, "alert-webhook-key is only for");
  refuses({.shape = WebhookShape::kTemplate}, "alert-webhook-template is missing");
  refuses({.template_file = "t"}, "alert-webhook-template is only for");
  refuses({.shape = WebhookShape::kPagerDuty, .key = directory_ / "absent"}, "alert-webhook-key: ");
  refuses({.shape = WebhookShape::kPagerDuty, .key = file("empty", "\n")}, "is empty");
  WebhookOptions deaths = pager_duty();
  deaths.deaths = true;
  refuses(deaths, "alert-webhook-deaths");
  refuses(of_template("{"), "is not JSON");
  refuses(of_template(R"({"a": ["{{quueue}}"]})"), "no event has a 'quueue'");
  refuses(of_template(R"(["{{tag }}"])"), "no event has a 'tag'");
}

// Sends each shape over the wire, from a rule that fires and clears to what the receiver gets.
class WebhookShapes : public WebhookWriterTest {
 protected:
  // Returns the bodies that were posted when a rule fired, and when it cleared.
  std::vector<Json> posted(WebhookOptions options, int status = 200) {
    HttpServer server;
    server.answer({status, status});
    options.url = server.url();
    Engine engine = must(Engine::open(directory_ / "data", {.clock = &clock_, .background = false}));
    must(engine.create_queue("dlq", {.alerts = {.depth = {.above = 0, .clear_after = 0s}}}));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    const auto log =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
    const Webhook webhook = must(Webhook::start(engine, log, options));
    must(engine.send("orders", {.body = "x"}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.category = "c"}));
    std::vector<Json> bodies{Json::parse(server.wait_for(1).at(0).body)};
    must(engine.redrive("dlq"));
    bodies.push_back(Json::parse(server.wait_for(1).at(0).body));
    return bodies;
  }

  ManualClock clock_;
};

TEST_F(WebhookShapes, Slack) {
  const auto bodies = posted({.shape = WebhookShape::kSlack});
  EXPECT_EQ(bodies[0].at("attachments").at(0).at("text"), "warning: dlq: 1 dead letter, more than 0");
  EXPECT_EQ(bodies[1].at("attachments").at(0).at("color"), "good");
}

TEST_F(WebhookShapes, PagerDuty) {
  const auto bodies = posted(pager_duty(), 202);
  EXPECT_EQ(bodies[0].at("event_action"), "trigger");
  EXPECT_EQ(bodies[1].at("event_action"), "resolve");
  EXPECT_EQ(bodies[0].at("dedup_key"), bodies[1].at("dedup_key"));
}

TEST_F(WebhookShapes, Template) {
  const auto bodies = posted(of_template(R"({"say": "{{kind}}: {{summary}}"})"));
  EXPECT_EQ(bodies[0].at("say"), "rule_fired: warning: dlq: 1 dead letter, more than 0");
  EXPECT_EQ(bodies[1].at("say"), "rule_cleared: cleared: dlq: 0 dead letters, no longer more than 0");
}

}  // namespace
}  // namespace holdfast::server
