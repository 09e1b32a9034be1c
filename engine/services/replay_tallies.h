// What became of the messages that redrive tasks moved, counted by task.
#pragma once

#include <map>

#include "engine/storage/store.h"
#include "engine/sync/mutex.h"
#include "holdfast/redrive.h"

namespace holdfast {

// Thread-safe. It is counted while a group is written, with the rows that tell of it, and each row has all
// that was counted so far: so that the last one of a group stands for those before it. A count is seen before
// its group is stored; if that fails, the engine stops and is opened anew, with what is stored.
class ReplayTallies {
 public:
  // Of a task that is remembered; nothing is counted of others.
  void add(TaskId task, const ReplayCounts& counts = {});
  void forget(TaskId task);
  ReplayCounts of(TaskId task) const;

  // While a group is written: one message more.
  void count(TaskId task, std::uint64_t ReplayCounts::*what, Batch& rows);

 private:
  mutable sync::Mutex mutex_;
  std::map<TaskId, ReplayCounts> counts_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
