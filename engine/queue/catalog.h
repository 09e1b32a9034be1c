// The catalog has an engine's queues by name and id. Looking one up is thread-safe and never waits for I/O.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/queue/queue.h"
#include "engine/services/engine_clock.h"
#include "engine/services/replay_tallies.h"
#include "engine/sync/mutex.h"

namespace holdfast {

class Catalog {
 public:
  explicit Catalog(EngineClock& clock) : clock_(clock) {}

  // Returns the clock that all queues go by.
  EngineClock& clock() const { return clock_; }

  // Returns the counts of what became of the messages that were redriven, from any queue to any queue.
  ReplayTallies& replay_tallies() const { return replay_tallies_; }

  // Returns the queue of that name. kQueueNotFound.
  Result<std::shared_ptr<Queue>> find(std::string_view name) const;
  // Returns the queue of that id, or null.
  std::shared_ptr<Queue> find(QueueId id) const;
  // Returns all queues, sorted by name.
  std::vector<std::shared_ptr<Queue>> all() const;

  // begin_steps() and next_step() number the steps of all journals in the order in which they happen, also
  // over openings of the directory. Any thread may call them.
  void begin_steps(std::uint64_t epoch) { next_step_ = epoch << 40; }
  std::uint64_t next_step() const { return next_step_.fetch_add(1, std::memory_order_relaxed); }

  void add(std::shared_ptr<Queue> queue);
  void remove(const Queue& queue);

 private:
  EngineClock& clock_;
  mutable ReplayTallies replay_tallies_;
  mutable std::atomic<std::uint64_t> next_step_ = 0;
  mutable sync::SharedMutex mutex_;
  std::map<std::string, std::shared_ptr<Queue>, std::less<>> by_name_ HOLDFAST_GUARDED_BY(mutex_);
  std::unordered_map<QueueId, std::shared_ptr<Queue>> by_id_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
