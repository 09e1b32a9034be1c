// Rejecting one message, in the steps that the verb and a transaction share. Defined in verbs/reject.cc.
#pragma once

#include <memory>

#include "core/seq_math.h"
#include "runtime/engine_impl.h"

namespace holdfast {

// A delivery to reject, with what is needed to move its message.
struct RejectCandidate {
  Receipt receipt;
  ChunkSpan span;
  std::shared_ptr<const Chunk> chunk;

  Doomed doomed() const { return {span.first, static_cast<std::uint32_t>(receipt.seq - span.first)}; }
};

// Without locks: may read from disk. The receipt's error if it is not valid.
Result<RejectCandidate> load_reject_candidate(Engine::Impl& engine, Queue& queue, const Receipt& receipt);

// Holding the locks of the queue and of its dead letter queue, null if it has none. apply_reject takes what
// check_reject let pass under the same locks.
Result<void> check_reject(const Queue& queue, const Queue* target, const RejectCandidate& candidate);
void apply_reject(Engine::Impl& engine, Queue& queue, Queue* target, const RejectCandidate& candidate,
                  const Rejection& rejection, Timestamp time);

}  // namespace holdfast
