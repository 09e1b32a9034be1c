// The window is what a queue remembers of the messages that it took lately, so that it knows one that is
// sent again. The rows lie in `dedup`, in buckets. The rows of a bucket were written after its start and
// before the start of the following bucket, so a bucket is forgotten as one range. Memory has the starts of
// the buckets, and those rows that a lookup may have missed:
//  - A caller begins a lookup, reads the store without a lock, and decides under the queue's lock.
//  - Rows that are committed after a lookup began stay in memory until it ends.
// The class is thread-safe by itself, because a lookup begins and ends without the queue's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/codec/rows/dedup_row.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/sync/mutex.h"
#include "holdfast/time.h"

namespace holdfast {

class DedupWindow {
 public:
  explicit DedupWindow(const CommitPipeline& pipeline) : pipeline_(pipeline) {}

  // Takes, when the queue is opened, the starts of the buckets that the store has, in ascending order. It is
  // not known when the last bucket got its last row. Therefore that time is taken to be as late as it can be:
  // `now`, or the end of that bucket, since the clock may have been set back.
  void restore(std::vector<Timestamp> buckets, Duration length, Timestamp now);
  void set_length(Duration length);

  // The caller keeps a Lookup from before it reads the store until it has decided.
  class Lookup {
   public:
    explicit Lookup(DedupWindow& window);
    ~Lookup();
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;

    // Returns the buckets to look in, the newest first.
    const std::vector<Timestamp>& buckets() const { return buckets_; }

   private:
    DedupWindow& window_;
    std::multiset<GroupNumber>::iterator place_;
    std::vector<Timestamp> buckets_;
  };

  // Forgets the buckets that are over by `now`. Returns the end of the range of rows to be removed, or
  // nothing if no bucket is over.
  std::optional<Timestamp> expire(Timestamp now);
  // Returns when expire() has something to do next, or max().
  Timestamp next_due() const;
  // Forgets everything. Returns false if there was nothing to forget.
  bool clear();

 private:
  // find() and add() need the queue's lock, whose mutex the window does not know. So only SendMemory may call
  // them, a part of the queue that the same mutex guards.
  friend class SendMemory;
  // Returns the row of the message that was sent with this key less than the window's length before `now`, or
  // nothing. `stored` is what a lookup found.
  std::optional<DedupRow> find(const DedupKey& key, const std::optional<DedupRow>& stored,
                               Timestamp now) const;
  // Remembers a row that goes with the open group, and returns the bucket that the row belongs to.
  Timestamp add(const DedupKey& key, const DedupRow& row, GroupNumber group);

  Timestamp end_of_first() const HOLDFAST_REQUIRES(mutex_);
  void drop_committed() HOLDFAST_REQUIRES(mutex_);

  const CommitPipeline& pipeline_;
  mutable sync::Mutex mutex_;
  Duration length_ HOLDFAST_GUARDED_BY(mutex_){};
  std::vector<Timestamp> buckets_ HOLDFAST_GUARDED_BY(mutex_);
  Timestamp newest_ HOLDFAST_GUARDED_BY(mutex_){};  // sent_at of the last row

  struct Recent {
    DedupRow row;
    GroupNumber group;
  };
  std::unordered_map<DedupKey, Recent, DedupKeyHash> recent_ HOLDFAST_GUARDED_BY(mutex_);
  std::list<std::pair<GroupNumber, DedupKey>> recent_order_ HOLDFAST_GUARDED_BY(mutex_);
  std::multiset<GroupNumber> lookups_ HOLDFAST_GUARDED_BY(mutex_);  // last_committed() when each began
};

}  // namespace holdfast
