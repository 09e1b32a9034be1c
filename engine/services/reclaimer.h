// Gives the disk space of removed messages back. RocksDB compacts a table only when new tables arrive beside
// it. A queue that was drained brings none, so without a reclaimer its tables would stay.
#pragma once

#include <atomic>
#include <deque>
#include <string>

#include "engine/storage/store.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"
#include "holdfast/ids.h"

namespace holdfast {

class Reclaimer {
 public:
  // This many bytes of one queue may lie around before a compaction is worthwhile.
  static constexpr std::uint64_t kGarbageBytes = 16 << 20;
  // This many bytes may lie around while less space than the reserve is free, because consumers then wait for
  // the space that they have freed.
  static constexpr std::uint64_t kGarbageBytesWhenShort = 1 << 20;

  // Compacts on a thread of its own if `threaded`, and otherwise within each call.
  Reclaimer(Store& store, bool threaded) : store_(store), threaded_(threaded) {}
  ~Reclaimer() { stop(); }
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  // Compacts what is still on disk of the queue from `begin` to before `head`, where no message exists any
  // more, if it is at least `least` bytes.
  void consider(QueueId queue, Seq begin, Seq head, std::uint64_t least);
  // Compacts what a queue that was deleted or purged left on disk, in each family in which that is at least
  // kGarbageBytes.
  void consider_all(QueueId queue);
  // Compacts the rows from `begin` to before `end`, none of which exists any more, if they take at least
  // kGarbageBytes.
  void consider_rows(Family family, std::string begin, std::string end);
  // Compacts what is on disk of the queue from `begin` to before `end`, whether its messages exist or not.
  void compact_range(QueueId queue, Seq begin, Seq end);
  // Breaks off a compaction in progress, and ends the thread.
  void stop();

 private:
  struct ReclaimRequest {
    Family family;
    std::string begin;
    std::string end;
  };

  void request(ReclaimRequest request);
  void start_thread() HOLDFAST_REQUIRES(mutex_);
  void compact(const ReclaimRequest& request);
  void run();

  Store& store_;
  const bool threaded_;
  sync::Mutex mutex_;
  sync::ConditionVariable wake_;
  std::deque<ReclaimRequest> requests_ HOLDFAST_GUARDED_BY(mutex_);
  std::atomic<bool> stopping_ = false;
  sync::Thread thread_ HOLDFAST_GUARDED_BY(mutex_);  // started by the first request
};

}  // namespace holdfast
