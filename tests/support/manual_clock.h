// Clocks that stand still until a test moves them.
#pragma once

#include <atomic>

#include "holdfast/time.h"

namespace holdfast::testing {

// A fixed, unremarkable instant, so that runs are repeatable.
inline constexpr Timestamp kTestEpoch{std::chrono::seconds(1'800'000'000)};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = kTestEpoch) : now_(start.time_since_epoch().count()) {}

  Timestamp now() const override { return Timestamp(Duration(now_.load())); }
  Duration steady() const override { return Duration(steady_.load()); }
  // Time passes.
  void advance(Duration by) {
    steady_ += by.count();
    now_ += by.count();
  }
  // Time passes until then, which is to come.
  void set(Timestamp time) { advance(time - now()); }
  // The wall clock is set, forward or back; no time passes.
  void step(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_;
  std::atomic<Duration::rep> steady_ = 0;
};

}  // namespace holdfast::testing
