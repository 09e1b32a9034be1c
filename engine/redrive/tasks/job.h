// The redrive tasks of an engine.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/rows/redrive_task.h"
#include "engine/codec/rows/request_row.h"
#include "engine/redrive/tasks/rate_limit.h"
#include "engine/sync/mutex.h"

namespace holdfast {

// A task in memory.
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
  // A caller waits for it and makes the steps himself.
  std::atomic<bool> driven = false;
  // After an error, such as kDiskFull, run_due() makes no step before then.
  std::atomic<Timestamp> rests_until = Timestamp{};

  // Held while a step is made or the task is ended: one at a time.
  sync::Mutex step_mutex;
  RateLimit rate_limit HOLDFAST_GUARDED_BY(step_mutex);
  RedriveTask task HOLDFAST_GUARDED_BY(step_mutex);  // as last committed

  // Of a task whose end was published: nothing changes it any more, so no lock is wanted.
  const RedriveTask& ended_task() const HOLDFAST_NOT_ANALYSED { return task; }
};

// What tells a call under a request id from another one, as a hash. Who makes the call does not count.
std::uint64_t content_of(const RedriveTask& task);
// For a repetition of the call that began the task, whose end was published.
RequestRow answer_of(const RedriveJob& job);
// The task that such an answer is of.
Result<std::shared_ptr<RedriveJob>> ended_job(const RequestRow& answer, Timestamp now);

// All tasks that are remembered. Thread-safe; what is known of a task is a copy of its last commit.
class RedriveJobs {
 public:
  using Job = std::shared_ptr<RedriveJob>;

  // A task that is about to be made durable counts as running while this lives, or until it is added. Null if
  // as many run as may.
  struct GiveUp {
    void operator()(RedriveJobs* jobs) const;
  };
  using Beginning = std::unique_ptr<RedriveJobs, GiveUp>;
  Beginning begin_one();
  void add(const Job& job, Beginning beginning = {});
  // None is added as long as the lock is held.
  std::unique_lock<sync::Mutex> hold_off() { return std::unique_lock(adding_mutex_); }
  // Null if there is none.
  Job find(TaskId id) const;
  // The task that a call with this request id has started. Null if there is none.
  Job find_request(std::string_view request_id) const;
  std::vector<Job> running() const;
  std::optional<TaskStatus> status(TaskId id) const;
  std::vector<TaskStatus> statuses() const;
  // The task was committed as it is now.
  void publish(const RedriveJob& job) HOLDFAST_REQUIRES(job.step_mutex);
  // The tasks that ended first, but for the last limits::kFinishedTasks.
  std::vector<Job> surplus() const;
  void forget(const std::vector<Job>& jobs);

 private:
  struct Entry {
    Job job;
    TaskStatus status;
  };
  sync::Mutex adding_mutex_;  // taken before mutex_
  mutable sync::Mutex mutex_;
  std::map<TaskId, Entry> entries_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t beginning_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
