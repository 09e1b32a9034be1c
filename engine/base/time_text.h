// Durations and times as people and JSON write them.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast {

// "500ms", "30s", "5m", "2h", "1d", "250us", and sums such as "1h30m"; a bare "0". kInvalidArgument
// otherwise. The other way: format_duration() of time.h.
Result<Duration> parse_duration(std::string_view text);

// "2026-03-01T09:30:00.123456Z"
std::string format_time(Timestamp time);

// The same, and without the fraction of a second. kInvalidArgument otherwise.
Result<Timestamp> parse_time(std::string_view text);

}  // namespace holdfast
