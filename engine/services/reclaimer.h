// Gives the disk space of removed messages back. RocksDB compacts a table when new ones arrive beside it, and
// a queue that was drained brings none: without this its tables would stay.
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
  // What may lie around before it is worth a compaction, in bytes of one queue.
  static constexpr std::uint64_t kGarbageBytes = 16 << 20;
  // The same while less space than the reserve is free: consumers wait for what they have freed.
  static constexpr std::uint64_t kGarbageBytesWhenShort = 1 << 20;

  // `threaded`: compacts on a thread of its own; otherwise within consider().
  Reclaimer(Store& store, bool threaded) : store_(store), threaded_(threaded) {}
  ~Reclaimer() { stop(); }
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  // Nothing of the queue from `begin` to before `head` is there any more: compacts what is still on disk of
  // it, if that is `least` bytes or more.
  void consider(QueueId queue, Seq begin, Seq head, std::uint64_t least);
  // The queue was deleted or purged.
  void consider_all(QueueId queue);
  // Nothing is there any more from `begin` to before `end`.
  void consider_rows(Family family, std::string begin, std::string end);
  // Compacts what is on disk of the queue from `begin` to before `end`, alive or not.
  void compact_range(QueueId queue, Seq begin, Seq end);
  // Breaks off what is going on.
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
