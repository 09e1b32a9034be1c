#include <algorithm>
#include <numeric>

#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

ReceiptCheck QueueState::check_free(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) return is_untouched(seq) ? ReceiptCheck::kValid : ReceiptCheck::kGone;
  switch (chunk->second.entry(seq - chunk->first).state) {
    case EntryState::kFresh:
    case EntryState::kReady:
    case EntryState::kWaiting:
      return ReceiptCheck::kValid;
    case EntryState::kLeased:
    case EntryState::kExhausted:
      return ReceiptCheck::kStale;
    case EntryState::kDone:
      break;
  }
  return ReceiptCheck::kGone;
}

QueueState::Window::iterator QueueState::make_island(const ChunkSpan& span) {
  if (groups_ || timed_) unread_.insert(span.first);
  remove_ahead(span.first);
  return window_.emplace(span.first, enter_window(span)).first;
}

void QueueState::remove(Seq seq, const ChunkSpan& span) {
  auto chunk = chunk_of(seq);
  if (chunk == window_.end()) chunk = make_island(span);
  finish(chunk, seq);
}

bool QueueState::remove_untouched(const ChunkSpan& span) {
  if (span.first < cursor_ || window_.contains(span.first) || groups_) return false;
  remove_ahead(span.first);
  fresh_ -= span.count;
  dead_ -= span.count;
  const auto bytes = std::accumulate(span.sizes.begin(), span.sizes.end(), std::uint64_t{0});
  bytes_ -= bytes;
  ready_bytes_ -= bytes;
  note_finished({span, ChunkState::RowPuts::kNone, true});
  changes_.settled_dead_chunks.push_back(span);
  return true;
}

}  // namespace holdfast
