// These classes hold the locks of queues.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/commit/gate.h"
#include "engine/queue/queue.h"
#include "engine/sync/mutex.h"

namespace holdfast {

// Locks a queue, inside the gate.
class HOLDFAST_SCOPED_CAPABILITY LockedQueue {
 public:
  LockedQueue(Gate& gate, Queue& queue) HOLDFAST_ACQUIRE_SHARED(gate, inside_gate)
      HOLDFAST_ACQUIRE(queue.mutex)
      : gate_(gate), pass_(std::in_place, gate), lock_(queue.mutex) {}
  ~LockedQueue() HOLDFAST_RELEASE_GENERIC() = default;
  LockedQueue(const LockedQueue&) = delete;
  LockedQueue& operator=(const LockedQueue&) = delete;

  // unlock() also leaves the gate, and lock() enters it again.
  void unlock() HOLDFAST_RELEASE_GENERIC() {
    lock_.unlock();
    pass_.reset();
  }
  void lock() HOLDFAST_ACQUIRE() {
    pass_.emplace(gate_);
    lock_.lock();
  }

 private:
  Gate& gate_;
  std::optional<Gate::Pass> pass_;
  sync::Lock lock_;
};

// These tell the analysis that the calling thread has locked the queue, which may be null, where the analysis
// cannot follow that. A call by a thread that has not locked it stops the process.
inline void assert_locked(const std::shared_ptr<Queue>& queue) HOLDFAST_ASSERT_HELD(queue->mutex) {
  if (queue) queue->mutex.assert_held();
}
inline void assert_locked(const Queue* queue) HOLDFAST_ASSERT_HELD(queue->mutex) {
  if (queue != nullptr) queue->mutex.assert_held();
}

// Locks queues in the order of their ids, inside the gate. The analysis cannot know which queues these are,
// so the owner says it by assert_locked().
class HOLDFAST_SCOPED_CAPABILITY LockedQueues {
 public:
  LockedQueues(Gate& gate, std::vector<Queue*> queues) HOLDFAST_ACQUIRE_SHARED(gate, inside_gate);
  ~LockedQueues() HOLDFAST_RELEASE_GENERIC() = default;
  LockedQueues(const LockedQueues&) = delete;
  LockedQueues& operator=(const LockedQueues&) = delete;

 private:
  Gate::Pass pass_;
  // A sync::Lock cannot move within a vector, and the analysis would not see it there either.
  std::vector<std::unique_lock<sync::Mutex>> locks_;
};

// Locks a queue together with the dead letter queue of a category, if it has one. The target is the one that
// the queue has once both are locked, even if it had another before. The owner tells the analysis by
// assert_locked() that the target is locked.
class HOLDFAST_SCOPED_CAPABILITY LockedWithTarget {
 public:
  LockedWithTarget(Gate& gate, Queue& queue, std::string_view category)
      HOLDFAST_ACQUIRE_SHARED(gate, inside_gate) HOLDFAST_ACQUIRE(queue.mutex);
  ~LockedWithTarget() HOLDFAST_RELEASE_GENERIC() = default;
  LockedWithTarget(const LockedWithTarget&) = delete;
  LockedWithTarget& operator=(const LockedWithTarget&) = delete;

  // Returns the dead letter queue, or null.
  const std::shared_ptr<Queue>& target() const { return target_; }

 private:
  std::shared_ptr<Queue> target_;
  std::optional<LockedQueues> locked_;
};

}  // namespace holdfast
