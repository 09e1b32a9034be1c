// A clock that stands still until a test moves it.
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
  void advance(Duration step) { now_ += step.count(); }
  void set(Timestamp time) { now_ = time.time_since_epoch().count(); }

 private:
  std::atomic<Duration::rep> now_;
};

}  // namespace holdfast::testing
