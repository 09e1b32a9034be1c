// These functions make the answer of a call whose queue was deleted meanwhile.
#pragma once

#include <utility>

#include "engine/commit/commit_pipeline.h"
#include "engine/queue/queue.h"
#include "holdfast/error.h"

namespace holdfast {

// Returns the answer of a call that found the queue deleted: kQueueNotFound, or kStorageFailed. It waits for
// the commit of the deletion, so the caller holds no locks.
Error after_deletion(CommitPipeline& pipeline, Queue& queue) HOLDFAST_EXCLUDES(inside_gate);

// Returns kQueueNotFound or kStorageFailed as after_deletion() does if the queue is deleted, and else
// nothing. A call that looks at a queue without holding its lock all the time asks at its end: if the queue
// was deleted before that, the call may have seen a part of it.
Result<void> check_not_deleted(CommitPipeline& pipeline, Queue& queue) HOLDFAST_EXCLUDES(inside_gate);

// Returns `seen`, which a call saw of the queue without its lock, or the error of check_not_deleted().
template <class T>
Result<T> unless_deleted(CommitPipeline& pipeline, Queue& queue, Result<T> seen)
    HOLDFAST_EXCLUDES(inside_gate) {
  if (auto there = check_not_deleted(pipeline, queue); !there) return tl::unexpected(there.error());
  return seen;
}

}  // namespace holdfast
