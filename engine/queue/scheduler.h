// The scheduler knows which queues have something due, and when. An entry may be early and is never late.
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
  // Has the queue looked at no later than `due`.
  void schedule(const std::shared_ptr<Queue>& queue, Timestamp due);
  // Forgets a queue that has nothing due any more.
  void forget(const std::shared_ptr<Queue>& queue);
  // Returns the queues that are to be looked at by `now`, and forgets them.
  std::vector<std::shared_ptr<Queue>> take_due(Timestamp now);
  Timestamp next_due() const;

  // Blocks until something is due before `planned`, until wake() or stop() is called, or until `at_most` of
  // real time is over.
  void sleep(Timestamp planned, Duration at_most);
  // Ends the present sleep, or the next one, because there is something to do that concerns no queue.
  void wake();
  void stop();

 private:
  using Entry = std::pair<Timestamp, std::shared_ptr<Queue>>;
  // Of two queues that are due at one time, the one that was created first goes first. In the order of their
  // addresses no run would repeat another.
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
