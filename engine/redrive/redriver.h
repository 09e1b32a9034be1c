// Redrive tasks, from their beginning to their end.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "engine/context/context.h"
#include "engine/redrive/task_stepper.h"

namespace holdfast {

class Redriver {
 public:
  Redriver(EngineContext& engine, TaskStepper& task_stepper) : engine_(engine), task_stepper_(task_stepper) {}

  // Checks what `asked` asks, which has kind, queue_name and options, and fixes the selection.
  Result<RedriveTask> make_task(RedriveTask asked);
  // kMessageNotFound if it names dead letters and none of them is there.
  Result<void> check_selection(const RedriveTask& task) const;
  // The task that an earlier call with the request id has begun, or a new one, which is durable, so that a
  // crash does not forget it. `driven`: the caller makes its steps.
  Result<std::shared_ptr<RedriveJob>> begin_task(RedriveTask asked, RedriveTransform transform, bool driven);
  static constexpr std::atomic<bool> kNotCancelled = false;
  // From start to end, or to where it is cancelled.
  Result<Redriven> run_task(TaskKind kind, std::string_view queue_name, RedriveOptions options,
                            const std::atomic<bool>& cancelled = kNotCancelled);
  // Ends a task that runs.
  Result<void> cancel_task(RedriveJob& job, const std::string& actor);
  // run_task() on the pool.
  Engine::CallToken post_task(TaskKind kind, std::string_view queue, RedriveOptions options,
                              Callback<Redriven> done);
  // kTaskNotFound.
  Result<TaskStatus> task_status(TaskId id) const;

 private:
  // The task that an earlier call under the request id, which `request` holds, has begun; null if there is
  // none.
  Result<std::shared_ptr<RedriveJob>> begun_before(const HeldRequest& request, const RedriveTask& asked);

  EngineContext& engine_;
  TaskStepper& task_stepper_;
};

}  // namespace holdfast
