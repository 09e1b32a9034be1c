// The webhook of alerts: what it posts, what it tries again or drops, and that it never holds up the engine.
#include "server/alerts/webhook.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/base_sink.h>

#include <condition_variable>
#include <deque>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/engine_time.h"
#include "tests/support/http_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using namespace holdfast::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class Lines final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    lines_.emplace_back(message.payload.data(), message.payload.size());
  }
  void flush_() override {}

  std::vector<std::string> lines_;
};

// The receiver of webhooks, which answers when the test says so.
class Hook {
 public:
  Webhook::Post post() {
    return [this](const std::string& json) -> Result<unsigned> {
      std::unique_lock lock(mutex_);
      bodies_.push_back(Json::parse(json));
      changed_.notify_all();
      changed_.wait(lock, [&] { return cancelled_ || !answers_.empty(); });
      if (cancelled_) return fail(ErrorCode::kClosed, "closed");
      const unsigned status = answers_.front();
      answers_.pop_front();
      return status;
    };
  }
  std::function<void()> cancel() {
    return [this] {
      const std::scoped_lock lock(mutex_);
      cancelled_ = true;
      changed_.notify_all();
    };
  }
  void answer(unsigned status) {
    const std::scoped_lock lock(mutex_);
    answers_.push_back(status);
    changed_.notify_all();
  }
  Json wait_for_post() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !bodies_.empty(); });
    Json body = std::move(bodies_.front());
    bodies_.pop_front();
    return body;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Json> bodies_;
  std::deque<unsigned> answers_;
  bool cancelled_ = false;
};

class WebhookTest : public ::testing::Test {
 protected:
  WebhookTest() {
    engine_.emplace(must(Engine::open(directory_ / "data", {.clock = &clock_, .background = false})));
    must(engine_->create_queue("dlq", {.alerts = {.depth = {.above = 0, .clear_after = 0s},
                                                  .depth_high = {.above = 1, .clear_after = 0s},
                                                  .depth_critical = {.above = 2, .clear_after = 0s}},
                                       .tags = {{"team", "billing"}}}));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  }
  void kill(const std::string& reason = "bad") {
    must(engine_->send("orders", {.body = "x"}));
    must(
        engine_->reject(must(engine_->receive("orders")).at(0).receipt, {.category = "c", .reason = reason}));
  }
  void start(WebhookOptions options) {
    options.backoff = 0s;
    webhook_.emplace(must(Webhook::start(*engine_, log_, options, hook_.post(), hook_.cancel())));
  }
  static std::vector<std::string> rules(const Json& batch) {
    std::vector<std::string> rules;
    for (const Json& event : batch.at("events"))
      rules.push_back(event.at("kind").get<std::string>() + " " + event.at("rule").get<std::string>());
    return rules;
  }

  TempDir directory_;
  ManualClock clock_;
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
  std::shared_ptr<spdlog::logger> log_ = std::make_shared<spdlog::logger>("test", lines_);
  Hook hook_;
  std::optional<Engine> engine_;
  std::optional<Webhook> webhook_;
};

TEST_F(WebhookTest, TellsWhatFiresAndClears) {
  start({});
  kill();
  const Json fired = hook_.wait_for_post();
  EXPECT_EQ(fired.at("dropped"), 0);
  ASSERT_EQ(fired.at("events").size(), 1U);
  EXPECT_EQ(fired.at("events")[0].at("kind"), "rule_fired");
  EXPECT_EQ(fired.at("events")[0].at("queue"), "dlq");
  EXPECT_EQ(fired.at("events")[0].at("rule"), "depth");
  EXPECT_EQ(fired.at("events")[0].at("value"), 1);
  EXPECT_EQ(fired.at("events")[0].at("threshold"), 0);
  EXPECT_EQ(fired.at("events")[0].at("severity"), "warning");
  EXPECT_EQ(fired.at("events")[0].at("tags").at("team"), "billing");
  EXPECT_EQ(fired.at("events")[0].at("summary"), "warning: dlq: 1 dead letter, more than 0");
  hook_.answer(200);
  must(engine_->redrive("dlq"));
  EXPECT_THAT(rules(hook_.wait_for_post()), ElementsAre("rule_cleared depth"));
}

TEST_F(WebhookTest, TellsOfEachDeathIfAsked) {
  start({.deaths = true, .batch = 1});
  kill("no \xff answer");
  const Json batch = hook_.wait_for_post();
  const Json& death = batch.at("events").at(0);
  EXPECT_EQ(death.at("kind"), "died");
  EXPECT_EQ(death.at("queue"), "orders");
  EXPECT_EQ(death.at("dead_letter_queue"), "dlq");
  EXPECT_EQ(death.at("cause"), "rejected");
  EXPECT_EQ(death.at("category"), "c");
  EXPECT_EQ(death.at("deliveries"), 1);
  EXPECT_EQ(death.at("dead_letter"), "1");
  EXPECT_THAT(death.at("reason").get<std::string>(), HasSubstr("answer"));
  hook_.answer(200);
  EXPECT_THAT(rules(hook_.wait_for_post()), ElementsAre("rule_fired depth"));
}

TEST_F(WebhookTest, TellsWhatHeldBefore) {
  kill();
  start({});
  EXPECT_THAT(rules(hook_.wait_for_post()), ElementsAre("rule_fired depth"));
}

TEST_F(WebhookTest, TriesAgainUntilItIsTakenAndKeepsTheOrder) {
  start({});
  kill();
  for (const unsigned status : {503U, 429U, 200U}) {
    EXPECT_THAT(rules(hook_.wait_for_post()), ElementsAre("rule_fired depth"));
    if (status == 503U) kill();  // this event waits meanwhile
    hook_.answer(status);
  }
  EXPECT_THAT(rules(hook_.wait_for_post()), ElementsAre("rule_fired depth_high"));
  EXPECT_THAT(lines_->lines(), ElementsAre("webhook does not accept events, trying again: answered 503",
                                           "webhook accepts events again"));
}

TEST_F(WebhookTest, WhatIsRefusedIsDroppedAndLogged) {
  start({});
  kill();
  EXPECT_EQ(hook_.wait_for_post().at("dropped"), 0);
  hook_.answer(400);
  kill();
  const Json next = hook_.wait_for_post();
  EXPECT_THAT(rules(next), ElementsAre("rule_fired depth_high")) << "none is made for what was refused alone";
  EXPECT_EQ(next.at("dropped"), 1);
  EXPECT_THAT(lines_->lines(), ElementsAre(R"(webhook events dropped count=1 why="answered 400")"));
}

TEST_F(WebhookTest, WhatARefusedPostSaidWasDroppedIsSaidByTheNext) {
  start({});
  for (const unsigned refused : {0U, 1U}) {
    kill();
    EXPECT_EQ(hook_.wait_for_post().at("dropped"), refused);
    hook_.answer(400);
  }
  kill();
  EXPECT_EQ(hook_.wait_for_post().at("dropped"), 2);
  EXPECT_THAT(lines_->lines(), ElementsAre(R"(webhook events dropped count=1 why="answered 400")",
                                           R"(webhook events dropped count=1 why="answered 400")"));
  hook_.answer(200);
  must(engine_->redrive("dlq"));
  EXPECT_EQ(hook_.wait_for_post().at("dropped"), 0) << "it was told";
}

// While the hook holds one call, the engine goes on, and the oldest events are dropped.
TEST_F(WebhookTest, NeverHoldsUpTheEngineAndCountsWhatItDrops) {
  start({.waiting = 2});
  kill();
  hook_.wait_for_post();
  kill();                         // fires depth_high
  kill();                         // fires depth_critical
  must(engine_->redrive("dlq"));  // clears three rules
  kill();                         // fires depth
  hook_.answer(200);
  std::uint64_t told = 0;
  std::uint64_t dropped = 0;
  while (told + dropped < 6) {
    const Json batch = hook_.wait_for_post();
    hook_.answer(200);
    told += batch.at("events").size();
    dropped += batch.at("dropped").get<std::uint64_t>();
  }
  EXPECT_EQ(told + dropped, 6U);
}

TEST_F(WebhookTest, AStopEndsACallAndSaysWhatIsLost) {
  start({});
  kill();
  hook_.wait_for_post();
  webhook_.reset();
  EXPECT_THAT(lines_->lines(), ElementsAre("webhook events dropped count=1 why=closed"));
}

TEST_F(WebhookTest, PostsToAUrl) {
  HttpServer server;
  kill();
  webhook_.emplace(must(Webhook::start(*engine_, log_, {.url = server.url()})));
  EXPECT_THAT(rules(Json::parse(server.wait_for(1).at(0).body)), ElementsAre("rule_fired depth"));
  EXPECT_THAT(Webhook::start(*engine_, log_, {.url = "x"}).map([](auto&&) {}),
              FailsWith(ErrorCode::kInvalidArgument));
}

// PagerDuty takes no details with a resolve.
TEST_F(WebhookTest, WhatAPostCannotSayTheNextOneDoes) {
  std::ofstream(directory_ / "key") << "R0UT1NG";
  must(engine_->alter_queue(
      "dlq", {.alerts = AlertRules{
                  .depth = {.above = 0, .clear_after = 0s}, .depth_high = {}, .depth_critical = {}}}));
  start({.shape = WebhookShape::kPagerDuty, .key = directory_ / "key"});
  kill();
  EXPECT_EQ(hook_.wait_for_post().at("event_action"), "trigger");
  hook_.answer(400);
  must(engine_->redrive("dlq"));
  EXPECT_EQ(hook_.wait_for_post().at("event_action"), "resolve");
  hook_.answer(202);
  must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {.reason = "bad"}));
  EXPECT_EQ(hook_.wait_for_post().at("payload").at("custom_details").at("dropped"), 1);
  hook_.answer(202);
}

}  // namespace
}  // namespace holdfast::server
