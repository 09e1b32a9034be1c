// The state as a checkpoint and the rows of `deliveries` have it.
#include "engine/core/queue_state.h"

#include <algorithm>
#include <utility>

#include "engine/core/seq_math.h"

namespace holdfast {

QueueState::QueueState(Seq next_seq, Seq cursor, std::uint64_t fresh, std::uint64_t dead, QueueTotals totals,
                       Schedule scheduled, std::uint64_t bytes)
    : next_seq_(next_seq),
      cursor_(cursor),
      ahead_end_(cursor),
      scheduled_(scheduled),
      fresh_(fresh),
      dead_(dead),
      bytes_(bytes),
      ready_bytes_(bytes),
      totals_(totals) {}

void QueueState::restore_chunk(Seq first, ChunkState chunk) {
  const auto it = window_.emplace(first, std::move(chunk)).first;
  const ChunkState& state = it->second;
  const Seq end = first + state.entries.size();
  if (first <= cursor_ && cursor_ < end) ahead_end_ = end;

  Timestamp next = Timestamp::max();
  for (std::uint64_t i = 0; i < state.entries.size(); ++i) {
    const Entry& entry = state.entries[i];
    const bool held = entry.state != EntryState::kFresh && entry.state != EntryState::kReady;
    if (held && entry.state != EntryState::kDone) ready_bytes_ -= entry.bytes;
    if (entry.state == EntryState::kLeased) ++leased_;
    if (entry.state == EntryState::kWaiting || entry.state == EntryState::kExhausted) ++waiting_;
    if (entry.state == EntryState::kExhausted) leaving_bytes_ += entry.bytes;
    if (entry.to_tail) tailing_.insert(first + i);
    const bool timed = entry.state == EntryState::kLeased || entry.state == EntryState::kWaiting;
    if (timed && !entry.to_tail) next = std::min(next, entry.due);
    // Those that do not wait that long are sorted out when they are looked at.
    if (entry.state == EntryState::kWaiting && !entry.to_tail && !state.dead_letters) far_.insert(first + i);
    if (entry.state == EntryState::kExhausted) exhausted_.insert(first + i);
  }
  if (groups_ || timed_) unread_.insert(first);
  returned_count_ += state.ready;
  if (state.ready > 0) returned_.insert(first);
  reschedule(it, next);
  note_sparse(first, state);
  pack(first);
}

}  // namespace holdfast
