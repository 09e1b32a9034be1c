// Ages and times as people write and read them. base/time_text.h has durations.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/time_text.h"
#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast::command {

// Formats an age in one coarse unit, for tables: "0s", "59s", "3m", "2h", "5d". A negative age counts as 0.
std::string format_age(Duration age);

// Formats a time for people: "2026-03-01 09:30:00 UTC".
std::string format_clock_time(Timestamp time);

// Reads what format_clock_time() writes, and what holdfast::parse_time() reads. kInvalidArgument for any
// other text.
Result<Timestamp> parse_time(std::string_view text);

}  // namespace holdfast::command
