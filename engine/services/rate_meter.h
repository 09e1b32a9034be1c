// How fast a queue's totals grow: averages that forget exponentially, so that nothing needs to be kept per
// moment and idle queues cost nothing.
#pragma once

#include <array>

#include "holdfast/statistics.h"
#include "holdfast/time.h"

namespace holdfast {

class RateMeter {
 public:
  // Begins at what was counted before the engine was opened.
  explicit RateMeter(const QueueTotals& totals) : last_(totals) {}

  // To be called after the totals changed.
  void note(const QueueTotals& totals, Timestamp time);

  struct Rates {
    Rate sent;
    Rate delivered;
    Rate acked;
    Rate dead_lettered;
  };
  Rates rates(Timestamp now) const;

 private:
  struct Sums {
    double one_minute = 0;
    double five_minutes = 0;
  };

  QueueTotals last_;
  Timestamp noted_at_{};
  std::array<Sums, 4> sums_;  // in the order of Rates
};

}  // namespace holdfast
