// Computes how long to wait before the next try.
#pragma once

#include <cstdint>

#include "holdfast/time.h"

namespace holdfast::worker {

// Returns min(first * 2^(times - 1), cap).
Duration backoff(Duration first, Duration cap, std::uint64_t times);

}  // namespace holdfast::worker
