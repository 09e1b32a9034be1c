// Durations for people to read. What they set, exactly: format_duration in time.h.
#pragma once

#include <string>

#include "holdfast/time.h"

namespace holdfast {

// Of what was measured or is left, rounded: two units at the most, below a minute to tenths of a second.
// "250 us", "15 ms", "9.0 s", "1 min 30 s", "2 h 5 min", "3 d 4 h".
std::string format_rounded(Duration duration);

}  // namespace holdfast
