// A dead letter may have deliveries that failed since it died: a consumer of the dead letter queue gave them
// back, or their leases ran out. They become a failure record of their own only if the dead letter dies
// again.
#pragma once

#include "engine/context/context.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

// Adds these failures to the attempts of the letter's record, which keeps the first and the last few. It
// waits for the commit of what was said of them, so the caller holds no locks.
Result<void> add_failures_since(EngineContext& engine, QueueId queue, DeadLetter& letter)
    HOLDFAST_EXCLUDES(inside_gate);

}  // namespace holdfast
