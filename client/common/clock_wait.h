// Waits for a time by a clock that need not be the condition variable's.
#pragma once

#include <algorithm>
#include <chrono>

#include "engine/base/helpers/waking_clock.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"

namespace holdfast::client {

class ClockWait {
 public:
  // If `clock` is null, it is the machine's clock.
  explicit ClockWait(const Clock* clock)
      : clock_(clock_or_waking(clock)), look_(clock != nullptr ? kLookOther : kLook) {}

  // Returns the time that has passed by the steady clock, which is no time of day: setting the wall clock
  // neither prolongs a wait nor ends it early.
  Timestamp now() const { return Timestamp(clock_.steady()); }

  // Waits until the condition is notified or the time has come. It may return early.
  void until(Timestamp time, sync::ConditionVariable& condition, sync::Lock& lock) const {
    const Duration left = time - now();
    if (left <= Duration{0}) return;
    condition.wait_until(lock, std::chrono::steady_clock::now() + std::min(left, look_));
  }

 private:
  // The wait looks at the clock this often, since the machine's clock goes on while the machine sleeps, which
  // waiting does not; another clock may go on at any time.
  static constexpr Duration kLook = std::chrono::seconds(1);
  static constexpr Duration kLookOther = std::chrono::milliseconds(2);

  const Clock& clock_;
  const Duration look_;
};

}  // namespace holdfast::client
