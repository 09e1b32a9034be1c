// The server's log says which alerts fire, clear or hold, who died if it is to say much, and that the clock
// was set.
#include "server/alerts/alert_log.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/base_sink.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/engine_time.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using namespace holdfast::testing;
using ::testing::ElementsAre;

const std::string kFired =
    "warning alert fired queue=dlq rule=depth severity=warning value=1 threshold=0 tags=\"team=billing\" "
    "summary=\"warning: dlq: 1 dead letter, more than 0\"";

// Keeps lines, and lets a test wait for them.
class Lines final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return lines_.size() >= count; });
    return std::exchange(lines_, {});
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    lines_.push_back(std::string(spdlog::level::to_string_view(message.level).data()) + ' ' +
                     std::string(message.payload.data(), message.payload.size()));
    came_.notify_all();
  }
  void flush_() override {}

  std::condition_variable_any came_;
  std::vector<std::string> lines_;
};

class AlertLog : public ::testing::Test {
 protected:
  AlertLog() {
    open();
    must(engine_->create_queue(
        "dlq", {.alerts = {.depth = {.above = 0, .clear_after = 0s}}, .tags = {{"team", "billing"}}}));
    must(engine_->create_queue("orders",
                               {.retry = {.max_deliveries = 1},
                                .dead_letters = {.queue = "dlq"},
                                .brake = {.deaths_per_minute = 1, .delay = 10s}},
                               MissingQueues::kCreate));
  }

  void open() {
    engine_.reset();
    engine_.emplace(must(Engine::open(directory_ / "data", {.clock = &clock_, .background = false})));
  }
  void kill() {
    must(engine_->send("orders", {.body = "x"}));
    must(engine_->release(must(engine_->receive("orders")).at(0).receipt));
  }

  TempDir directory_;
  ManualClock clock_;
  std::optional<Engine> engine_;
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
  spdlog::logger log_{"test", lines_};
};

TEST_F(AlertLog, SaysWhatFiresAndWhatClears) {
  const auto subscription = must(log_alerts(*engine_, log_));
  kill();
  EXPECT_THAT(lines_->wait_for(1), ElementsAre(kFired));
  kill();
  EXPECT_THAT(
      lines_->wait_for(1),
      ElementsAre("warning alert fired queue=orders rule=flood_brake severity=warning value=2 threshold=1 "
                  "summary=\"warning: orders: 2 deaths within a minute, more than 1\""));
  must(engine_->redrive("dlq"));
  EXPECT_THAT(
      lines_->wait_for(1),
      ElementsAre("info alert cleared queue=dlq rule=depth severity=warning value=0 threshold=0 "
                  "tags=\"team=billing\" summary=\"cleared: dlq: 0 dead letters, no longer more than 0\""));
  clock_.advance(2min);
  run_due_until_quiet(*engine_, clock_);
  EXPECT_THAT(
      lines_->wait_for(1),
      ElementsAre("info alert cleared queue=orders rule=flood_brake severity=warning value=0 threshold=1 "
                  "summary=\"cleared: orders: 0 deaths within a minute, no longer more than 1\""));
}

TEST_F(AlertLog, SaysWhoDiedIfItIsToldToSayMuch) {
  log_.set_level(spdlog::level::debug);
  const auto subscription = must(log_alerts(*engine_, log_));
  const MessageId id = must(engine_->send("orders", {.body = "x"})).id;
  must(engine_->release(must(engine_->receive("orders")).at(0).receipt));
  EXPECT_THAT(lines_->wait_for(2),
              ElementsAre("debug died queue=orders message=" + id.to_string() +
                              " dead_letter_queue=dlq dead_letter=1 cause=max_deliveries deliveries=1 "
                              "summary=\"orders: message " +
                              id.to_string() +
                              " died (max_deliveries), and is in dlq as number 1: "
                              "delivered 1 time without an ack\"",
                          kFired));
}

TEST_F(AlertLog, SaysOnceThatTheClockWasSet) {
  const auto subscription = must(log_alerts(*engine_, log_));
  clock_.step(-90s);
  run_due_until_quiet(*engine_, clock_);
  clock_.advance(1min);
  run_due_until_quiet(*engine_, clock_);
  kill();
  EXPECT_THAT(lines_->wait_for(2), ElementsAre("warning clock stepped by=-1m30s", kFired));
}

TEST_F(AlertLog, SaysWhatHoldsWhenItBegins) {
  kill();
  open();
  const auto subscription = must(log_alerts(*engine_, log_));
  EXPECT_THAT(lines_->wait_for(1),
              ElementsAre("warning alert holds queue=dlq rule=depth severity=warning value=1 threshold=0 "
                          "tags=\"team=billing\" summary=\"warning: dlq: 1 dead letter, more than 0\""));
}

}  // namespace
}  // namespace holdfast::server
