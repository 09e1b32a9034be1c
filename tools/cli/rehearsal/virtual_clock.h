// VirtualClock is a clock that stands still until it is set.
#pragma once

#include "holdfast/time.h"

namespace holdfast::rehearsal {

// It is for one thread only.
class VirtualClock final : public Clock {
 public:
  Timestamp now() const override { return now_; }
  Duration steady() const override { return now_.time_since_epoch(); }
  void set(Timestamp time) { now_ = time; }

 private:
  Timestamp now_{std::chrono::hours(24 * 365 * 50)};
};

}  // namespace holdfast::rehearsal
