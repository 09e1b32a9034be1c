// When the next message was sent, for queues whose priorities age.
#include <algorithm>
#include <utility>

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

QueueState::Window::const_iterator QueueState::pass_taken() {
  for (;;) {
    auto chunk = std::as_const(*this).chunk_of(cursor_);
    if (chunk == window_.end()) chunk = next_island();
    if (chunk == window_.end()) return chunk;
    const auto& [first, state] = *chunk;
    cursor_ = std::max(cursor_, first);
    const Seq end = first + state.count();
    while (cursor_ < end && state.entry(cursor_ - first).state != EntryState::kFresh) cursor_ = cursor_ + 1;
    if (cursor_ < end) return chunk;
  }
}

std::optional<Timestamp> QueueState::head_sent_at() {
  if (!unread_.empty()) return std::nullopt;
  if (!returned_.empty()) return window_.find(*returned_.begin())->second.sent_at;
  if (const auto chunk = pass_taken(); chunk != window_.end()) return chunk->second.sent_at;
  if (!ahead_.empty()) return ahead_.front().sent_at;
  return std::nullopt;
}

}  // namespace holdfast
