#include "runtime/reject.h"

#include "base/validate.h"
#include "core/seq_math.h"
#include "holdfast/limits.h"
#include "runtime/settle.h"

namespace holdfast {
namespace {

// A receipt of a batch, with its place for an answer.
struct Candidate : RejectCandidate {
  Result<void>* result;
};

FailureRecord rejected_record(const Rejection& rejection) {
  FailureRecord record;
  record.cause = DeathCause::kRejected;
  record.category = rejection.category;
  record.reason = bounded_text(rejection.reason, limits::kReasonBytes);
  record.code = rejection.code;
  record.stack_trace = bounded_stack_trace(rejection.stack_trace);
  record.causes = rejection.causes;
  record.partial_output = bounded_text(rejection.partial_output, limits::kPartialOutputBytes);
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
      if (!results[i]) continue;
      candidates.push_back({{receipts[i], *queue.state.span_of(receipts[i].seq), {}}, &results[i]});
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

// Whether the messages are in memory, as those that were just handed out are.
bool are_cached(Engine::Impl& engine, std::span<const Receipt> receipts) {
  QueueId checked_queue{};
  ChunkSpan checked;
  for (const Receipt& receipt : receipts) {
    if (receipt.queue == checked_queue && receipt.seq >= checked.first &&
        receipt.seq - checked.first < checked.count) {
      continue;
    }
    const auto queue = engine.catalog.find(receipt.queue);
    if (!queue) continue;
    const LockedQueue locked(engine.pipeline.gate(), *queue);
    const auto span = queue->state.span_of(receipt.seq);
    if (!span) continue;
    if (engine.cache.get(receipt.queue, span->first) == nullptr) return false;
    checked_queue = receipt.queue;
    checked = *span;
  }
  return true;
}

}  // namespace

Result<RejectCandidate> load_reject_candidate(Engine::Impl& engine, Queue& queue, const Receipt& receipt) {
  Result<void> valid;
  std::vector<Candidate> candidates = load_candidates(engine, queue, {&receipt, 1}, {&valid, 1});
  if (!valid) return tl::unexpected(valid.error());
  return RejectCandidate(std::move(candidates.front()));
}

Result<void> check_reject(const Queue& queue, const Queue* target, const RejectCandidate& candidate) {
  // Again, since time has passed without the lock.
  auto valid = refuse(queue.state.check(candidate.receipt.seq, candidate.receipt.lease));
  if (!valid || target != nullptr || queue.options().discard_rejected) return valid;
  return fail(ErrorCode::kNoDeadLetterQueue,
              "queue '" + queue.name + "' has no dead letter queue for this and does not discard_rejected");
}

void apply_reject(Engine::Impl& engine, Queue& queue, Queue* target, const RejectCandidate& candidate,
                  const Rejection& rejection, Timestamp time) {
  const Doomed doomed = candidate.doomed();
  const MessageView message = candidate.chunk->message(doomed.index);
  if (target != nullptr) {
    queue.state.begin(doomed.seq());  // who rejects a message has tried it
    queue.state.note_failure(doomed.seq(), time, AttemptEnd::kRejected);
    engine.bury(queue, *target, doomed, message, rejected_record(rejection), time);
    return;
  }
  if (engine.events.heard()) {
    engine.events.emit({.kind = EventKind::kDiscarded,
                        .time = time,
                        .queue = queue.name,
                        .queue_id = queue.id,
                        .message = message.id,
                        .category = rejection.category,
                        .text = bounded_text(rejection.reason, limits::kReasonBytes),
                        .count = queue.state.history(doomed.seq()).deliveries});
  }
  if (queue.journal.on()) {
    Step step{.at = time, .kind = StepKind::kDiscarded, .seq = doomed.seq()};
    step.category = rejection.category;
    step.reason = rejection.reason;
    queue.record(message.id, std::move(step));
  }
  queue.conclude_dropped(message.lineage, time);
  queue.state.remove(doomed.seq(), candidate.span);
  ++queue.state.totals().discarded;
}

Engine::Impl::Settled Engine::Impl::submit_reject(std::span<const Receipt> receipts,
                                                  const Rejection& rejection,
                                                  const SettleOptions& reject_options) {
  if (auto ok = validate(rejection); !ok) return all_refused(receipts.size(), ok.error());
  auto request =
      Request::begin(requests, reject_options.request_id,
                     content_of("reject", receipts, reject_options.durability).add(rejection).value(), now());
  if (!request) return all_refused(receipts.size(), request.error());
  Settled settled{
      .results = std::vector<Result<void>>(receipts.size()), .group = {}, .request = std::move(*request)};
  for_each_queue(catalog, receipts, settled.results,
                 [&](const auto& queue, auto run, auto results, std::uint32_t part) {
                   if (answer_again(settled.request, part, results)) return;
                   const std::vector<Candidate> candidates = load_candidates(*this, *queue, run, results);
                   const auto [target, locked] = lock_with_target(*queue, rejection.category);
                   const Timestamp time = now();
                   bool any = false;
                   for (const Candidate& candidate : candidates) {
                     *candidate.result = check_reject(*queue, target.get(), candidate);
                     if (!*candidate.result) continue;
                     apply_reject(*this, *queue, target.get(), candidate, rejection, time);
                     any = true;
                   }
                   if (!any) return;
                   const Durability asked = reject_options.durability.value_or(queue->options().durability);
                   settled.group = pipeline.join(queue, asked);
                   record_answer(settled.request, part, results, asked);
                   after_change(queue, time);
                   if (!target) return;
                   pipeline.join(target, asked);
                   after_change(target, time);
                 });
  return settled;
}

std::vector<Result<void>> Engine::reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                               SettleOptions options) {
  return impl_->blocking_batch(receipts,
                               [&](auto own) { return impl_->submit_reject(own, rejection, options); });
}

Result<void> Engine::reject(const Receipt& receipt, Rejection rejection, SettleOptions options) {
  return reject_batch({&receipt, 1}, rejection, options).front();
}

void Engine::async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                SettleOptions options, BatchCallback done) {
  // The messages are read first, and so is an earlier answer.
  const bool may_block = !impl_->needs_no_look(options.request_id) || !are_cached(*impl_, receipts);
  impl_->async_batch(receipts, may_block, std::move(done),
                     [impl = impl_.get(), rejection, options = std::move(options)](auto own) {
                       return impl->submit_reject(own, rejection, options);
                     });
}

}  // namespace holdfast
