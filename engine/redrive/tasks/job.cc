#include "engine/redrive/tasks/job.h"

#include <algorithm>

#include "engine/base/helpers/content_hash.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

TaskStatus status_of(TaskId id, const RedriveTask& task) {
  return {.id = id,
          .action = task.options.action,
          .queue = task.queue_name,
          .to = task.options.to,
          .state = task.state,
          .moved = task.moved,
          .parked = task.parked,
          .left = task.left,
          .total = task.total,
          .canaries = task.canaries.size(),
          .canary_acked = task.canary_acked,
          .canary_failed = task.canary_failed,
          .rate = task.options.rate,
          .started_at = task.started_at,
          .finished_at = task.finished_at,
          .actor = task.options.actor,
          .cancelled_by = task.cancelled_by,
          .error = task.error};
}

}  // namespace

std::uint64_t content_of(const RedriveTask& task) {
  RedriveTask asked{.queue_name = task.queue_name, .options = task.options};
  asked.options.actor = {};
  return ContentHash().add("redrive").add(encode_redrive_task(asked)).value();
}

RequestRow answer_of(const RedriveJob& job) {
  RedriveTask without_options = job.ended_task();
  without_options.options = {.action = without_options.options.action};
  RequestRow answer;
  answer.content = content_of(job.ended_task());
  answer.ended = {job.id, encode_redrive_task(without_options)};
  return answer;
}

Result<std::shared_ptr<RedriveJob>> ended_job(const RequestRow& answer, Timestamp now) {
  if (!answer.ended) return fail(ErrorCode::kCorruption, "the answer to a redrive names no task");
  auto task = decode_redrive_task(answer.ended->row);
  if (!task) return tl::unexpected(task.error());
  return std::make_shared<RedriveJob>(answer.ended->task, *std::move(task), now);
}

RedriveJobs::Starting RedriveJobs::start_one() {
  const sync::Lock lock(mutex_);
  const auto running = std::ranges::count_if(
      entries_, [](const auto& entry) { return entry.second.status.state == TaskState::kRunning; });
  if (static_cast<std::size_t>(running) + starting_ >= limits::kRunningTasks) return nullptr;
  ++starting_;
  return Starting(this);
}

void RedriveJobs::GiveUp::operator()(RedriveJobs* jobs) const {
  const sync::Lock lock(jobs->mutex_);
  --jobs->starting_;
}

void RedriveJobs::add(const Job& job, Starting starting) {
  const sync::Lock adding(adding_mutex);
  const sync::Lock step(job->step_mutex);
  const sync::Lock lock(mutex_);
  entries_.insert_or_assign(job->id, Entry{job, status_of(job->id, job->task)});
  if (starting.release() != nullptr) --starting_;
}

RedriveJobs::Job RedriveJobs::find(TaskId id) const {
  const sync::Lock lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.job;
}

RedriveJobs::Job RedriveJobs::find_request(std::string_view request_id) const {
  const sync::Lock lock(mutex_);
  const auto found = std::ranges::find_if(
      entries_, [&](const auto& entry) { return entry.second.job->request_id == request_id; });
  return request_id.empty() || found == entries_.end() ? nullptr : found->second.job;
}

std::vector<RedriveJobs::Job> RedriveJobs::running() const {
  const sync::Lock lock(mutex_);
  std::vector<Job> jobs;
  for (const auto& [id, entry] : entries_) {
    if (entry.status.state == TaskState::kRunning) jobs.push_back(entry.job);
  }
  return jobs;
}

bool RedriveJobs::awaits_canaries(TaskId id) const {
  const sync::Lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || !found->second.job->has_canary) return false;
  const TaskStatus& status = found->second.status;
  return status.state == TaskState::kRunning && status.moved == status.canaries;
}

std::optional<TaskStatus> RedriveJobs::status(TaskId id) const {
  const sync::Lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return found->second.status;
}

std::vector<TaskStatus> RedriveJobs::statuses() const {
  const sync::Lock lock(mutex_);
  std::vector<TaskStatus> result;
  result.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) result.push_back(entry.status);
  return result;
}

void RedriveJobs::publish(const RedriveJob& job) {
  const sync::Lock lock(mutex_);
  const auto found = entries_.find(job.id);
  if (found != entries_.end()) found->second.status = status_of(job.id, job.task);
}

std::vector<RedriveJobs::Job> RedriveJobs::surplus() const {
  const sync::Lock lock(mutex_);
  std::vector<const Entry*> ended;
  for (const auto& [id, entry] : entries_) {
    if (entry.status.state != TaskState::kRunning) ended.push_back(&entry);
  }
  if (ended.size() <= limits::kFinishedTasks) return {};
  std::ranges::stable_sort(ended, {}, [](const Entry* entry) { return entry->status.finished_at; });
  ended.resize(ended.size() - limits::kFinishedTasks);
  std::vector<Job> jobs;
  jobs.reserve(ended.size());
  for (const Entry* entry : ended) jobs.push_back(entry->job);
  return jobs;
}

void RedriveJobs::forget(const std::vector<Job>& jobs) {
  const sync::Lock lock(mutex_);
  for (const Job& job : jobs) entries_.erase(job->id);
}

}  // namespace holdfast
