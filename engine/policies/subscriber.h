// A Subscriber is one subscription: its buffer, and the thread that passes its events to the callback.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "engine/commit/commit_group.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"
#include "holdfast/event.h"

namespace holdfast {

class Subscriber : public std::enable_shared_from_this<Subscriber> {
 public:
  // The subscriber is told of what groups after `since` commit.
  Subscriber(EventFilter filter, EventCallback callback, GroupNumber since)
      : filter_(std::move(filter)), callback_(std::move(callback)), since_(since) {}
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  // Starts the thread. kOverloaded if the system gives none.
  Result<void> start();
  GroupNumber since() const { return since_; }
  // Puts an event into the buffer, without waiting for the callback. An event that does not fit is counted,
  // and told as kMissed in its place.
  void offer(const Event& event);
  // Says that no more events come. The thread ends when the buffer is empty.
  void finish();
  // Forgets the buffer and waits for the callback, unless it is called on the callback's thread.
  void cancel();

 private:
  bool wants(const Event& event) const;
  void run();

  const EventFilter filter_;
  const EventCallback callback_;
  const GroupNumber since_;
  sync::Mutex mutex_;
  sync::ConditionVariable wake_;
  std::deque<Event> buffer_ HOLDFAST_GUARDED_BY(mutex_);
  bool finished_ HOLDFAST_GUARDED_BY(mutex_) = false;
  sync::Thread thread_;
};

}  // namespace holdfast
