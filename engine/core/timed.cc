// When the next message was sent, for queues whose priorities age.
#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

void QueueState::set_timed(bool timed) {
  if (timed == timed_) return;
  timed_ = timed;
  for (const auto& [first, chunk] : window_) {
    if (timed && chunk.sent_at == Timestamp{}) unread_.insert(first);
  }
  if (!timed && !groups_) unread_.clear();
}

std::optional<Timestamp> QueueState::head_sent_at() const {
  if (!unread_.empty()) return std::nullopt;
  if (!returned_.empty()) return window_.find(*returned_.begin())->second.sent_at;
  if (const auto chunk = chunk_of(cursor_); chunk != window_.end()) return chunk->second.sent_at;
  if (const auto island = next_island(); island != window_.end()) return island->second.sent_at;
  if (!ahead_.empty()) return ahead_.front().sent_at;
  return std::nullopt;
}

}  // namespace holdfast
