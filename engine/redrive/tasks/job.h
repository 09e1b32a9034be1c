// An engine holds its redrive tasks in memory as jobs.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/rows/redrive_task.h"
#include "engine/codec/rows/request_row.h"
#include "engine/redrive/tasks/rate_limit.h"
#include "engine/sync/mutex.h"

namespace holdfast {

// A RedriveJob is a task in memory.
struct RedriveJob {
  RedriveJob(TaskId task_id, RedriveTask at, Timestamp now)
      : id(task_id),
        request_id(at.options.request_id),
        has_canary(at.options.canary != 0),
        rate_limit(at.options.rate, now),
        task(std::move(at)) {}

  const TaskId id;
  const std::string request_id;
  const bool has_canary;
  RedriveTransform transform = {};
  // A caller waits for the task and makes its steps.
  std::atomic<bool> driven = false;
  // Before `rests_until` run_due() makes no step, after an error such as kDiskFull.
  std::atomic<Timestamp> rests_until = Timestamp{};

  // The mutex is held while a step is made or the task is ended, so that one of these happens at a time.
  sync::Mutex step_mutex;
  RateLimit rate_limit HOLDFAST_GUARDED_BY(step_mutex);
  RedriveTask task HOLDFAST_GUARDED_BY(step_mutex);  // as it was last committed

  // Returns a task whose end was published. Nothing changes it any more, so the caller needs no lock.
  const RedriveTask& ended_task() const HOLDFAST_NOT_ANALYSED { return task; }
};

// Returns a hash that tells a call with a request id from another call. It does not cover who makes the call.
std::uint64_t content_of(const RedriveTask& task);
// Returns the answer for a repetition of the call that began the task. The end of the task was published.
RequestRow answer_of(const RedriveJob& job);
// Returns the task of an answer that answer_of() made.
Result<std::shared_ptr<RedriveJob>> ended_job(const RequestRow& answer, Timestamp now);

// RedriveJobs has the tasks that are remembered. It knows a task by a copy of its last commit. Thread-safe.
class RedriveJobs {
 public:
  using Job = std::shared_ptr<RedriveJob>;

  // No task is added as long as it is held.
  sync::Mutex adding_mutex;

  // start_one() makes a task that is about to become durable count as running, as long as the result lives or
  // until the task is added. It returns null if as many tasks run as may.
  struct GiveUp {
    void operator()(RedriveJobs* jobs) const;
  };
  using Starting = std::unique_ptr<RedriveJobs, GiveUp>;
  Starting start_one();
  void add(const Job& job, Starting starting = {}) HOLDFAST_EXCLUDES(adding_mutex);
  // Returns the task, or null if there is none.
  Job find(TaskId id) const;
  // Returns the task that a call with this request id has started, or null if there is none.
  Job find_request(std::string_view request_id) const;
  std::vector<Job> running() const;
  // Returns whether the task has moved nothing but canaries so far. What becomes of them it finds in their
  // records.
  bool awaits_canaries(TaskId id) const;
  std::optional<TaskStatus> status(TaskId id) const;
  std::vector<TaskStatus> statuses() const;
  // Makes the task known as it is now, which is committed.
  void publish(const RedriveJob& job) HOLDFAST_REQUIRES(job.step_mutex);
  // Returns the tasks that ended first, except for the last limits::kFinishedTasks.
  std::vector<Job> surplus() const;
  void forget(const std::vector<Job>& jobs);

 private:
  struct Entry {
    Job job;
    TaskStatus status;
  };
  mutable sync::Mutex mutex_;  // taken after adding_mutex
  std::map<TaskId, Entry> entries_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t starting_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
