// When the next message of a queue expires. Which one it is says an index of chunks in `scheduled`.
#pragma once

#include <algorithm>

#include "holdfast/time.h"

namespace holdfast {

class Expiries {
 public:
  // Nothing expires before. May be too early, never too late.
  Timestamp next() const { return next_; }
  // When to look, which is later only while reading is put off.
  Timestamp next_due() const { return next_ == Timestamp::max() ? next_ : std::max(next_, not_before_); }
  // Reading failed: not again before that time, unless a receive needs it.
  void pause_until(Timestamp time) { not_before_ = time; }
  // Something expires at `time`.
  void expect(Timestamp time) {
    next_ = std::min(next_, time);
    meanwhile_ = std::min(meanwhile_, time);
  }

  // Around a reading of the index: all that is due now is handled by its end, and `next` is the first that it
  // left. What is expected meanwhile counts too. A reading that fails does not end.
  void begin_reading() { meanwhile_ = Timestamp::max(); }
  void end_reading(Timestamp next) { next_ = std::min(next, meanwhile_); }

  void purge() { next_ = meanwhile_ = Timestamp::max(); }

 private:
  Timestamp next_ = Timestamp::max();
  Timestamp meanwhile_ = Timestamp::max();
  Timestamp not_before_ = Timestamp::min();
};

}  // namespace holdfast
