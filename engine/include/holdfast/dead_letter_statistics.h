// How many dead letters there are, how old they are, and how many came when, and of what kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

struct DeadLetterStatisticsOptions {
  // How far back to tell of arrivals, this hour and this day included.
  std::size_t hours = 24;  // at most limits::kArrivalHours
  std::size_t days = 30;   // at most limits::kArrivalDays
};

struct ArrivalCount {
  std::string value;
  std::uint64_t count = 0;

  friend bool operator==(const ArrivalCount&, const ArrivalCount&) = default;
};

// The dead letters that came to a queue in one hour or one day of UTC, each counted once, whatever became of
// it. What was parked or imported there did not die there.
struct Arrivals {
  Timestamp from{};  // the beginning of the hour or day
  std::uint64_t total = 0;
  std::vector<ArrivalCount> categories;  // the most frequent first; "" are those without one
  // Of other categories: each hour tells limits::kArrivalCategories apart.
  std::uint64_t other_categories = 0;
  std::vector<ArrivalCount> causes;  // as to_string(DeathCause) says them, the most frequent first

  friend bool operator==(const Arrivals&, const Arrivals&) = default;
};

// How many dead letters have come to a queue since it was created, as Arrivals counts them: never fewer than
// before, also after a restart, a purge or the end of what Arrivals tells of.
struct ArrivalTotals {
  std::vector<ArrivalCount> categories = {};  // the most frequent first; "" are those without one
  std::uint64_t other_categories = 0;         // of those beyond the first limits::kArrivalCategories

  friend bool operator==(const ArrivalTotals&, const ArrivalTotals&) = default;
};

// Dead letters that died at least `from` ago and less than `to`.
struct AgeBucket {
  Duration from{};
  Duration to = Duration::max();  // of the last one
  std::uint64_t count = 0;

  friend bool operator==(const AgeBucket&, const AgeBucket&) = default;
};

struct DeadLetterStatistics {
  Timestamp at{};  // the engine's time: ages are counted from here
  // Whose message is in the queue; history does not count.
  std::uint64_t dead = 0;
  std::optional<Timestamp> oldest_died_at;
  // All of them by age, the youngest first, to the minute in which they died: up to 10 minutes, 1 hour, 6
  // hours, 1 day, 3, 7 and 30 days, and older.
  std::vector<AgeBucket> ages;
  // That came in the last whole minute, those that were parked here included.
  std::uint32_t arrivals_last_minute = 0;
  std::vector<Arrivals> hours;  // oldest first; those in which nothing died are left out, as below
  std::vector<Arrivals> days;

  friend bool operator==(const DeadLetterStatistics&, const DeadLetterStatistics&) = default;
};

}  // namespace holdfast
