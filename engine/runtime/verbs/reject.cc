#include "base/validate.h"
#include "core/seq_math.h"
#include "runtime/settle.h"

namespace holdfast {
namespace {

// A receipt with what is needed to move its message.
struct Candidate {
  const Receipt* receipt;
  Result<void>* result;
  ChunkSpan span;
  std::shared_ptr<const Chunk> chunk;

  Doomed doomed() const { return {span.first, static_cast<std::uint32_t>(receipt->seq - span.first)}; }
};

FailureRecord rejected_record(const Rejection& rejection) {
  FailureRecord record;
  record.cause = DeathCause::kRejected;
  record.category = rejection.category;
  record.reason = rejection.reason;
  record.code = rejection.code;
  record.stack_trace = bounded_stack_trace(rejection.stack_trace);
  record.causes = rejection.causes;
  record.partial_output = rejection.partial_output;
  return record;
}

// The valid receipts, with their messages' chunks: read before both queues are locked to move them.
std::vector<Candidate> load_candidates(Engine::Impl& engine, Queue& queue, std::span<const Receipt> receipts,
                                       std::span<Result<void>> results) {
  std::vector<Candidate> candidates;
  {
    const LockedQueue locked(engine.pipeline.gate(), queue);
    for (std::size_t i = 0; i < receipts.size(); ++i) {
      results[i] = refuse(queue.state.check(receipts[i].seq, receipts[i].lease));
      if (results[i])
        candidates.push_back({&receipts[i], &results[i], *queue.state.span_of(receipts[i].seq), {}});
    }
  }
  std::erase_if(candidates, [&](Candidate& candidate) {
    auto chunk = engine.load_chunk(queue.id, candidate.span.first);
    if (!chunk) {
      *candidate.result = tl::unexpected(chunk.error());
      return true;
    }
    candidate.chunk = std::move(*chunk);
    return false;
  });
  return candidates;
}

// Holding the locks: what becomes of one rejected message.
Result<void> reject_one(Engine::Impl& engine, Queue& queue, Queue* target, const Candidate& candidate,
                        const Rejection& rejection, Timestamp time) {
  // Again, since time has passed without the lock.
  auto valid = refuse(queue.state.check(candidate.receipt->seq, candidate.receipt->lease));
  if (!valid) return valid;
  const Doomed doomed = candidate.doomed();
  if (target != nullptr) {
    queue.state.note_failure(doomed.seq(), time, AttemptEnd::kRejected);
    engine.bury(queue, *target, doomed, candidate.chunk->message(doomed.index), rejected_record(rejection),
                time);
    return {};
  }
  if (!queue.options().discard_rejected) {
    return fail(ErrorCode::kNoDeadLetterQueue,
                "queue '" + queue.name + "' has no dead letter queue for this and does not discard_rejected");
  }
  if (engine.events.heard()) {
    engine.events.emit({.kind = EventKind::kDiscarded,
                        .time = time,
                        .queue = queue.name,
                        .queue_id = queue.id,
                        .message = candidate.chunk->message(doomed.index).id,
                        .category = rejection.category,
                        .text = rejection.reason,
                        .count = queue.state.history(doomed.seq()).deliveries});
  }
  queue.state.remove(doomed.seq(), candidate.span);
  ++queue.state.totals().discarded;
  return {};
}

}  // namespace

Engine::Impl::Settled Engine::Impl::submit_reject(std::span<const Receipt> receipts,
                                                  const Rejection& rejection,
                                                  const SettleOptions& reject_options) {
  if (auto ok = validate(rejection); !ok) return all_refused(receipts.size(), ok.error());
  Settled settled;
  settled.results.resize(receipts.size());
  for_each_queue(catalog, receipts, settled.results, [&](const auto& queue, auto run, auto results) {
    const std::vector<Candidate> candidates = load_candidates(*this, *queue, run, results);
    const auto [target, locked] = lock_with_target(*queue, rejection.category);
    const Timestamp time = now();
    bool any = false;
    for (const Candidate& candidate : candidates) {
      *candidate.result = reject_one(*this, *queue, target.get(), candidate, rejection, time);
      any |= candidate.result->has_value();
    }
    if (!any) return;
    const Durability asked = reject_options.durability.value_or(queue->options().durability);
    settled.group = pipeline.join(queue, asked);
    after_change(queue, time);
    if (!target) return;
    pipeline.join(target, asked);
    after_change(target, time);
  });
  return settled;
}

std::vector<Result<void>> Engine::reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                               SettleOptions options) {
  return impl_->blocking_batch(receipts, [&] { return impl_->submit_reject(receipts, rejection, options); });
}

Result<void> Engine::reject(const Receipt& receipt, Rejection rejection, SettleOptions options) {
  return reject_batch({&receipt, 1}, rejection, options).front();
}

void Engine::async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                SettleOptions options, BatchCallback done) {
  impl_->async_batch(receipts, std::move(done),
                     [&] { return impl_->submit_reject(receipts, rejection, options); });
}

}  // namespace holdfast
