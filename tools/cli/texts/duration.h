// Ages and times as people write and read them; durations: base/time_text.h.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/time_text.h"
#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast::command {

// Coarse, one unit, for tables: "0s", "59s", "3m", "2h", "5d". Negative counts as 0.
std::string format_age(Duration age);

// For people: "2026-03-01 09:30:00 UTC"
std::string format_clock_time(Timestamp time);

// That, and what holdfast::parse_time() takes. kInvalidArgument otherwise.
Result<Timestamp> parse_time(std::string_view text);

}  // namespace holdfast::command
