#include "engine/services/replay_tallies.h"

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/replay_row.h"

namespace holdfast {

void ReplayTallies::add(TaskId task, const ReplayCounts& counts) {
  const sync::Lock lock(mutex_);
  counts_.insert_or_assign(task, counts);
}

void ReplayTallies::forget(TaskId task) {
  const sync::Lock lock(mutex_);
  counts_.erase(task);
}

ReplayCounts ReplayTallies::of(TaskId task) const {
  const sync::Lock lock(mutex_);
  const auto found = counts_.find(task);
  return found == counts_.end() ? ReplayCounts{} : found->second;
}

void ReplayTallies::count(TaskId task, std::uint64_t ReplayCounts::*what, Batch& rows) {
  const sync::Lock lock(mutex_);
  const auto found = counts_.find(task);
  if (found == counts_.end()) return;
  ++(found->second.*what);
  rows.put(Family::kRedriveTasks, keys::task_outcomes(task), encode_replay_counts(found->second));
}

}  // namespace holdfast
