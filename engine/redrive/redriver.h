// The Redriver runs redrive tasks from their beginning to their end.
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
  // Counts what a dry run counts, or starts a task; if the options say that the caller waits, also makes the
  // task's steps on this thread until the task ends or `cancelled` becomes true. Errors: those of
  // DeadLetterVerbs::redrive.
  Result<Redriven> redrive(std::string_view queue_name, RedriveOptions options,
                           RedriveTransform transform = {},
                           const std::atomic<bool>& cancelled = kNotCancelled) HOLDFAST_EXCLUDES(inside_gate);
  // Ends a running task. What it has moved stays moved.
  Result<void> cancel_task(RedriveJob& job, const std::string& actor)
      HOLDFAST_EXCLUDES(inside_gate, job.step_mutex);
  // Calls redrive() on a thread of the pool. Engine::cancel_call with the returned token cancels the task.
  Engine::CallToken post(std::string_view queue_name, RedriveOptions options, Callback<Redriven> done);
  // Returns what is known of a task. kTaskNotFound.
  Result<TaskStatus> task_status(TaskId id) const;

 private:
  // Checks the queue's name and the options of `asked`, and returns the task with its selection fixed.
  Result<RedriveTask> make_task(RedriveTask asked) HOLDFAST_EXCLUDES(inside_gate);
  // kMessageNotFound if the task's filter names dead letters and none of them is there.
  Result<void> check_selection(const RedriveTask& task) const HOLDFAST_EXCLUDES(inside_gate);
  // Returns the task that an earlier call with the same request id started, or starts a new one. The task is
  // durable when this returns, so that a crash does not forget it. If the options say that the caller waits,
  // the caller makes its steps.
  Result<std::shared_ptr<RedriveJob>> start_task(RedriveTask asked, RedriveTransform transform)
      HOLDFAST_EXCLUDES(inside_gate);
  // Makes the task's steps until the task ends or is cancelled.
  Result<Redriven> drive(RedriveJob& job, const std::string& actor, const std::atomic<bool>& cancelled)
      HOLDFAST_EXCLUDES(inside_gate, job.step_mutex);
  // Returns what the task has done until now.
  Redriven so_far(const RedriveJob& job) const;
  // Returns the task that an earlier call started with the request id that `request` holds; null if there is
  // none.
  Result<std::shared_ptr<RedriveJob>> started_before(const HeldRequest& request, const RedriveTask& asked)
      HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  TaskStepper& task_stepper_;
};

}  // namespace holdfast
