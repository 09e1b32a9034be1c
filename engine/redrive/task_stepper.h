// Makes the steps of redrive tasks. Each step moves a few messages and the task's cursor in one atomic write,
// so a crash neither loses nor doubles a message.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/context/context.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/redrive/plan.h"

namespace holdfast {

class TaskStepper {
 public:
  TaskStepper(EngineContext& engine, Dispatcher& dispatcher, Retention& retention)
      : engine_(engine), dispatcher_(dispatcher), retention_(retention) {}

  // Makes one step and waits for its commit. Returns when the task wants its next step, or max() if it has
  // ended. After an error, such as kDiskFull, the task is where it was.
  Result<Timestamp> step_task(RedriveJob& job) HOLDFAST_EXCLUDES(inside_gate, job.step_mutex);
  // Makes one step of each task that runs in the background. Returns when it must be called next.
  Timestamp run_tasks() HOLDFAST_EXCLUDES(inside_gate);
  Result<void> end_task(RedriveJob& job, TaskState state, std::optional<Error> failure,
                        std::string cancelled_by = {}) HOLDFAST_REQUIRES(job.step_mutex)
      HOLDFAST_EXCLUDES(inside_gate);
  // Moves what the plan has. Without an id, the moves belong to no task. `still_wanted` is asked under the
  // locks, and if it returns false, nothing moves.
  Result<void> commit_step(std::optional<TaskId> id, const std::shared_ptr<Queue>& from, Plan& plan,
                           RedriveTask& task, const std::function<bool()>& still_wanted = {})
      HOLDFAST_EXCLUDES(inside_gate);

 private:
  // Looks what became of the canaries. Returns whether the task may go on. The task may have ended.
  Result<bool> look_at_canary(RedriveJob& job) HOLDFAST_REQUIRES(job.step_mutex)
      HOLDFAST_EXCLUDES(inside_gate);
  // Moves at most `most` of the dead letters that the task selects. Returns what step_task() returns.
  Result<Timestamp> move_some(RedriveJob& job, const std::shared_ptr<Queue>& from, std::uint64_t most)
      HOLDFAST_REQUIRES(job.step_mutex) HOLDFAST_EXCLUDES(inside_gate, from->records_mutex);
  void plan_retention(const std::shared_ptr<Queue>& from, const RedriveTask& task)
      HOLDFAST_EXCLUDES(inside_gate);
  Result<void> forget_old_tasks() HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
  Retention& retention_;
};

}  // namespace holdfast
