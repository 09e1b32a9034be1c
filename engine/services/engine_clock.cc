#include "engine/services/engine_clock.h"

#include <algorithm>
#include <utility>

namespace holdfast {

EngineClock::EngineClock(const Clock& clock)
    : clock_(clock),
      last_(read()),
      looked_at_(last_.steady),
      time_(last_.wall),
      known_offset_(last_.offset()) {}

void EngineClock::begin_after(Timestamp latest) { ahead_ = std::max(Duration{0}, latest - now()); }

// A thread that is put to sleep between two readings finds clocks that differ although none was set.
// Therefore the wall clock is read between two readings of the steady clock that are close together.
EngineClock::Reading EngineClock::read() const {
  constexpr Duration kClose = std::chrono::milliseconds(1);
  constexpr int kTries = 4;
  Duration before = clock_.steady();
  for (int i = 0;; ++i) {
    const Timestamp wall = clock_.now();
    const Duration after = clock_.steady();
    if (after - before <= kClose || i == kTries) return {after, wall};
    before = after;
  }
}

void EngineClock::look() {
  const Reading reading = read();
  looked_at_ = reading.steady;
  follow(reading);
}

void EngineClock::follow(Reading reading) {
  reading.steady = std::max(reading.steady, last_.steady);
  const Duration passed = reading.steady - last_.steady;
  last_ = reading;
  time_ += passed;
  const Duration::rep slewable = unused_ + passed.count();
  unused_ = slewable % kSlew;
  const Duration most(slewable / kSlew);
  time_ += std::clamp(reading.wall - time_, -most, most);

  const Duration change = reading.offset() - known_offset_;
  if (change > -kStep && change < kStep) return;
  known_offset_ = reading.offset();
  step_ += change;
}

// Every call of the engine asks for the time, some more than once, and three readings each are a percent of
// what a message costs. Between two looks the wall clock is taken to go with the steady one.
Timestamp EngineClock::now() {
  const sync::Lock lock(mutex_);
  const Duration steady = std::max(clock_.steady(), last_.steady);
  if (steady - looked_at_ < kLookEvery) {
    follow({steady, last_.wall + (steady - last_.steady)});
  } else {
    look();
  }
  return time_;
}

Timestamp EngineClock::of_wall(Timestamp wall_time) {
  if (wall_time == Timestamp::max()) return wall_time;  // mostly, nothing waits for a time of day
  const sync::Lock lock(mutex_);
  look();
  return shifted(wall_time, time_ - last_.wall);
}

Timestamp EngineClock::to_wall(Timestamp time) {
  const sync::Lock lock(mutex_);
  look();
  return shifted(time, last_.wall - time_);
}

std::optional<Duration> EngineClock::take_step() {
  const sync::Lock lock(mutex_);
  look();
  if (step_ == Duration{0}) return std::nullopt;
  ++steps_;
  return std::exchange(step_, Duration{0});
}

EngineClock::Deviation EngineClock::deviation() {
  const sync::Lock lock(mutex_);
  look();
  return {steps_, last_.wall - time_};
}

}  // namespace holdfast
