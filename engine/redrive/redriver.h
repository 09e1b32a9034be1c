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

  static constexpr std::atomic<bool> kNotCancelled = false;
  // A dry run, a task that is begun, or one from start to end, or to where it is cancelled: as the options
  // say.
  Result<Redriven> redrive(std::string_view queue_name, RedriveOptions options,
                           RedriveTransform transform = {},
                           const std::atomic<bool>& cancelled = kNotCancelled);
  // Ends a task that runs.
  Result<void> cancel_task(RedriveJob& job, const std::string& actor);
  // redrive() on the pool.
  Engine::CallToken post(std::string_view queue_name, RedriveOptions options, Callback<Redriven> done);
  // kTaskNotFound.
  Result<TaskStatus> task_status(TaskId id) const;

 private:
  // Checks what `asked` asks, which has queue_name and options, and fixes the selection.
  Result<RedriveTask> make_task(RedriveTask asked);
  // kMessageNotFound if it names dead letters and none of them is there.
  Result<void> check_selection(const RedriveTask& task) const;
  // The task that an earlier call with the request id has begun, or a new one, which is durable, so that a
  // crash does not forget it. The caller makes its steps if the options say that he waits.
  Result<std::shared_ptr<RedriveJob>> begin_task(RedriveTask asked, RedriveTransform transform);
  // To its end, or to where it is cancelled.
  Result<Redriven> drive(RedriveJob& job, const std::string& actor, const std::atomic<bool>& cancelled);
  // What is known of it now.
  Redriven so_far(const RedriveJob& job) const;
  // The task that an earlier call under the request id, which `request` holds, has begun; null if there is
  // none.
  Result<std::shared_ptr<RedriveJob>> begun_before(const HeldRequest& request, const RedriveTask& asked);

  EngineContext& engine_;
  TaskStepper& task_stepper_;
};

}  // namespace holdfast
