// This header handles events on their way from a transition to the subscribers. A transition emits an event
// under its locks. Once its group is committed, the event goes into the buffer of each subscriber, and the
// subscriber's own thread tells it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "engine/commit/commit_pipeline.h"
#include "engine/sync/atomic.h"
#include "engine/sync/mutex.h"
#include "holdfast/event.h"

namespace holdfast {

class EventHub {
 public:
  explicit EventHub(CommitPipeline& pipeline) : pipeline_(pipeline) {}

  // Returns whether anybody listens. If nobody does, callers need not even make an event.
  bool heard() const { return heard_.load(std::memory_order_relaxed); }

  // Emits an event, which subscribers hear of after the open group is committed, and never if that fails. The
  // caller holds the lock of the event's queue, which keeps the events of a queue in order.
  void emit(Event event) HOLDFAST_REQUIRES_SHARED(inside_gate);

  // Adds a subscriber. kOverloaded if the system gives no thread.
  Result<Subscription> subscribe(EventFilter filter, EventCallback callback);

  // Has subscribers told what is in their buffers, and nothing more. The pipeline must have stopped.
  void stop();

 private:
  void committed(GroupNumber group);

  CommitPipeline& pipeline_;
  sync::Atomic<bool> heard_ = false;
  sync::Mutex mutex_;
  std::map<GroupNumber, std::vector<Event>> uncommitted_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<Subscriber>> subscribers_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
