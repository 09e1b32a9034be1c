#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

bool QueueState::begin(Seq seq, Timestamp now) {
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  // Also of one that has begun: a begin whose answer was lost is repeated, and its message may be handled
  // from then on. Never earlier: its holder may have extended it for longer.
  const Timestamp until = now + std::chrono::milliseconds(entry.renewal_ms);
  if (entry.renewal_ms > 0 && until > entry.due) end_lease_at(chunk, entry, until);
  if (!entry.prefetched) return false;
  entry.prefetched = false;
  ++entry.deliveries;
  touch(chunk);
  return true;
}

}  // namespace holdfast
