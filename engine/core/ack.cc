#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

void QueueState::ack(Seq seq, Timestamp now) {
  ++totals_.acked;
  const auto chunk = chunk_of(seq);
  if (chunk->second.replayed) {
    acked_replays_.push_back({chunk->first, static_cast<std::uint32_t>(seq - chunk->first), now});
  }
  finish(chunk, seq);
}

}  // namespace holdfast
