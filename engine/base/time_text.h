// Reads and writes durations and times in the form that people and JSON use.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast {

// Reads "500ms", "30s", "5m", "2h", "1d", "250us", sums such as "1h30m", and a bare "0". kInvalidArgument for
// any other text. format_duration() of holdfast/time.h writes durations.
Result<Duration> parse_duration(std::string_view text);

// Writes a time in UTC: "2026-03-01T09:30:00.123456Z".
std::string format_time(Timestamp time);

// Reads a time of RFC 3339 (section 5.6), in UTC ("Z") or with the offset of a time zone ("+02:00"). Digits
// behind the microseconds do not count. kInvalidArgument for any other text, and for a day that its month
// does not have.
Result<Timestamp> parse_time(std::string_view text);

}  // namespace holdfast
