// A dry run of a redrive: counts what the task would do now, and changes nothing.
#pragma once

#include "engine/context/context.h"

namespace holdfast {

// `task` is made and not begun. `transform` may be null. kClosed if the engine closes meanwhile.
Result<Redriven> dry_run(EngineContext& engine, RedriveTask task, RedriveTransform transform)
    HOLDFAST_EXCLUDES(inside_gate);

}  // namespace holdfast
