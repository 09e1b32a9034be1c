// Handing messages out by groups: the cursor runs ahead of what is handed out, and what it passes is ready,
// in the group index, until its group is free. Chunks whose groups are not known, since they were recovered
// or came before grouping was turned on, are unread until set_contents() tells.
#include "engine/core/queue_state.h"

#include <utility>

#include "engine/core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {

std::vector<Grant> QueueState::receive_grouped(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  std::vector<Grant> grants;
  if (!unread_.empty()) return grants;
  if (grouping() == Grouping::kFair) look_ahead(groups_->deliverable() + kFairStep);
  while (grants.size() < max && !budget.spent()) {
    look_ahead(max - grants.size());
    const std::vector<Seq> seqs = groups_->next(max - grants.size());
    if (seqs.empty()) break;
    for (const Seq seq : seqs) {
      const auto chunk = chunk_of(seq);
      const auto index = static_cast<std::uint32_t>(seq - chunk->first);
      if (!budget.take(chunk->second.entries[index].bytes)) break;
      lease(chunk, index, terms, grants);
      schedule(chunk, terms.until);
    }
  }
  return grants;
}

void QueueState::look_ahead(std::size_t deliverable) {
  const auto enough = [&] {
    return groups_->deliverable() >= deliverable || groups_->ready() >= limits::kGroupLookahead;
  };
  while (!enough()) {
    const auto chunk = chunk_at_cursor();
    if (chunk == window_.end()) return;
    auto& entries = chunk->second.entries;
    auto index = static_cast<std::uint32_t>(cursor_ - chunk->first);
    for (; index < entries.size() && !enough(); ++index) {
      if (entries[index].state == EntryState::kFresh) set_state(chunk, entries[index], EntryState::kReady);
    }
    cursor_ = chunk->first + index;
  }
}

void QueueState::set_grouping(Grouping grouping) {
  if (grouping == this->grouping()) return;
  groups_.reset();
  unread_.clear();
  if (grouping != Grouping::kNone) groups_.emplace(grouping);
  for (ChunkSpan& span : open_) span.groups.clear();
  for (auto& [first, chunk] : window_) {
    chunk.groups.clear();
    if (groups_ || (timed_ && chunk.sent_at == Timestamp{})) unread_.insert(first);
  }
  // The store is asked again, this time for the groups too.
  ahead_.clear();
  const auto chunk = chunk_of(cursor_);
  ahead_end_ = chunk == window_.end() ? cursor_ : chunk->first + chunk->second.count();
}

std::vector<Seq> QueueState::unread(std::size_t max) const {
  std::vector<Seq> result;
  for (auto first = unread_.begin(); first != unread_.end() && result.size() < max; ++first) {
    result.push_back(*first);
  }
  return result;
}

void QueueState::set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups) {
  const auto chunk = window_.find(first);
  if (!unread_.contains(first) || chunk->second.count() != groups.size()) return;
  unread_.erase(first);
  chunk->second.sent_at = sent_at;
  if (!groups_) return;
  chunk->second.groups = std::move(groups);
  for (std::size_t i = 0; i < chunk->second.entries.size(); ++i) {
    const EntryState state = chunk->second.entries[i].state;
    if (state == EntryState::kFresh || state == EntryState::kDone) continue;
    groups_->change(chunk->second.groups[i], first + i, EntryState::kFresh, state);
  }
}

}  // namespace holdfast
