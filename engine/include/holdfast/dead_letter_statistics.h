// Statistics of dead letters: how many there are, how old they are, and when and why they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

struct DeadLetterStatisticsOptions {
  // Arrivals are counted this far back; the current hour and day are included.
  std::size_t hours = 24;  // at most limits::kArrivalHours
  std::size_t days = 30;   // at most limits::kArrivalDays
};

// An ArrivalCount says how many dead letters came with one category or one cause.
struct ArrivalCount {
  std::string value;
  std::uint64_t count = 0;

  friend bool operator==(const ArrivalCount&, const ArrivalCount&) = default;
};

// Arrivals counts the dead letters that came to a queue in one hour or one day of UTC. Each is counted once,
// whatever happened to it later. Dead letters that were parked or imported there are not counted.
struct Arrivals {
  Timestamp from{};  // the beginning of the hour or day
  std::uint64_t total = 0;
  std::vector<ArrivalCount> categories;  // the most frequent first; "" counts those without a category
  // Dead letters of further categories count here: each hour counts limits::kArrivalCategories one by one.
  std::uint64_t other_categories = 0;
  std::vector<ArrivalCount> causes;  // by to_string(DeathCause), the most frequent first

  friend bool operator==(const Arrivals&, const Arrivals&) = default;
};

// ArrivalTotals says how many dead letters have come to a queue since it was created, counted as in Arrivals.
// These numbers never fall: they outlive restarts, purges and the hours and days that Arrivals are kept for.
struct ArrivalTotals {
  std::vector<ArrivalCount> categories = {};  // the most frequent first; "" counts those without a category
  // Dead letters of categories beyond the first limits::kArrivalCategories are counted together here.
  std::uint64_t other_categories = 0;

  friend bool operator==(const ArrivalTotals&, const ArrivalTotals&) = default;
};

// An AgeBucket counts the dead letters that died at least `from` ago and less than `to` ago.
struct AgeBucket {
  Duration from{};
  Duration to = Duration::max();  // Duration::max() in the last bucket
  std::uint64_t count = 0;

  friend bool operator==(const AgeBucket&, const AgeBucket&) = default;
};

struct DeadLetterStatistics {
  Timestamp at{};          // the engine's time, from which ages are counted
  std::uint64_t dead = 0;  // dead letters whose message is in the queue; history does not count
  std::optional<Timestamp> oldest_died_at;
  // `ages` divides what `dead` counts by age, the youngest first: up to 10 minutes, 1 hour, 6 hours, 1 day,
  // 3 days, 7 days and 30 days, and older. Ages are exact to the minute of the death.
  std::vector<AgeBucket> ages;
  // This many dead letters came in the last whole minute; those that were parked here are included.
  std::uint32_t arrivals_last_minute = 0;
  std::vector<Arrivals> hours;  // oldest first; hours in which nothing died are left out
  std::vector<Arrivals> days;   // oldest first; days in which nothing died are left out

  friend bool operator==(const DeadLetterStatistics&, const DeadLetterStatistics&) = default;
};

}  // namespace holdfast
