// The tallies count, by task, what became of the messages that redrive tasks moved.
#pragma once

#include <map>

#include "engine/storage/store.h"
#include "engine/sync/mutex.h"
#include "holdfast/redrive.h"

namespace holdfast {

// Counts are made while a group is written, together with the rows that tell of the outcomes. Each row has
// all that was counted so far, so the last row of a group stands for those before it. A count can be seen
// before its group is stored. If storing fails, the engine stops, and reads what is stored when it is opened
// again. Thread-safe.
class ReplayTallies {
 public:
  // Begins to count for a task. Nothing is counted for a task that was not added, or that was forgotten.
  void add(TaskId task, const ReplayCounts& counts = {});
  void forget(TaskId task);
  ReplayCounts of(TaskId task) const;

  // Counts one more message while a group is written, and puts the task's row into `rows`.
  void count(TaskId task, std::uint64_t ReplayCounts::*what, Batch& rows);

 private:
  mutable sync::Mutex mutex_;
  std::map<TaskId, ReplayCounts> counts_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
