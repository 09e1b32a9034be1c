#include "engine/services/rate_meter.h"

#include <algorithm>
#include <cmath>

namespace holdfast {
namespace {

constexpr double kMinute = 60;
constexpr double kFiveMinutes = 300;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void RateMeter::note(const QueueTotals& totals, Timestamp time) {
  if (totals == last_) return;
  if (const double passed = seconds(time - noted_at_); passed > 0) {
    const double keep_one = std::exp(-passed / kMinute);
    const double keep_five = std::exp(-passed / kFiveMinutes);
    for (Sums& sums : sums_) {
      sums.one_minute *= keep_one;
      sums.five_minutes *= keep_five;
    }
    noted_at_ = time;
  }
  const std::array<std::uint64_t, 4> grown = {totals.sent - last_.sent, totals.delivered - last_.delivered,
                                              totals.acked - last_.acked,
                                              totals.dead_lettered - last_.dead_lettered};
  for (std::size_t i = 0; i < grown.size(); ++i) {
    sums_[i].one_minute += static_cast<double>(grown[i]);
    sums_[i].five_minutes += static_cast<double>(grown[i]);
  }
  last_ = totals;
}

RateMeter::Rates RateMeter::rates(Timestamp now) const {
  const double passed = std::max(0.0, seconds(now - noted_at_));
  const auto rate = [&](const Sums& sums) {
    return Rate{.one_minute = sums.one_minute * std::exp(-passed / kMinute) / kMinute,
                .five_minutes = sums.five_minutes * std::exp(-passed / kFiveMinutes) / kFiveMinutes};
  };
  return {rate(sums_[0]), rate(sums_[1]), rate(sums_[2]), rate(sums_[3])};
}

}  // namespace holdfast
