// Rejecting one message, in the steps that the verb and a transaction share. Defined in messages/reject.cc.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/core/seq_math.h"
#include "engine/engine/engine_impl.h"

namespace holdfast {

// A delivery to reject, with what is needed to move its message.
struct RejectCandidate {
  Receipt receipt;
  ChunkSpan span;
  std::uint32_t bytes = 0;  // of body and attributes
  // Its failures before this one. What was said of them is read without locks: it is committed, since the
  // hand-out is that followed.
  ToldFailures told = {};
  // Of what is moved: the message at `index` of `chunk`, which is read without locks.
  std::shared_ptr<const Chunk> chunk = {};
  std::uint32_t index = 0;

  MessageRef ref() const { return {span.first, static_cast<std::uint32_t>(receipt.seq - span.first)}; }
  // Of what was read, once it has moved.
  void let_go() {
    chunk = nullptr;
    told.said.clear();
  }
  void set_chunk(std::shared_ptr<const Chunk> stored) {
    chunk = std::move(stored);
    index = ref().index;
  }
};

// Without its chunk; the receipt's error if it is not valid.
Result<RejectCandidate> find_reject_candidate(const Queue& queue, const Receipt& receipt)
    HOLDFAST_REQUIRES(queue.mutex);

// `target`: the dead letter queue, null if it has none. apply_reject takes what
// check_reject let pass under the same locks. Without a dead letter queue it needs neither body nor
// attributes.
Result<void> check_reject(const Queue& queue, const Queue* target, const RejectCandidate& candidate)
    HOLDFAST_REQUIRES(queue.mutex, target->mutex);
void apply_reject(Engine::Impl& engine, Queue& queue, Queue* target, const RejectCandidate& candidate,
                  const Rejection& rejection, Timestamp time) HOLDFAST_REQUIRES(queue.mutex, target->mutex);

}  // namespace holdfast
