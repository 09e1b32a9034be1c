#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

void QueueState::extend(Seq seq, Timestamp until) {
  const auto chunk = chunk_of(seq);
  chunk->second.entries[seq - chunk->first].due = until;
  touch(chunk);
  schedule(chunk, until);
}

}  // namespace holdfast
