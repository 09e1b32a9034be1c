// The machine's clock for what a server counts too, while this machine may sleep.
#pragma once

#include "holdfast/time.h"

namespace holdfast {

// As system_clock(), but its steady time goes on while the machine sleeps.
const Clock& waking_clock();

// `clock`, or the machine's if it is null.
inline const Clock& clock_or_waking(const Clock* clock) { return clock != nullptr ? *clock : waking_clock(); }

}  // namespace holdfast
