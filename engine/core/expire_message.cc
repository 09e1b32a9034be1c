#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

void QueueState::expire_message(Seq seq, const ChunkSpan& span) {
  if (check_free(seq) == ReceiptCheck::kGone) return;
  auto chunk = chunk_of(seq);
  if (chunk == window_.end()) chunk = make_island(span);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  switch (entry.state) {
    case EntryState::kFresh:
    case EntryState::kReady:
    case EntryState::kWaiting:
      entry.expired = true;
      return set_state(chunk, entry, EntryState::kExhausted);
    case EntryState::kLeased:
      entry.expired = true;
      return touch(chunk);
    case EntryState::kExhausted:
    case EntryState::kDone:
      return;
  }
}

}  // namespace holdfast
