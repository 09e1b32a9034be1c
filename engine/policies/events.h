// Events on their way from a transition to the subscribers. A transition emits under its locks; once its
// group is committed the event goes into each subscriber's buffer, and a thread of the subscriber's own tells
// it.
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

  // Whether anybody listens: without it do not even make an event.
  bool heard() const { return heard_.load(std::memory_order_relaxed); }

  // Holding a Pass, and the lock of the event's queue, which is what keeps a queue's events in order. Told
  // after the open group is committed; never if that fails.
  void emit(Event event);

  // kOverloaded if no thread can be had.
  Result<Subscription> subscribe(EventFilter filter, EventCallback callback);

  // Subscribers are told what is in their buffers and nothing more. The pipeline has stopped.
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
