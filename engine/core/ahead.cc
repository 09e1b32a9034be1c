#include <algorithm>

#include "core/queue_state.h"
#include "core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {

std::optional<Seq> QueueState::load_from() const {
  if (!unread_.empty()) return ahead_end_;
  if (groups_ && groups_->ready() >= limits::kGroupLookahead) return std::nullopt;
  const bool in_memory =
      chunk_of(cursor_) != window_.end() || next_island() != window_.end() || !ahead_.empty();
  if (in_memory || ahead_end_ == next_seq_) return std::nullopt;
  return ahead_end_;
}

void QueueState::add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end) {
  if (load_from() != from) return;
  // Read before grouping was turned on: to be read again.
  if (groups_ && std::ranges::any_of(chunks, [](const auto& chunk) { return chunk.groups.empty(); })) return;
  for (const ChunkSpan& chunk : chunks) {
    if (!window_.contains(chunk.first) && is_untouched(chunk.first)) ahead_.push_back(chunk);
  }
  ahead_end_ = end;
}

void QueueState::remove_ahead(Seq first) {
  ahead_.erase(std::remove_if(ahead_.begin(), ahead_.end(),
                              [&](const ChunkSpan& chunk) { return chunk.first == first; }),
               ahead_.end());
}

}  // namespace holdfast
