// The waking clock is for what a server counts too, on a machine that may sleep.
#pragma once

#include "holdfast/time.h"

namespace holdfast {

// Returns a clock as system_clock() is, except that its steady time goes on while the machine sleeps.
const Clock& waking_clock();

// Returns `clock`, or waking_clock() if `clock` is null.
inline const Clock& clock_or_waking(const Clock* clock) { return clock != nullptr ? *clock : waking_clock(); }

}  // namespace holdfast
