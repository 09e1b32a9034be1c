#include "engine/core/delivery_order.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {

void DeliveryOrder::set_grouping(Grouping grouping, ChunkLog& log) {
  if (grouping == this->grouping()) return;
  groups_.reset();
  unread_.clear();
  if (grouping != Grouping::kNone) groups_ = std::make_unique<GroupIndex>(grouping);
  // The log forgets what is ahead, so that the store is asked again, this time for the groups too.
  log.forget_groups();
  for (const auto& [first, chunk] : log.window()) {
    if (groups_ || (timed_ && chunk.sent_at == Timestamp{})) unread_.insert(first);
  }
  HOLDFAST_CHECK(groups_ || timed_ || unread_.empty(),
                 "a chunk is to be read only for its groups or its time");
}

void DeliveryOrder::set_timed(bool timed, const ChunkLog& log) {
  if (timed == timed_) return;
  timed_ = timed;
  for (const auto& [first, chunk] : log.window()) {
    if (timed && chunk.sent_at == Timestamp{}) unread_.insert(first);
  }
  if (!timed && !groups_) unread_.clear();
  HOLDFAST_CHECK(groups_ || timed_ || unread_.empty(),
                 "a chunk is to be read only for its groups or its time");
}

void DeliveryOrder::purge() {
  unread_.clear();
  if (groups_) groups_ = std::make_unique<GroupIndex>(groups_->grouping());
}

void DeliveryOrder::set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups, ChunkLog& log) {
  if (!unread_.contains(first)) return;
  const auto found = log.window().chunk_at(first);
  HOLDFAST_CHECK(found != log.window().end(), "a chunk that is to be read is in the window");
  if (found->second.count() != groups.size()) return;
  unread_.erase(first);
  ChunkState& chunk = found->second;
  chunk.sent_at = sent_at;
  // If the groups are known, only the time was to be read.
  if (!groups_ || !chunk.groups.empty()) return;
  chunk.groups = std::move(groups);
  for (std::size_t i = 0; i < chunk.entries.size(); ++i) {
    const EntryState state = chunk.entries[i].state;
    if (state == EntryState::kFresh || state == EntryState::kDone) continue;
    groups_->change(chunk.groups[i], first + i, EntryState::kFresh, state);
  }
}

std::optional<Seq> DeliveryOrder::load_from(const ChunkLog& log) const {
  if (!unread_.empty()) return log.ahead_end();
  if (groups_ && groups_->ready() >= limits::kGroupLookahead) return std::nullopt;
  return log.load_from();
}

void DeliveryOrder::add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end, ChunkLog& log) const {
  if (load_from(log) != from) return;
  // If grouping was turned on or off since these were read, they are read again.
  const bool were_grouped = groups_ != nullptr;
  if (std::ranges::any_of(chunks, [&](const auto& chunk) { return chunk.groups.empty() == were_grouped; }))
    return;
  log.add_ahead(chunks, end);
}

}  // namespace holdfast
