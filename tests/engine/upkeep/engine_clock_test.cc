// The engine's time while the wall clock is set.
#include "engine/services/engine_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/support/manual_clock.h"
#include "tests/support/random.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST(EngineClock, IsTheWallClockAsLongAsNobodySetsIt) {
  ManualClock clock;
  EngineClock time(clock);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(time.now(), clock.now());
    clock.advance(i * 7ms);
  }
  EXPECT_EQ(time.take_step(), std::nullopt);
  EXPECT_EQ(time.deviation().steps, 0U);
}

TEST(EngineClock, IsRightAgainAfter21TimesTheStep) {
  for (const Duration step : {-60s, 30s}) {
    ManualClock clock;
    EngineClock time(clock);
    clock.step(step);
    EXPECT_EQ(time.deviation().left, step);
    const Duration size = step < 0s ? -step : step;
    for (Duration passed{0}; passed < 21 * size - 1s; passed += 1s) {
      clock.advance(1s);
      EXPECT_NE(time.now(), clock.now());
    }
    clock.advance(1s + 1ms);
    EXPECT_EQ(time.now(), clock.now());
  }
}

TEST(EngineClock, FollowsHoweverOftenItIsAsked) {
  ManualClock clock;
  EngineClock time(clock);
  clock.step(1ms);
  for (int i = 0; i < 22'000; ++i) {
    clock.advance(1us);
    (void)time.now();
  }
  EXPECT_EQ(time.now(), clock.now());
}

class CountingClock final : public Clock {
 public:
  explicit CountingClock(const Clock& clock) : clock_(clock) {}

  Timestamp now() const override {
    ++wall_readings_;
    return clock_.now();
  }
  Duration steady() const override { return clock_.steady(); }
  int wall_readings() const { return wall_readings_; }

 private:
  const Clock& clock_;
  mutable int wall_readings_ = 0;
};

TEST(EngineClock, ReadsTheWallClockOnceAMillisecondHoweverOftenItIsAsked) {
  ManualClock clock;
  const CountingClock counting(clock);
  EngineClock time(counting);
  const int before = counting.wall_readings();
  for (int i = 0; i < 1'000; ++i) {
    clock.advance(10us);
    ASSERT_EQ(time.now(), clock.now());
  }
  EXPECT_EQ(counting.wall_readings() - before, 10);
}

TEST(EngineClock, TellsAStepOnceAndSmallOnesWhenTheyAddUp) {
  ManualClock clock;
  EngineClock time(clock);
  clock.step(-1h);
  EXPECT_EQ(time.take_step(), -1h);
  clock.advance(1min);
  EXPECT_EQ(time.take_step(), std::nullopt);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(time.take_step(), std::nullopt);
    clock.step(EngineClock::kStep / 3);
  }
  // Three thirds of a second, in whole microseconds, are too little.
  EXPECT_EQ(time.take_step(), std::nullopt);
  clock.step(1us);
  EXPECT_EQ(time.take_step(), EngineClock::kStep);
  EXPECT_EQ(time.deviation().steps, 2U);
}

TEST(EngineClock, FindsTheTimeOfDayThatIsToCome) {
  ManualClock clock;
  EngineClock time(clock);
  clock.step(1h);
  EXPECT_EQ(time.of_wall(clock.now() + 5s), time.now() + 5s);
  EXPECT_EQ(time.to_wall(time.now() + 5s), clock.now() + 5s);
}

TEST(EngineClock, AtOnceAndNeverAreNoTimes) {
  for (const Duration step : {-1h, 1h}) {
    ManualClock clock;
    EngineClock time(clock);
    time.begin_after(clock.now() + 1h);
    clock.step(step);
    for (const Timestamp bound : {Timestamp::min(), Timestamp::max()}) {
      EXPECT_EQ(time.of_wall(bound), bound);
      EXPECT_EQ(time.to_wall(bound), bound);
      EXPECT_EQ(time.stored(bound), bound);
      EXPECT_EQ(time.loaded(bound), bound);
    }
  }
}

TEST(EngineClock, StoredTimeGoesOnFromTheLatestThatWasSeen) {
  ManualClock clock;
  EngineClock time(clock);
  time.begin_after(clock.now() + 1h);
  EXPECT_EQ(time.now(), clock.now());
  EXPECT_EQ(time.stored_now(), clock.now() + 1h);
  EXPECT_EQ(time.loaded(time.stored(clock.now())), clock.now());
  EngineClock later(clock);
  later.begin_after(clock.now() - 1h);
  EXPECT_EQ(later.stored_now(), clock.now());
}

// The bound holds whatever the wall clock does, and whenever the time is asked for.
TEST(EngineClock, NoDurationIsOffByMoreThanATwentieth) {
  const std::uint64_t seed = environment_number("HOLDFAST_CLOCK_SEED", 1);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  ManualClock clock;
  EngineClock time(clock);
  struct Mark {
    Duration steady;
    Timestamp time;
  };
  std::deque<Mark> marks{{clock.steady(), time.now()}};
  for (int i = 0; i < 20'000; ++i) {
    if (random.one_in(10)) {
      const auto size = std::chrono::milliseconds(random.between(0, random.one_in(5) ? 100'000'000 : 5'000));
      clock.step(random.one_in(2) ? Duration(size) : -Duration(size));
    }
    clock.advance(Duration(random.between(0, random.one_in(10) ? 60'000'000 : 1'000)));
    const Timestamp now = time.now();
    for (const Mark& mark : marks) {
      const double passed = static_cast<double>((clock.steady() - mark.steady).count());
      const double measured = static_cast<double>((now - mark.time).count());
      // A microsecond is for what is rounded.
      ASSERT_LE(measured, passed * 22 / 21 + 1);
      ASSERT_GE(measured, passed * 20 / 21 - 1);
    }
    marks.push_back({clock.steady(), now});
    if (marks.size() > 20) marks.erase(marks.begin() + static_cast<std::ptrdiff_t>(random.below(20)));
  }
}

}  // namespace
}  // namespace holdfast::testing
