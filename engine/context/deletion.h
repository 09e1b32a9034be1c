// What to answer of a queue that was deleted meanwhile.
#pragma once

#include "engine/commit/commit_pipeline.h"
#include "engine/queue/queue.h"
#include "holdfast/error.h"

namespace holdfast {

// The answer of a call that met the queue deleted. It waits for the commit of the deletion, so it is called
// without locks. kQueueNotFound, kStorageFailed.
Error after_deletion(CommitPipeline& pipeline, Queue& queue);

}  // namespace holdfast
