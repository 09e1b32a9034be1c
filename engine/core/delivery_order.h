// A DeliveryOrder is the order in which one lane hands messages out if not in that of the log: by groups on a
// queue with grouping, and by time against other lanes on a queue whose priorities age. Before anything is
// handed out, the groups and times of each chunk of the window must be known. Chunks that were recovered, or
// that entered the window before the option was turned on, are unread until set_contents() tells.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/core/chunk_log.h"
#include "engine/core/group_index.h"
#include "holdfast/queue.h"

namespace holdfast {

class DeliveryOrder {
 public:
  Grouping grouping() const { return groups_ ? groups_->grouping() : Grouping::kNone; }
  // Returns the index of the messages of the window that are neither fresh nor done, or null without
  // grouping.
  GroupIndex* groups() { return groups_.get(); }
  const GroupIndex* groups() const { return groups_.get(); }

  void set_grouping(Grouping grouping, ChunkLog& log);
  // Sets whether the head of the lane is compared with the heads of other lanes by time.
  void set_timed(bool timed, const ChunkLog& log);

  // enter() says that a chunk entered the window without its contents; leave(), that it leaves the window.
  void enter(Seq first) {
    if (groups_ || timed_) unread_.insert(first);
  }
  void leave(Seq first) { unread_.erase(first); }
  void purge();

  // Returns the chunks of the window that must be read before anything is handed out, the lowest seq first.
  const std::set<Seq>& unread() const { return unread_; }
  bool is_unread(Seq first) const { return unread_.contains(first); }
  // Tells when the first message of an unread chunk was sent, and the groups of its messages. A chunk that is
  // no longer unread is left as it is.
  void set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups, ChunkLog& log);

  // Returns ChunkLog::load_from() as far as this order needs more chunks. While a chunk is unread it returns
  // a seq too, and unread() must be read first.
  std::optional<Seq> load_from(const ChunkLog& log) const;
  // Adds the store's chunks from `from` on. If load_from() says another seq by now, somebody else was faster,
  // and nothing changes.
  void add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end, ChunkLog& log) const;

 private:
  std::unique_ptr<GroupIndex> groups_;  // on the heap, since most queues have no groups
  bool timed_ = false;
  std::set<Seq> unread_;  // chunks of the window that groups_ lacks, or whose time is not known
};

}  // namespace holdfast
