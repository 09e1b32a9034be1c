// Queues whose locks are held.
#pragma once

#include <mutex>
#include <vector>

#include "engine/commit/gate.h"
#include "engine/queue/queue.h"
#include "engine/sync/mutex.h"

namespace holdfast {

// Locks a queue, inside the gate.
class LockedQueue {
 public:
  LockedQueue(Gate& gate, Queue& queue) : pass_(gate), lock_(queue.mutex) {}

 private:
  Gate::Pass pass_;
  std::unique_lock<sync::Mutex> lock_;
};

// Locks queues in the order of their ids, inside the gate.
class LockedQueues {
 public:
  LockedQueues(Gate& gate, std::vector<Queue*> queues);

 private:
  Gate::Pass pass_;
  std::vector<std::unique_lock<sync::Mutex>> locks_;
};

}  // namespace holdfast
