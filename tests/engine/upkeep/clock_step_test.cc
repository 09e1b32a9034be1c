// The wall clock is set while something waits, by a little or by hours, forward or back. What waits does so
// for its own length, within a twentieth. What people gave as a time of day follows the wall clock.
#include <condition_variable>
#include <future>
#include <mutex>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class ClockStepTest : public ::testing::TestWithParam<Duration> {
 protected:
  ClockStepTest() {
    must(engine_->create_queue("orders", {.lease = 10s}));
    must(engine_->create_queue("dlq"));
  }

  void open() {
    engine_.emplace(must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false})));
  }
  void reopen() {
    must(engine_->close());
    open();
  }
  QueueCounts counts(std::string_view queue = "orders") {
    return must(engine_->describe_queue(queue)).counts;
  }
  void send(std::string body = "a", Message message = {}) {
    message.body = std::move(body);
    must(engine_->send("orders", std::move(message)));
  }
  Receipt receive(ReceiveOptions options = {}) {
    return must(engine_->receive("orders", std::move(options))).at(0).receipt;
  }
  void pass(Duration time) { advance(*engine_, clock_, time); }

  // Checks what waits for `length` from now on, while the clock is set in the middle. A twentieth before its
  // end it is not over, and a twentieth after its end it is.
  void expect_to_take(Duration length, const std::function<bool()>& is_over) {
    pass(length / 2);
    clock_.step(GetParam());
    pass(length * 95 / 100 - length / 2);
    EXPECT_FALSE(is_over()) << "after 95 % of " << format_duration(length);
    pass(length / 10);
    EXPECT_TRUE(is_over()) << "after 105 % of " << format_duration(length);
  }

  ManualClock clock_;
  TempDir temp_;
  std::optional<Engine> engine_ = must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false}));
};

INSTANTIATE_TEST_SUITE_P(Steps, ClockStepTest,
                         ::testing::Values(-24h * 365, -1h, -60s, -1s, 1s, 30s, 1h, 24h * 365),
                         [](const auto& test) {
                           const std::string size = format_duration(std::chrono::abs(test.param));
                           return (test.param < Duration{0} ? "Back" : "Forward") + size;
                         });

TEST_P(ClockStepTest, ALease) {
  send();
  receive({.lease = 2s});
  expect_to_take(2s, [&] { return counts().ready == 1; });
}

TEST_P(ClockStepTest, AnExtendedLease) {
  send();
  must(engine_->extend(receive({.lease = 1s}), 100s));
  expect_to_take(100s, [&] { return counts().ready == 1; });
}

TEST_P(ClockStepTest, AReceiveThatWaits) {
  std::promise<std::size_t> first;
  std::promise<std::size_t> second;
  for (auto* received : {&first, &second}) {
    engine_->async_receive("orders", {.wait = 2s}, [received](const Result<Deliveries>& deliveries) {
      received->set_value(deliveries ? deliveries->size() : 99);
    });
  }
  pass(1s);
  clock_.step(GetParam());
  pass(900ms);
  send();
  EXPECT_EQ(first.get_future().get(), 1U) << "it waits still";
  pass(200ms);
  EXPECT_EQ(second.get_future().get(), 0U);
}

TEST_P(ClockStepTest, ADelay) {
  send("a", {.delay = 1h});
  expect_to_take(1h, [&] { return counts().ready == 1; });
}

TEST_P(ClockStepTest, AReleaseWithADelay) {
  send();
  must(engine_->release(receive(), {.delay = 20s}));
  expect_to_take(20s, [&] { return counts().ready == 1; });
}

// The message is outside the window while it waits.
TEST_P(ClockStepTest, AReleaseWithALongDelay) {
  send();
  must(engine_->release(receive(), {.delay = 2h}));
  pass(0s);
  expect_to_take(2h, [&] { return counts().ready == 1; });
}

TEST_P(ClockStepTest, ABackoff) {
  must(engine_->alter_queue("orders",
                            {.retry = {.policy = RetryPolicy{.kind = RetryKind::kFixed, .base = 30s}}}));
  send();
  must(engine_->release(receive()));
  expect_to_take(30s, [&] { return counts().ready == 1; });
}

TEST_P(ClockStepTest, ATimeToLive) {
  must(engine_->alter_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  send("a", {.time_to_live = 10min});
  expect_to_take(10min, [&] { return counts() == QueueCounts{}; });
}

TEST_P(ClockStepTest, ADeduplicationWindow) {
  must(engine_->alter_queue("orders", {.deduplication = {.mode = Deduplication::kById, .window = 1min}}));
  const Message message{.body = "a", .deduplication_id = "1"};
  must(engine_->send("orders", message));
  pass(30s);
  clock_.step(GetParam());
  pass(26s);
  EXPECT_TRUE(must(engine_->send("orders", message)).duplicate);
  pass(8s);
  EXPECT_FALSE(must(engine_->send("orders", message)).duplicate);
}

TEST_P(ClockStepTest, AFloodBrake) {
  must(engine_->alter_queue(
      "orders", {.dead_letters = {.queue = "dlq"}, .brake = FloodBrake{.deaths_per_minute = 1, .delay = 1s}},
      MissingQueues::kCreate));
  for (int i = 0; i < 3; ++i) {
    send();
    must(engine_->reject(receive(), {}));
  }
  EXPECT_NE(must(engine_->describe_queue("orders")).braked_until, Timestamp{});
  expect_to_take(1min, [&] { return must(engine_->describe_queue("orders")).braked_until == Timestamp{}; });
}

TEST_P(ClockStepTest, AnAutomaticRedrive) {
  must(engine_->alter_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine_->alter_queue("dlq",
                            {.dead_letters = {.auto_redrive = AutoRedrive{.every = 1s, .backoff = 5min}}}));
  send();
  must(engine_->reject(receive(), {}));
  expect_to_take(5min, [&] { return counts().ready == 1; });
}

TEST_P(ClockStepTest, ARedriveWithARate) {
  must(engine_->alter_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  for (int i = 0; i < 30; ++i) {
    send(std::to_string(i));
    must(engine_->reject(receive(), {}));
  }
  must(engine_->redrive("dlq", {.rate = 1, .wait = false}));
  pass(1s);
  clock_.step(GetParam());
  const std::uint64_t before = counts().ready;
  for (int i = 0; i < 100; ++i) pass(100ms);
  EXPECT_GE(counts().ready, before + 9);
  EXPECT_LE(counts().ready, before + 11);
}

TEST_P(ClockStepTest, ARetryBudget) {
  must(engine_->alter_queue("orders", {.retry = {.budget = 10min}, .dead_letters = {.queue = "dlq"}},
                            MissingQueues::kCreate));
  send();
  must(engine_->release(receive()));
  expect_to_take(10min, [&] {
    must(engine_->release(receive()));
    return counts("dlq").dead == 1;
  });
}

TEST_P(ClockStepTest, TheWindowOfARequest) {
  send("first", {});
  const Message message{.body = "a"};
  const Sent sent = must(engine_->send("orders", message, {.request_id = "1"}));
  pass(limits::kRequestWindow / 2);
  clock_.step(GetParam());
  pass(limits::kRequestWindow / 2 - 16s);
  EXPECT_EQ(must(engine_->send("orders", message, {.request_id = "1"})).id, sent.id);
  for (Duration lived{}; lived < 3 * limits::kRequestWindow; lived += 9s) pass(9s);
  EXPECT_NE(must(engine_->send("orders", message, {.request_id = "1"})).id, sent.id);
}

// The window has its length wherever in a bucket of remembered calls a call comes. Time that is caught up
// goes by faster.
TEST_P(ClockStepTest, TheWindowOfARequestIsAtLeastItsLength) {
  clock_.step(GetParam());
  const auto ask = [&](std::int64_t second) {
    return must(engine_->send("orders", {.body = "a"}, {.request_id = std::to_string(second)})).id;
  };
  const std::int64_t window = limits::kRequestWindow / 1s - 1;
  std::vector<MessageId> first;
  for (std::int64_t second = 0; second < 3 * window; ++second) {
    first.push_back(ask(second));
    if (second >= window) {
      const std::int64_t asked = second - window;
      ASSERT_EQ(ask(asked), first.at(static_cast<std::size_t>(asked))) << "after " << second << " s";
    }
    pass(1s);
  }
}

// --- times of day ---

TEST_P(ClockStepTest, ATimeOfDayGoesByTheWallClock) {
  const Timestamp at = clock_.now() + 1h + std::chrono::abs(GetParam());
  send("a", {.visible_at = at});
  pass(10min);
  clock_.step(GetParam());
  while (clock_.now() < at - 1s) {
    EXPECT_EQ(counts(), (QueueCounts{.waiting = 1}));
    pass(std::min<Duration>(at - 1s - clock_.now(), 24h));
  }
  EXPECT_EQ(counts(), (QueueCounts{.waiting = 1}));
  pass(1s);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1}));
}

TEST_P(ClockStepTest, ATimeToLiveCountsFromATimeOfDay) {
  must(engine_->alter_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  send("a", {.visible_at = clock_.now() + 2h, .time_to_live = 10min});
  clock_.step(1h);
  pass(1h);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1}));
  expect_to_take(10min, [&] { return counts() == QueueCounts{}; });
}

TEST_P(ClockStepTest, DelaysAndTimesOfDayComeInTheirOrder) {
  send("1", {.delay = 1min});
  send("2", {.visible_at = clock_.now() + 2min});
  send("3", {.delay = 3min});
  const auto places = [&] {
    std::vector<std::string> ids;
    PeekOptions options{.max = 1, .bodies = true, .scheduled = true};
    do {
      const PeekPage page = must(engine_->peek("orders", options));
      for (const PeekedMessage& message : page.items) ids.push_back(message.body);
      options.from_scheduled = page.next_scheduled;
    } while (options.from_scheduled);
    return ids;
  };
  EXPECT_THAT(places(), ElementsAre("1", "2", "3"));
  reopen();
  EXPECT_THAT(places(), ElementsAre("1", "2", "3"));
  must(engine_->verify());
  pass(3min);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 3}));
}

// --- over a restart ---

// Before the directory is opened again, the clock is set back by as much as it was wrong.
TEST_P(ClockStepTest, WhatWasStoredByAClockThatWasAheadEndsAfterItsLength) {
  const Duration ahead = std::chrono::abs(GetParam());
  must(engine_->alter_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  for (const char* body : {"leased", "back", "parked"}) send(body);
  receive({.lease = 1min});
  must(engine_->release(receive(), {.delay = 50s}));
  must(engine_->release(receive(), {.delay = 2min}));
  send("delayed", {.delay = 1min});
  send("fleeting", {.time_to_live = 1min});
  pass(0s);
  clock_.step(-ahead);
  for (int i = 0; i < 2; ++i) {
    reopen();
    EXPECT_EQ(counts(), (QueueCounts{.ready = 1, .waiting = 3, .leased = 1}));
  }
  pass(45s);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 1, .waiting = 3, .leased = 1}));
  pass(15s);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 3, .waiting = 1}));
  pass(60s);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 4}));
}

TEST_P(ClockStepTest, StampsAreRightAfterARestartWithTheRightClock) {
  send("a", {.delay = 1h});
  clock_.step(-std::chrono::abs(GetParam()));
  reopen();
  send("b", {.delay = 1h});
  pass(0s);
  const PeekPage page = must(engine_->peek("orders", {.scheduled = true}));
  ASSERT_THAT(page.items, SizeIs(2));
  EXPECT_EQ(page.items[1].sent_at, clock_.now());
  EXPECT_EQ(page.items[1].due, clock_.now() + 1h);
  EXPECT_EQ(page.items[0].due, clock_.now() + 1h);
  pass(1h);
  const auto deliveries = must(engine_->receive("orders", {.max = 2, .lease = 1min}));
  ASSERT_THAT(deliveries, SizeIs(2));
  EXPECT_EQ(deliveries[0].lease_expires_at, clock_.now() + 1min);
  EXPECT_EQ(deliveries[0].lease_left, Duration(1min));
}

// --- told ---

// An hour that comes a second time begins with what is known by then.
TEST_P(ClockStepTest, TheNumberOfThoseThatDied) {
  must(engine_->alter_queue("orders", {.dead_letters = {.queue = "dlq"}}));
  const auto die = [&] {
    send();
    must(engine_->reject(receive(), {.category = "c"}));
  };
  const auto died = [&] { return must(engine_->queue_statistics("dlq")).arrivals; };
  const auto times = [](std::uint64_t count) { return ArrivalTotals{.categories = {{"c", count}}}; };
  for (int i = 0; i < 3; ++i) die();
  clock_.step(GetParam());
  reopen();
  die();
  EXPECT_EQ(died(), times(4));
  for (std::uint64_t count = 5; count < 9; ++count) {
    pass(1h);
    die();
    EXPECT_EQ(died(), times(count));
    reopen();
    EXPECT_EQ(died(), times(count));
  }
}

TEST_P(ClockStepTest, AStepIsAnEventAndANumber) {
  std::mutex mutex;
  std::condition_variable told;
  std::vector<Event> events;
  const auto subscription = must(engine_->subscribe({}, [&](const Event& event) {
    const std::scoped_lock lock(mutex);
    events.push_back(event);
    told.notify_one();
  }));
  pass(1s);
  EXPECT_EQ(must(engine_->statistics()).clock_steps, 0U);
  clock_.step(GetParam());
  pass(0s);
  pass(1ms);
  const EngineStatistics statistics = must(engine_->statistics());
  EXPECT_EQ(statistics.clock_steps, 1U);
  EXPECT_LE(std::chrono::abs(statistics.clock_offset - GetParam()), 100us);
  std::unique_lock lock(mutex);
  told.wait(lock, [&] { return !events.empty(); });
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, EventKind::kClockStepped);
  EXPECT_EQ(events[0].text, (GetParam() > 0s ? "+" : "") + format_duration(GetParam()));
  EXPECT_EQ(events[0].count, static_cast<std::uint64_t>(std::chrono::abs(GetParam()) / 1ms));
}

// The pause after a failed read ends by the engine's clock, which nobody sets back.
TEST(ClockStepAfterAFailedRead, WhatWaitsForATimeOfDayIsNotHeldUp) {
  ManualClock clock;
  const auto disk = std::make_shared<MemoryDisk>(1);
  Engine engine =
      must(EngineInside::open_over(must(open_memory_store(disk)), {.clock = &clock, .background = false}));
  must(engine.create_queue("orders"));
  must(engine.send("orders", {.body = "first", .visible_at = clock.now() + 1s}));
  disk->fail_read(1, ErrorCode::kCorruption);
  clock.advance(1s);
  engine.run_due();
  EXPECT_THAT(must(engine.receive("orders")), SizeIs(0)) << "it could not be read";
  clock.step(-2h);
  must(engine.send("orders", {.body = "second", .visible_at = clock.now() + 1min}));
  advance(engine, clock, 2min);
  const Deliveries received = must(engine.receive("orders"));
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].body, "second");
}

}  // namespace
}  // namespace holdfast::testing
