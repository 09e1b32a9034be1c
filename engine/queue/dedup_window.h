// What a queue remembers of the messages that it took lately, so that one sent again is known. The rows are
// in `dedup`, in buckets: rows of a bucket were written after its start and before the next one's, so a
// bucket is forgotten as one range. In memory are the starts of the buckets, and the rows that a lookup may
// have missed:
//   - a caller begins a lookup, reads the store, without a lock, and decides under the queue's lock;
//   - rows that were committed after a lookup began stay in memory until it ends.
// Thread-safe on its own, since a lookup begins and ends without the queue's lock.
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

  // Recovery: the starts of the buckets that the store has, ascending. When the last of them got its last row
  // is not known, so it is taken to be as late as it can be: `now` or, as the clock may have been set back
  // since, the end of that bucket.
  void restore(std::vector<Timestamp> buckets, Duration length, Timestamp now);
  void set_length(Duration length);

  // Held from before the store is read until the decision is made.
  class Lookup {
   public:
    explicit Lookup(DedupWindow& window);
    ~Lookup();
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;

    // Where to look, newest first.
    const std::vector<Timestamp>& buckets() const { return buckets_; }

   private:
    DedupWindow& window_;
    std::multiset<GroupNumber>::iterator place_;
    std::vector<Timestamp> buckets_;
  };

  // Under the queue's lock: the message that was sent with this key less than the window before `now`.
  // `stored` is what a lookup found.
  std::optional<DedupRow> find(const DedupKey& key, const std::optional<DedupRow>& stored,
                               Timestamp now) const;
  // Under the queue's lock: the row is in the open group. Gives the bucket that it goes to.
  Timestamp add(const DedupKey& key, const DedupRow& row, GroupNumber group);

  // Forgets the buckets that are over by `now`. Gives the end of the range to be removed, if any are.
  std::optional<Timestamp> expire(Timestamp now);
  // When expire() next has something to do.
  Timestamp next_due() const;
  // Forgets everything. False if there was nothing.
  bool clear();

 private:
  Timestamp end_of_first() const HOLDFAST_REQUIRES(mutex_);
  void drop_committed() HOLDFAST_REQUIRES(mutex_);

  const CommitPipeline& pipeline_;
  mutable sync::Mutex mutex_;
  Duration length_ HOLDFAST_GUARDED_BY(mutex_){};
  std::vector<Timestamp> buckets_ HOLDFAST_GUARDED_BY(mutex_);
  Timestamp newest_ HOLDFAST_GUARDED_BY(mutex_){};  // of the last row

  struct Recent {
    DedupRow row;
    GroupNumber group;
  };
  std::unordered_map<DedupKey, Recent, DedupKeyHash> recent_ HOLDFAST_GUARDED_BY(mutex_);
  std::list<std::pair<GroupNumber, DedupKey>> recent_order_ HOLDFAST_GUARDED_BY(mutex_);
  std::multiset<GroupNumber> lookups_ HOLDFAST_GUARDED_BY(mutex_);  // what was committed when each began
};

}  // namespace holdfast
