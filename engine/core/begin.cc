#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

bool QueueState::begin(Seq seq) {
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  if (!entry.prefetched) return false;
  entry.prefetched = false;
  ++entry.deliveries;
  touch(chunk);
  return true;
}

}  // namespace holdfast
