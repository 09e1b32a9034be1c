// A clock that stands still until it is set.
#pragma once

#include "holdfast/time.h"

namespace holdfast::rehearsal {

// For one thread.
class VirtualClock final : public Clock {
 public:
  Timestamp now() const override { return now_; }
  void set(Timestamp time) { now_ = time; }

 private:
  Timestamp now_{std::chrono::hours(24 * 365 * 50)};
};

}  // namespace holdfast::rehearsal
