// Engine's verbs for redrives leave the work to Redriver. Lists of tasks also tell what became of the
// messages that were moved, which goes on after the task has ended and is counted in the catalog.
#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/engine/engine_impl.h"
#include "engine/redrive/redriver.h"

namespace holdfast {

Result<Redriven> EngineDeadLetterVerbs::redrive(std::string_view queue, RedriveOptions options) {
  return redrive(queue, std::move(options), {});
}

Result<Redriven> EngineDeadLetterVerbs::redrive(std::string_view queue, RedriveOptions options,
                                                RedriveTransform transform) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  return impl_->redriver.redrive(queue, std::move(options), std::move(transform));
}

Engine::CallToken Engine::async_redrive(std::string_view queue, RedriveOptions options,
                                        Callback<Redriven> done) {
  return impl_->redriver.post(queue, std::move(options), std::move(done));
}

Result<TaskStatus> EngineDeadLetterVerbs::redrive_status(TaskId id) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  return impl_->redriver.task_status(id);
}

Result<std::vector<TaskStatus>> EngineDeadLetterVerbs::list_redrives() {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  auto statuses = impl_->tasks.statuses();
  for (TaskStatus& status : statuses) status.outcomes = impl_->catalog.replay_tallies().of(status.id);
  return statuses;
}

Result<TaskStatus> EngineDeadLetterVerbs::cancel_redrive(TaskId id, std::string actor) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_actor(actor); !ok) return tl::unexpected(ok.error());
  if (const auto job = impl_->tasks.find(id)) {
    if (auto ok = impl_->redriver.cancel_task(*job, actor); !ok) return tl::unexpected(ok.error());
  }
  return impl_->redriver.task_status(id);
}

}  // namespace holdfast
