// Rejects one message, in the steps that the verb and a transaction share. They are defined in
// messages/reject.cc.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/core/seq_math.h"
#include "engine/engine/engine_impl.h"
#include "engine/queue/failures.h"

namespace holdfast {

// A RejectCandidate is a delivery to reject, with what is needed to move its message.
struct RejectCandidate {
  Receipt receipt;
  ChunkSpan span;
  std::uint32_t bytes = 0;  // of body and attributes
  // `told` has the failures before this one. What was said of them is read without locks. It is committed,
  // since the hand-out that followed it is.
  ToldFailures told = {};
  // The message that moves is the one at `index` of `chunk`, which is read without locks.
  std::shared_ptr<const Chunk> chunk = {};
  std::uint32_t index = 0;

  MessageRef ref() const { return {span.first, static_cast<std::uint32_t>(receipt.seq - span.first)}; }
  // Lets go of what was read, once the message has moved.
  void let_go() {
    chunk = nullptr;
    told.said.clear();
  }
  void set_chunk(std::shared_ptr<const Chunk> stored) {
    chunk = std::move(stored);
    index = ref().index;
  }
};

// Returns a candidate without its chunk, or the error of the receipt if it is not valid.
Result<RejectCandidate> find_reject_candidate(const Queue& queue, const Receipt& receipt)
    HOLDFAST_REQUIRES(queue.mutex);

// `target` is the dead letter queue, or null if there is none. check_reject() says whether the candidate can
// be rejected, and apply_reject() rejects it under the same locks. Without a dead letter queue, neither needs
// the body or the attributes.
Result<void> check_reject(const Queue& queue, const Queue* target, const RejectCandidate& candidate)
    HOLDFAST_REQUIRES(queue.mutex, target->mutex);
void apply_reject(Engine::Impl& engine, Queue& queue, Queue* target, const RejectCandidate& candidate,
                  const Rejection& rejection, Timestamp time) HOLDFAST_REQUIRES(queue.mutex, target->mutex)
    HOLDFAST_REQUIRES_SHARED(inside_gate);

}  // namespace holdfast
