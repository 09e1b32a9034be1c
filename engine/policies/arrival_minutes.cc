#include "engine/policies/arrival_minutes.h"

#include <algorithm>
#include <chrono>

#include "engine/codec/rows/arrivals_row.h"

namespace holdfast {
namespace {

constexpr Duration kMinute = std::chrono::minutes(1);

}  // namespace

Result<ArrivalMinutes> ArrivalMinutes::read(const Store& store, QueueId queue, Timestamp now) {
  ArrivalMinutes result;
  const std::int64_t this_minute = now.time_since_epoch() / kMinute;
  const Hour this_hour = hour_of(now);
  for (const Hour hour : {this_hour, this_hour - 1}) {
    const auto stored = store.get(Family::kCatalog, keys::arrivals(queue, hour));
    if (!stored) return tl::unexpected(stored.error());
    if (!*stored) continue;
    const auto row = decode_arrivals_row(**stored);
    if (!row) return tl::unexpected(row.error());
    for (const auto& [minute, count] : row->minutes) {
      const std::int64_t number = begin_of(hour).time_since_epoch() / kMinute + minute;
      const std::int64_t ago = this_minute - number;
      if (ago >= 1 && ago <= std::ssize(result.counts_))
        result.counts_.at(static_cast<std::size_t>(ago - 1)) = count;
    }
  }
  return result;
}

std::uint64_t ArrivalMinutes::fewest(Duration minutes) const {
  return *std::min_element(counts_.begin(), counts_.begin() + minutes / kMinute);
}

}  // namespace holdfast
