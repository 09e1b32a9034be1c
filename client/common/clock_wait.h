// Waiting for a time to pass, by a clock that need not be that of the condition variable.
#pragma once

#include <algorithm>
#include <chrono>

#include "engine/base/helpers/waking_clock.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"

namespace holdfast::client {

class ClockWait {
 public:
  // Null: the machine's clock.
  explicit ClockWait(const Clock* clock)
      : clock_(clock_or_waking(clock)), look_(clock != nullptr ? kLookOther : kLook) {}

  // No time of day: what has passed by the steady clock, so that nobody who sets the wall clock holds
  // anything up, or ends it early.
  Timestamp now() const { return Timestamp(clock_.steady()); }

  // Until the condition is notified or, at the latest, the time has come; may return early.
  void until(Timestamp time, sync::ConditionVariable& condition, sync::Lock& lock) const {
    const Duration left = time - now();
    if (left <= Duration{0}) return;
    condition.wait_until(lock, std::chrono::steady_clock::now() + std::min(left, look_));
  }

 private:
  // How often to look at the clock: the machine's goes on while the machine sleeps, which waiting does not,
  // another one may go on at any time.
  static constexpr Duration kLook = std::chrono::seconds(1);
  static constexpr Duration kLookOther = std::chrono::milliseconds(2);

  const Clock& clock_;
  const Duration look_;
};

}  // namespace holdfast::client
