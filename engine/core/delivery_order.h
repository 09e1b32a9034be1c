// In which order the messages of one lane are handed out, beside the order of the log: by groups, on a queue
// with grouping, and by time against other lanes, on a queue whose priorities age. Both need to be known of
// each chunk of the window before anything is handed out; chunks that were recovered, or came before the
// option was turned on, are unread until set_contents() tells.
#pragma once

#include <cstddef>
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
  // Null without grouping. It has the messages of the window that are neither fresh nor done.
  GroupIndex* groups() { return groups_ ? &*groups_ : nullptr; }
  const GroupIndex* groups() const { return groups_ ? &*groups_ : nullptr; }

  void set_grouping(Grouping grouping, ChunkLog& log);
  // Whether the lane's head is compared with those of other lanes by time.
  void set_timed(bool timed, const ChunkLog& log);

  // A chunk entered the window without its contents, or leaves it.
  void enter(Seq first) {
    if (groups_ || timed_) unread_.insert(first);
  }
  void leave(Seq first) { unread_.erase(first); }
  void purge();

  // Chunks of the window of which more must be known before anything is handed out, lowest seq first.
  const std::set<Seq>& unread() const { return unread_; }
  bool is_unread(Seq first) const { return unread_.contains(first); }
  // Of a chunk that is unread; ignored if it isn't any more.
  void set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups, ChunkLog& log);

  // As ChunkLog::load_from(), for what is handed out in this order.
  std::optional<Seq> load_from(const ChunkLog& log) const;
  // The store's chunks from `from` on. Ignored when `from` is not what load_from() says now, since somebody
  // else was faster.
  void add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end, ChunkLog& log) const;

 private:
  std::optional<GroupIndex> groups_;
  bool timed_ = false;
  std::set<Seq> unread_;  // chunks of the window whose groups are not in groups_, or that lack their time
};

}  // namespace holdfast
