// A row "H" of `catalog`: how many dead letters came to a queue in one hour, by cause and category, and how
// many in each minute of it. Those that were parked count in the minutes alone.
//
//   key = "H" queue:u64 hour:u64                                       big-endian; hours since the epoch
//   row = causes:varint (cause:varint count:varint)*
//         categories:varint (category:bytes count:varint)* others:varint
//         minutes:varint (minute:u8 count:varint)*                      ascending; those in which any came
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

// An hour of UTC, counted from the epoch.
using Hour = std::uint64_t;
Hour hour_of(Timestamp time);
Timestamp begin_of(Hour hour);
// The minute of its hour: 0..59.
std::uint8_t minute_of_hour(Timestamp time);

namespace keys {

inline constexpr std::string_view kArrivalsBegin = "H";
inline constexpr std::string_view kArrivalsEnd = "I";
std::string arrivals(QueueId queue, Hour hour);
// Past all of a queue's.
std::string arrivals_end(QueueId queue);

struct ArrivalsPlace {
  QueueId queue;
  Hour hour;
};
std::optional<ArrivalsPlace> parse_arrivals(std::string_view key);

}  // namespace keys

struct ArrivalsRow {
  std::map<DeathCause, std::uint64_t> causes = {};
  // At most limits::kArrivalCategories; the rest are others.
  std::map<std::string, std::uint64_t, std::less<>> categories = {};
  std::uint64_t others = 0;
  std::map<std::uint8_t, std::uint64_t> minutes = {};  // by minute_of_hour()

  // Of a category that there is no room for, others.
  void add(DeathCause cause, std::string_view category, std::uint64_t count = 1);
  void add(const ArrivalsRow& more);

  friend bool operator==(const ArrivalsRow&, const ArrivalsRow&) = default;

 private:
  void add_category(std::string_view category, std::uint64_t count);
};

std::string encode_arrivals_row(const ArrivalsRow& row);
Result<ArrivalsRow> decode_arrivals_row(std::string_view row);

}  // namespace holdfast
