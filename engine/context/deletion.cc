#include "engine/context/deletion.h"

#include "engine/context/locked_queues.h"

namespace holdfast {

Error after_deletion(CommitPipeline& pipeline, Queue& queue) {
  const GroupNumber deletion = [&] {
    const LockedQueue locked(pipeline.gate(), queue);
    return queue.deletion();
  }();
  const auto committed = pipeline.wait(deletion);
  return committed ? Queue::deleted_error() : committed.error();
}

}  // namespace holdfast
