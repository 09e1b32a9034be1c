// What failed of a dead letter since it died: deliveries out of its dead letter queue that were given back,
// or whose lease ran out. They become a record of their own only if the letter dies again.
#pragma once

#include "engine/context/context.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

// Adds them to the attempts of the letter's record, of which the first and the last few are kept as always.
// Waits for the commit of what was said of them, so it is called without locks.
Result<void> add_failures_since(EngineContext& engine, QueueId queue, DeadLetter& letter);

}  // namespace holdfast
