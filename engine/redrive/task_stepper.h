// Redrive tasks advance in steps. Each moves a few messages and the task's cursor in one atomic write, so a
// crash neither loses nor doubles any.
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

  // Moves the next few and waits for their commit. Gives when the task wants its next step; max() if it has
  // ended. After an error, such as kDiskFull, it is where it was.
  Result<Timestamp> step_task(RedriveJob& job);
  // A step of each task that runs in the background. Gives when it next wants to be called.
  Timestamp run_tasks();
  Result<void> end_task(RedriveJob& job, TaskState state, std::optional<Error> failure,
                        std::string cancelled_by = {}) HOLDFAST_REQUIRES(job.step_mutex);
  // Without an id the moves are of no task. Nothing moves if `still_wanted`, which is asked under the locks,
  // says no.
  Result<void> commit_step(std::optional<TaskId> id, const std::shared_ptr<Queue>& from, Plan& plan,
                           RedriveTask& task, const std::function<bool()>& still_wanted = {});

 private:
  // Whether the task may go on; it may have ended.
  Result<bool> look_at_canary(RedriveJob& job) HOLDFAST_REQUIRES(job.step_mutex);
  Result<void> forget_old_tasks();

  EngineContext& engine_;
  Dispatcher& dispatcher_;
  Retention& retention_;
};

}  // namespace holdfast
