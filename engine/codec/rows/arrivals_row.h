// A row "H" of `catalog` counts the dead letters that came to a queue in one hour, by cause and category, and
// in each minute of the hour. Messages that were parked count only in the minutes.
//
//   key = "H" queue:u64 hour:u64                                       big-endian; hours since the epoch
//   row = causes:varint (cause:varint count:varint)*
//         categories:varint (category:bytes count:varint)* others:varint
//         minutes:varint (minute:u8 count:varint)*                      ascending; those in which any came
//         totals:varint (category:bytes count:varint)* others:varint    since the queue was created
//
// In a row that ends before the totals, the totals equal the counts of its hour.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"
#include "holdfast/error.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// An Hour is an hour of UTC, counted from the epoch.
using Hour = std::uint64_t;
Hour hour_of(Timestamp time);
Timestamp begin_of(Hour hour);
// Returns the minute within its hour, 0 to 59.
std::uint8_t minute_of_hour(Timestamp time);

namespace keys {

inline constexpr std::string_view kArrivalsBegin = "H";
inline constexpr std::string_view kArrivalsEnd = "I";
std::string arrivals(QueueId queue, Hour hour);
// Returns the end of a queue's rows.
std::string arrivals_end(QueueId queue);

struct ArrivalsPlace {
  QueueId queue;
  Hour hour;
};
std::optional<ArrivalsPlace> parse_arrivals(std::string_view key);

}  // namespace keys

struct CategoryCounts {
  // `categories` has at most limits::kArrivalCategories, the first that came. `others` counts the rest.
  std::map<std::string, std::uint64_t, std::less<>> categories = {};
  std::uint64_t others = 0;

  void add(std::string_view category, std::uint64_t count);
  void add(const CategoryCounts& more);

  friend bool operator==(const CategoryCounts&, const CategoryCounts&) = default;
};

struct ArrivalsRow {
  std::map<DeathCause, std::uint64_t> causes = {};
  CategoryCounts came = {};
  std::map<std::uint8_t, std::uint64_t> minutes = {};  // by minute_of_hour()
  // The totals are stored, and not summed up when they are asked for: a category that was among the first
  // stays among them, so no count goes down.
  CategoryCounts totals = {};

  void add(DeathCause cause, std::string_view category, std::uint64_t count = 1);
  // Adds the arrivals of `more`. What came in `more` is added to the totals; the totals of `more` are
  // ignored.
  void add(const ArrivalsRow& more);

  friend bool operator==(const ArrivalsRow&, const ArrivalsRow&) = default;
};

std::string encode_arrivals_row(const ArrivalsRow& row);
Result<ArrivalsRow> decode_arrivals_row(std::string_view bytes);

}  // namespace holdfast
