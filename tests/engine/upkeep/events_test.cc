// Tests of what subscriptions are told, and when.
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/answer.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Optional;

// Keeps the events that it is told.
class Listener {
 public:
  EventCallback callback() {
    return [this](const Event& event) {
      const std::scoped_lock lock(mutex_);
      events_.push_back(event);
      arrived_.notify_all();
    };
  }
  // Blocks until there are n events.
  std::vector<Event> wait_for(std::size_t n) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return events_.size() >= n; });
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Event> events_;
};

std::vector<EventKind> kinds(const std::vector<Event>& events) {
  std::vector<EventKind> result;
  for (const Event& event : events) result.push_back(event.kind);
  return result;
}

class EventsTest : public ::testing::Test {
 protected:
  EventsTest() {
    open();
    must(engine_->create_queue(
        "orders", {.lease = 10s, .retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
    must(engine_->create_queue("rough", {.dead_letters = {.discard_rejected = true}}));
  }

  void open() {
    engine_.emplace(must(
        EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false})));
  }
  // Returns once all earlier events were offered. The events of a call are offered after it has returned, in
  // the order of the commits, as callbacks are called.
  void await_callbacks() {
    Answer<BatchResult<Sent>> sent;
    engine_->async_send_batch("orders", {{.body = "the last one"}}, {}, sent.callback());
    must(sent.get());
  }
  MessageId reject_one(std::string_view queue, const std::string& category) {
    const MessageId id = must(engine_->send(queue, {.body = "x"})).id;
    must(engine_->reject(must(engine_->receive(queue)).at(0).receipt,
                         {.category = category, .reason = "because"}));
    return id;
  }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(3);
  std::optional<Engine> engine_;
  Listener listener_;
};

TEST_F(EventsTest, TellsOfADeathWithItsCause) {
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  const MessageId id = reject_one("orders", "validation");
  const Event event = listener_.wait_for(1).at(0);
  EXPECT_EQ(event.kind, EventKind::kDied);
  EXPECT_EQ(event.queue, "orders");
  EXPECT_EQ(event.queue_id, must(engine_->describe_queue("orders")).id);
  EXPECT_EQ(event.target, "dlq");
  EXPECT_THAT(event.message, Optional(id));
  EXPECT_THAT(event.cause, Optional(DeathCause::kRejected));
  EXPECT_EQ(event.category, "validation");
  EXPECT_EQ(event.text, "because");
  EXPECT_EQ(event.count, 1U);
  EXPECT_EQ(event.time, clock_.now());
}

TEST_F(EventsTest, TellsOfALeaseThatRanOutForTheLastTime) {
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->receive("orders"));
  advance(*engine_, clock_, 10s);
  EXPECT_THAT(listener_.wait_for(1).at(0).cause, Optional(DeathCause::kMaxDeliveries));
}

TEST_F(EventsTest, TellsOfADiscardedMessage) {
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  const MessageId id = reject_one("rough", "c");
  const Event event = listener_.wait_for(1).at(0);
  EXPECT_EQ(event.kind, EventKind::kDiscarded);
  EXPECT_THAT(event.message, Optional(id));
  EXPECT_EQ(event.queue, "rough");
}

TEST_F(EventsTest, TellsOfAMessageThatExpiredAndIsGone) {
  must(engine_->create_queue("news", {.expiry = {.time_to_live = 1min, .policy = ExpiryPolicy::kDrop}}));
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  const MessageId id = must(engine_->send("news", {.body = "x"})).id;
  advance(*engine_, clock_, 1min);
  const Event event = listener_.wait_for(1).at(0);
  EXPECT_EQ(event.kind, EventKind::kExpired);
  EXPECT_THAT(event.message, Optional(id));
  EXPECT_EQ(event.queue, "news");
  EXPECT_EQ(event.time, clock_.now());
}

TEST_F(EventsTest, TellsOfAMessageThatMadeRoom) {
  must(engine_->create_queue("short",
                             {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  const MessageId id = must(engine_->send("short", {.body = "x"})).id;
  must(engine_->send("short", {.body = "y"}));
  const Event event = listener_.wait_for(1).at(0);
  EXPECT_EQ(event.kind, EventKind::kOverflowed);
  EXPECT_THAT(event.message, Optional(id));
  EXPECT_EQ(event.queue, "short");
}

TEST_F(EventsTest, TellsOfAMessageThatExpiredAndDied) {
  must(engine_->alter_queue("orders", {.expiry = {.time_to_live = 1min}}));
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  must(engine_->send("orders", {.body = "x"}));
  advance(*engine_, clock_, 1min);
  const Event event = listener_.wait_for(1).at(0);
  EXPECT_EQ(event.kind, EventKind::kDied);
  EXPECT_THAT(event.cause, Optional(DeathCause::kExpired));
  EXPECT_EQ(event.target, "dlq");
}

TEST_F(EventsTest, TellsOfRulesThatFireAndClear) {
  must(engine_->alter_queue(
      "dlq",
      {.alerts = AlertRules{.depth = {.above = 1, .clear_after = 0s}, .depth_high = {}, .arrivals = {}}}));
  const Subscription subscription = must(
      engine_->subscribe({.kinds = {EventKind::kRuleFired, EventKind::kRuleCleared}}, listener_.callback()));
  reject_one("orders", "a");
  reject_one("orders", "b");
  must(engine_->redrive("dlq", {.max = 1}));
  const std::vector<Event> events = listener_.wait_for(2);
  EXPECT_THAT(kinds(events), ElementsAre(EventKind::kRuleFired, EventKind::kRuleCleared));
  for (const Event& event : events) {
    EXPECT_EQ(event.queue, "dlq");
    EXPECT_EQ(event.text, "depth");
  }
  EXPECT_EQ(events[0].count, 2U);
}

// Whoever was called over a restart is told when the trouble is over, and is not called again before that.
TEST_F(EventsTest, ARuleThatHeldAtTheLastCloseIsToldWhenItClears) {
  must(engine_->alter_queue(
      "dlq", {.alerts = AlertRules{.depth = {.above = 0, .clear_after = 2min}, .oldest = {.above = 30s}}}));
  must(engine_->alter_queue("orders", {.brake = FloodBrake{.deaths_per_minute = 1}}));
  reject_one("orders", "a");
  advance(*engine_, clock_, 1min);
  reject_one("orders", "b");
  reject_one("orders", "c");
  const Timestamp fired_at = must(engine_->describe_queue("dlq")).alerts.at(1).since;
  must(engine_->redrive("dlq", {.max = 2}));
  engine_.reset();
  open();
  const Subscription subscription = must(
      engine_->subscribe({.kinds = {EventKind::kRuleFired, EventKind::kRuleCleared}}, listener_.callback()));
  // The dead letter that is left has become too old by now, so the rule about age holds all the time.
  advance(*engine_, clock_, 1min);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).alerts.at(1).since, fired_at);
  must(engine_->redrive("dlq"));
  for (int minute = 0; minute < 3; ++minute) advance(*engine_, clock_, 1min);
  std::vector<std::string> told;
  for (const Event& event : listener_.wait_for(3))
    told.push_back(std::string(to_string(event.kind)) + " " + event.queue + " " + event.text);
  EXPECT_THAT(told, ElementsAre("rule_cleared orders flood_brake", "rule_cleared dlq depth",
                                "rule_cleared dlq oldest"));
}

TEST_F(EventsTest, OfRulesSayAllThatSomebodyNeedsWhoIsCalled) {
  must(engine_->alter_queue(
      "dlq", {.alerts = AlertRules{.depth = {.above = 1, .severity = AlertSeverity::kCritical}},
              .tags = Tags{{"team", "billing"}}}));
  must(engine_->alter_queue("orders", {.tags = Tags{{"team", "sales"}}}));
  const Subscription subscription = must(engine_->subscribe(
      {.kinds = {EventKind::kDied, EventKind::kRuleFired, EventKind::kRuleCleared}}, listener_.callback()));
  reject_one("orders", "a");
  reject_one("orders", "b");
  must(engine_->purge_queue("dlq"));
  advance(*engine_, clock_, 1min);
  const std::vector<Event> events = listener_.wait_for(4);
  EXPECT_EQ(events[0].tags, (Tags{{"team", "sales"}}));
  EXPECT_THAT(events[0].dead_letter, Optional(Seq{1}));
  EXPECT_EQ(summary(events[0]), "orders: message " + events[0].message->to_string() +
                                    " died (rejected, a), and is in dlq as number 1: because");
  EXPECT_EQ(events[2].tags, (Tags{{"team", "billing"}}));
  EXPECT_THAT(events[2].alert, Optional(Alert{.rule = "depth",
                                              .severity = AlertSeverity::kCritical,
                                              .since = events[2].time,
                                              .value = 2,
                                              .threshold = 1}));
  EXPECT_EQ(summary(events[2]), "critical: dlq: 2 dead letters, more than 1");
  EXPECT_EQ(events[3].kind, EventKind::kRuleCleared);
  EXPECT_EQ(summary(events[3]), "cleared: dlq: 0 dead letters, no longer more than 1");
}

TEST_F(EventsTest, RulesOfADeletedQueueClear) {
  must(engine_->alter_queue("dlq", {.alerts = AlertRules{.oldest = {.above = 30s}}}));
  must(engine_->alter_queue("orders", {.brake = FloodBrake{.deaths_per_minute = 1}}));
  const Subscription subscription = must(
      engine_->subscribe({.kinds = {EventKind::kRuleFired, EventKind::kRuleCleared}}, listener_.callback()));
  reject_one("orders", "a");
  advance(*engine_, clock_, 2min);
  reject_one("orders", "b");
  reject_one("orders", "c");
  must(engine_->delete_queue("orders"));
  must(engine_->delete_queue("dlq"));
  std::vector<std::string> told;
  for (const Event& event : listener_.wait_for(6))
    told.push_back(std::string(to_string(event.kind)) + " " + event.queue + " " + event.text);
  EXPECT_THAT(told, ElementsAre("rule_fired dlq depth", "rule_fired dlq oldest",
                                "rule_fired orders flood_brake", "rule_cleared orders flood_brake",
                                "rule_cleared dlq depth", "rule_cleared dlq oldest"));
}

TEST_F(EventsTest, FiltersByQueueAndKind) {
  Listener all;
  Listener by_kind;
  const Subscription of_all =
      must(engine_->subscribe({.kinds = {EventKind::kDied, EventKind::kDiscarded}}, all.callback()));
  const Subscription of_queue = must(engine_->subscribe({.queue = "rough"}, listener_.callback()));
  const Subscription of_kind = must(engine_->subscribe({.kinds = {EventKind::kDied}}, by_kind.callback()));
  reject_one("orders", "1");
  reject_one("rough", "2");
  reject_one("orders", "3");
  EXPECT_THAT(kinds(all.wait_for(3)), ElementsAre(EventKind::kDied, EventKind::kDiscarded, EventKind::kDied));
  EXPECT_THAT(kinds(listener_.wait_for(1)), ElementsAre(EventKind::kDiscarded));
  EXPECT_THAT(kinds(by_kind.wait_for(2)), ElementsAre(EventKind::kDied, EventKind::kDied));
}

TEST_F(EventsTest, TellsEachQueuesEventsInOrder) {
  const Subscription subscription = must(engine_->subscribe(
      {.kinds = {EventKind::kDied, EventKind::kDiscarded}, .buffer = 10'000}, listener_.callback()));
  constexpr std::size_t kEach = 100;
  std::vector<std::thread> threads;
  for (const char* queue : {"orders", "rough"}) {
    threads.emplace_back([&, queue] {
      for (std::size_t i = 0; i < kEach; ++i) reject_one(queue, std::to_string(i));
    });
  }
  for (auto& thread : threads) thread.join();
  std::map<std::string, int> next;
  for (const Event& event : listener_.wait_for(2 * kEach)) {
    EXPECT_EQ(event.category, std::to_string(next[event.queue]++));
  }
}

TEST_F(EventsTest, CountsWhatASlowSubscriberMissed) {
  std::latch told(1);
  std::latch go_on(1);
  auto keep = listener_.callback();
  const auto slow = [&](const Event& event) {
    if (event.category == "0") {
      told.count_down();
      go_on.wait();
    }
    keep(event);
  };
  const Subscription subscription = must(engine_->subscribe({.buffer = 2}, slow));
  reject_one("rough", "0");
  told.wait();
  // Event 0 is being told, 1 and 2 are kept in the buffer, and the others are not. No call waits meanwhile.
  for (const char* category : {"1", "2", "3", "4", "5"}) reject_one("rough", category);
  await_callbacks();
  go_on.count_down();
  EXPECT_EQ(listener_.wait_for(4).at(3).kind, EventKind::kMissed);
  EXPECT_EQ(listener_.wait_for(4).at(3).count, 3U);
  reject_one("rough", "6");
  EXPECT_EQ(listener_.wait_for(5).at(4).category, "6");
}

TEST_F(EventsTest, TellsNothingThatWasNotCommitted) {
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  must(engine_->send("orders", {.body = "x"}));
  const Receipt receipt = must(engine_->receive("orders")).at(0).receipt;
  disk_->fail_commit(1, CommitOutcome::kFailed);
  EXPECT_THAT(engine_->reject(receipt, {.category = "lost"}), FailsWith(ErrorCode::kStorageFailed));
  engine_.reset();
  open();
  const Subscription again = must(engine_->subscribe({}, listener_.callback()));
  must(engine_->reject(receipt, {.category = "kept"}));
  EXPECT_EQ(listener_.wait_for(1).at(0).category, "kept");
}

TEST_F(EventsTest, EndsWithItsSubscriptionAlsoFromItsCallback) {
  std::optional<Subscription> subscription;
  std::latch subscribed(1);
  std::latch ended(1);
  subscription.emplace(must(engine_->subscribe({}, [&](const Event&) {
    subscribed.wait();
    subscription.reset();
    ended.count_down();
  })));
  subscribed.count_down();
  reject_one("rough", "1");
  ended.wait();
  reject_one("rough", "2");  // if this were told, the latch would fall below zero
  const Subscription other = must(engine_->subscribe({}, listener_.callback()));
  reject_one("rough", "3");
  EXPECT_EQ(listener_.wait_for(1).at(0).category, "3");
}

// The promise holds however late the thread that tells of commits comes to them.
TEST_F(EventsTest, TellsOfNothingThatWasAnsweredBeforeTheSubscription) {
  const Subscription first = must(engine_->subscribe({}, [](const Event&) {}));
  for (int i = 0; i < 500; ++i) {
    const std::string category = std::to_string(i);
    reject_one("rough", category + " before");
    Listener listener;
    const Subscription subscription = must(engine_->subscribe({}, listener.callback()));
    reject_one("rough", category);
    ASSERT_EQ(listener.wait_for(1).at(0).category, category);
  }
}

TEST_F(EventsTest, ASubscriptionMayOutliveItsEngine) {
  const Subscription subscription = must(engine_->subscribe({}, listener_.callback()));
  reject_one("rough", "1");
  must(engine_->close());
  engine_.reset();
  EXPECT_EQ(listener_.wait_for(1).at(0).category, "1");
}

TEST_F(EventsTest, RefusesABufferOutOfBoundsAndAnEmptyCallback) {
  EXPECT_THAT(engine_->subscribe({}, nullptr), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(engine_->subscribe({.buffer = 0}, listener_.callback()), RefusesValue("buffer"));
  EXPECT_THAT(engine_->subscribe({.buffer = limits::kEventBuffer + 1}, listener_.callback()),
              RefusesValue("buffer"));
  EXPECT_THAT(engine_->subscribe({.buffer = limits::kEventBuffer}, listener_.callback()), Succeeds());
  must(engine_->close());
  EXPECT_THAT(engine_->subscribe({}, listener_.callback()), FailsWith(ErrorCode::kClosed));
}

}  // namespace
}  // namespace holdfast::testing
