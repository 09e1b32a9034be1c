#include "engine/dead_letters/index/dead_letter_counts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/dead_letters/index/count_scan.h"
#include "engine/policies/arrival_minutes.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr Duration kAges[] = {10min, 1h, 6h, 24h, 3 * 24h, 7 * 24h, 30 * 24h};
constexpr Hour kHoursOfDay = 24;

std::vector<AgeBucket> empty_buckets() {
  std::vector<AgeBucket> buckets;
  Duration from{0};
  for (const Duration age : kAges) {
    buckets.push_back({.from = from, .to = age});
    from = age;
  }
  buckets.push_back({.from = from});
  return buckets;
}

// Counts dead letters by age. There is one count for each minute in which a dead letter died that is still
// here.
Result<void> count_ages(const Store& store, QueueId queue, DeadLetterStatistics& result) {
  result.ages = empty_buckets();
  bool decoded = true;
  const auto add = [&](std::string_view value, const IndexCount& count) {
    const auto minute = minute_in(value);
    decoded = minute.has_value();
    if (!decoded) return CountScan::kStop;
    const Duration age = result.at - *minute;
    const auto bucket = std::ranges::find_if(result.ages, [&](const AgeBucket& b) { return age < b.to; });
    bucket->count += count.here;
    result.dead += count.here;
    return CountScan::kOn;
  };
  if (auto ok = for_each_count(store, queue, IndexKind::kAll, add); !ok) return ok;
  if (!decoded) return fail(ErrorCode::kCorruption, "the minute of a count of dead letters does not decode");
  return {};
}

}  // namespace

Result<std::optional<Timestamp>> oldest_death(const Store& store, QueueId queue) {
  const auto scan =
      store.scan(Family::kDeadLetterIndex, keys::posting(queue, IndexKind::kAll, {}, {.history = false}),
                 keys::posting(queue, IndexKind::kAll, {}, {.history = true}));
  if (!scan->valid()) {
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return std::optional<Timestamp>();
  }
  const auto place = keys::parse_posting(scan->key());
  if (!place) return fail(ErrorCode::kCorruption, "a key of dead_letter_index does not decode");
  return std::optional(place->died_at);
}

namespace {

void most_frequent_first(std::vector<ArrivalCount>& counts) {
  std::ranges::stable_sort(counts, std::ranges::greater{}, &ArrivalCount::count);
}

Arrivals told(Timestamp from, const ArrivalsRow& row) {
  Arrivals result{.from = from, .categories = {}, .other_categories = row.came.others, .causes = {}};
  for (const auto& [cause, count] : row.causes) {
    result.total += count;
    result.causes.push_back({std::string(to_string(cause)), count});
  }
  for (const auto& [category, count] : row.came.categories) result.categories.push_back({category, count});
  most_frequent_first(result.categories);
  most_frequent_first(result.causes);
  return result;
}

Result<void> tell_arrivals(const Store& store, QueueId queue, const DeadLetterStatisticsOptions& options,
                           DeadLetterStatistics& result) {
  const Hour now = hour_of(result.at);
  const Hour today = now - now % kHoursOfDay;
  const Hour first_hour = now + 1 - std::min<Hour>(options.hours, now + 1);
  const Hour first_of_days =
      options.days == 0 ? now + 1 : today - std::min<Hour>((options.days - 1) * kHoursOfDay, today);
  std::map<Hour, ArrivalsRow> days;
  const auto scan = store.scan(Family::kCatalog, keys::arrivals(queue, std::min(first_hour, first_of_days)),
                               keys::arrivals(queue, now + 1));
  for (; scan->valid(); scan->next()) {
    const auto place = keys::parse_arrivals(scan->key());
    const auto row = decode_arrivals_row(scan->value());
    if (!place || !row) return fail(ErrorCode::kCorruption, "a row of arrivals does not decode");
    if (row->causes.empty()) continue;  // the dead letters of this hour were parked
    if (place->hour >= first_hour) result.hours.push_back(told(begin_of(place->hour), *row));
    if (place->hour >= first_of_days) days[place->hour - place->hour % kHoursOfDay].add(*row);
  }
  for (const auto& [day, row] : days) result.days.push_back(told(begin_of(day), row));
  return scan->status();
}

Result<void> number_at_most(std::size_t value, std::size_t limit, const std::string& field) {
  if (value <= limit) return {};
  return fail(ErrorCode::kLimitExceeded,
              field + " is " + std::to_string(value) + ", the limit is " + std::to_string(limit));
}

}  // namespace

Result<ArrivalTotals> arrival_totals(const Store& store, QueueId queue) {
  const auto scan = store.scan_down(Family::kCatalog, keys::arrivals(queue, 0), keys::arrivals_end(queue));
  if (!scan->valid()) {
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return ArrivalTotals{};
  }
  const auto row = decode_arrivals_row(scan->value());
  if (!row) return tl::unexpected(row.error());
  ArrivalTotals totals{.other_categories = row->totals.others};
  for (const auto& [category, count] : row->totals.categories) totals.categories.push_back({category, count});
  most_frequent_first(totals.categories);
  return totals;
}

Result<void> validate(const DeadLetterStatisticsOptions& options) {
  if (auto ok = number_at_most(options.hours, limits::kArrivalHours, "hours"); !ok) return ok;
  return number_at_most(options.days, limits::kArrivalDays, "days");
}

Result<DeadLetterStatistics> count_dead_letters(const Store& store, QueueId queue,
                                                const DeadLetterStatisticsOptions& options, Timestamp time) {
  DeadLetterStatistics result{.at = time, .oldest_died_at = {}, .ages = {}, .hours = {}, .days = {}};
  if (auto ok = count_ages(store, queue, result); !ok) return tl::unexpected(ok.error());
  auto oldest = oldest_death(store, queue);
  if (!oldest) return tl::unexpected(oldest.error());
  result.oldest_died_at = *oldest;
  if (auto ok = tell_arrivals(store, queue, options, result); !ok) return tl::unexpected(ok.error());
  const auto minutes = ArrivalMinutes::read(store, queue, time);
  if (!minutes) return tl::unexpected(minutes.error());
  result.arrivals_last_minute =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(minutes->fewest(1min), UINT32_MAX));
  return result;
}

}  // namespace holdfast
