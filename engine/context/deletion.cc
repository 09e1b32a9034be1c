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

Result<void> check_not_deleted(CommitPipeline& pipeline, Queue& queue) {
  {
    const LockedQueue locked(pipeline.gate(), queue);
    if (!queue.deleted()) return {};
  }
  return tl::unexpected(after_deletion(pipeline, queue));
}

}  // namespace holdfast
