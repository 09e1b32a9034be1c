// What a call answers if its queue was deleted meanwhile.
#pragma once

#include "engine/commit/commit_pipeline.h"
#include "engine/queue/queue.h"
#include "holdfast/error.h"

namespace holdfast {

// Returns the answer of a call that found the queue deleted: kQueueNotFound, or kStorageFailed. It waits for
// the commit of the deletion, so the caller holds no locks.
Error after_deletion(CommitPipeline& pipeline, Queue& queue) HOLDFAST_EXCLUDES(inside_gate);

}  // namespace holdfast
