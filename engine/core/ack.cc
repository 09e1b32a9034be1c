#include "core/queue_state.h"

namespace holdfast {

void QueueState::ack(Seq seq) {
  ++totals_.acked;
  finish(chunk_of(seq), seq);
}

}  // namespace holdfast
