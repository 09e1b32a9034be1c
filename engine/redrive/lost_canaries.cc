#include "engine/redrive/lost_canaries.h"

#include <algorithm>
#include <utility>

#include "engine/dead_letters/index/dead_letter_walk.h"

namespace holdfast {
namespace {

// Returns whether the task brought this canary to the queue. A canary without a record has failed already. If
// its record cannot be read, the function says yes: it is better that such a canary fails than that nothing
// can be purged.
bool went_to(const EngineContext& engine, const RedriveTask& task, Seq canary, QueueId queue) {
  if (task.target != QueueId{}) return task.target == queue;
  const auto row = read_dead_letter(*engine.store, task.queue, {.history = true, .seq = canary});
  return !row || (row->has_value() && (*row)->record.source_queue_id == queue);
}

// Returns the task as it is without its canaries in the queue, or nothing if it has none there.
std::optional<RedriveTask> losing_canaries_in(const EngineContext& engine, const RedriveTask& task,
                                              QueueId queue) {
  RedriveTask changed = task;
  for (const Seq canary : task.canaries) {
    const bool known = std::ranges::find(task.canaries_lost, canary) != task.canaries_lost.end();
    if (!known && went_to(engine, task, canary, queue)) changed.canaries_lost.push_back(canary);
  }
  if (changed.canaries_lost.size() == task.canaries_lost.size()) return std::nullopt;
  return changed;
}

}  // namespace

LostCanaries::LostCanaries(EngineContext& engine, QueueId queue) : no_new_tasks_(engine.tasks.adding_mutex) {
  for (auto& job : engine.tasks.running()) {
    if (!job->has_canary) continue;
    std::unique_lock step(job->step_mutex);
    job->step_mutex.assert_held();
    if (job->task.state != TaskState::kRunning || job->task.canary_passed) continue;
    auto changed = losing_canaries_in(engine, job->task, queue);
    held_.push_back({std::move(job), std::move(step), std::move(changed)});
  }
}

void LostCanaries::join(CommitPipeline& pipeline) const {
  for (const auto& [job, step, changed] : held_) {
    if (!changed) continue;
    pipeline.join_row(Family::kRedriveTasks, keys::task(job->id), encode_redrive_task(*changed),
                      Durability::kFsync);
  }
}

void LostCanaries::committed() {
  for (auto& [job, step, changed] : held_) {
    job->step_mutex.assert_held();  // `step` holds it
    if (changed) job->task = std::move(*changed);
  }
}

}  // namespace holdfast
