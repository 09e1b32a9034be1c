#include "runtime/engine_impl.h"

namespace holdfast {

Result<Redriven> Engine::redrive(std::string_view queue_name, RedriveOptions options) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());

  RedriveTask task{.queue = (*queue)->id, .cursor = {}, .end = {}, .category = options.category, .done = {}};
  {
    const LockedQueue locked(impl_->pipeline.gate(), **queue);
    task.end = (*queue)->state.next_seq();
  }
  auto id = impl_->begin_task(task);
  if (!id) return tl::unexpected(id.error());
  return impl_->run_redrive(*id, std::move(task));
}

}  // namespace holdfast
