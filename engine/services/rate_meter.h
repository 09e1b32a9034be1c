// The meter says how fast a queue's totals grow. The rates are averages that forget exponentially, so nothing
// is kept for each moment, and an idle queue costs nothing.
#pragma once

#include <array>

#include "holdfast/statistics.h"
#include "holdfast/time.h"

namespace holdfast {

class RateMeter {
 public:
  // Begins with the totals of the time before the engine was opened, which count for no rate.
  explicit RateMeter(const QueueTotals& totals) : last_(totals) {}

  // Notes the totals after they changed.
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
  std::array<Sums, 4> sums_;  // in the order of the fields of Rates
};

}  // namespace holdfast
