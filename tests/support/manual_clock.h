// ManualClock is a clock that stands still until a test moves it.
#pragma once

#include <atomic>

#include "holdfast/time.h"

namespace holdfast::testing {

// kTestEpoch is a fixed time with no special meaning, so that runs can be repeated.
inline constexpr Timestamp kTestEpoch{std::chrono::seconds(1'800'000'000)};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = kTestEpoch) : offset_(start.time_since_epoch().count()) {}

  Timestamp now() const override { return Timestamp(Duration(offset_.load() + steady_.load())); }
  Duration steady() const override { return Duration(steady_.load()); }
  // Lets time pass. No thread sees one of the two times go on without the other.
  void advance(Duration by) { steady_ += by.count(); }
  // Lets time pass until `time`, which must not be before now.
  void set(Timestamp time) { advance(time - now()); }
  // Sets the wall clock forward or back. No time passes.
  void step(Duration by) { offset_ += by.count(); }

 private:
  std::atomic<Duration::rep> offset_;  // the wall clock is so far ahead of the steady one
  std::atomic<Duration::rep> steady_ = 0;
};

}  // namespace holdfast::testing
