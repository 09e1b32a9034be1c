// Which queue has something due when. Lazy: an entry may be early, never late.
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/queue/queue.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "holdfast/time.h"

namespace holdfast {

class Scheduler {
 public:
  // Looks at the queue no later than `due`.
  void schedule(const std::shared_ptr<Queue>& queue, Timestamp due);
  // It has nothing due any more.
  void forget(const std::shared_ptr<Queue>& queue);
  // The queues to be looked at by `now`; they are scheduled no more.
  std::vector<std::shared_ptr<Queue>> take_due(Timestamp now);
  Timestamp next_due() const;

  // Blocks until something is due before `planned`, wake() or stop() was called, or `at_most` of real time is
  // over.
  void sleep(Timestamp planned, Duration at_most);
  // Ends the sleep, or the next one: there is something to do that is no queue's.
  void wake();
  void stop();

 private:
  using Entry = std::pair<Timestamp, std::shared_ptr<Queue>>;
  // Of what is due at one time the queue that was created first: in the order of addresses no run would
  // repeat another.
  struct Earlier {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.first != b.first ? a.first < b.first : a.second->id < b.second->id;
    }
  };

  mutable sync::Mutex mutex_;
  sync::ConditionVariable wake_;
  std::set<Entry, Earlier> entries_ HOLDFAST_GUARDED_BY(mutex_);
  bool woken_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast
