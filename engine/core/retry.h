// How long a message waits after a failed delivery.
#pragma once

#include <cstdint>

#include "holdfast/queue.h"

namespace holdfast {

// After the `failures`-th failed delivery, 1 or more. `noise` decides the jitter.
Duration retry_delay(const RetryPolicy& policy, std::uint32_t failures, std::uint64_t noise);

}  // namespace holdfast
