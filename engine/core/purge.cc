#include "core/queue_state.h"

namespace holdfast {

std::uint64_t QueueState::purge() {
  const QueueCounts before = counts();
  window_.clear();
  ahead_.clear();
  returned_.clear();
  timers_.clear();
  exhausted_.clear();
  far_.clear();
  tailing_.clear();
  sparse_.clear();
  scheduled_.purge();
  unread_.clear();
  if (groups_) groups_.emplace(groups_->grouping());
  open_.clear();
  cursor_ = ahead_end_ = next_seq_;
  fresh_ = returned_count_ = waiting_ = leased_ = dead_ = 0;
  bytes_ = ready_bytes_ = leaving_bytes_ = 0;
  changes_ = {};
  changes_.purged_before = next_seq_;
  return before.ready + before.waiting + before.leased;
}

}  // namespace holdfast
