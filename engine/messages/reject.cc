#include "engine/messages/reject.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/helpers/batch_result.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/dead_letters/failure.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/dead_letter_mover.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/settle.h"
#include "engine/messages/settled.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// This many bytes of a batch are read at once, and dead-lettered with one commit, unless a single message has
// more.
constexpr std::size_t kStepBytes = 4 << 20;

// A receipt of a run, with its place in the run.
struct Candidate : RejectCandidate {
  std::size_t entry;
};

// A Run has the receipts of one queue in a call.
struct Run {
  const std::shared_ptr<Queue>& queue;
  std::span<const Receipt> receipts;
  std::span<Result<void>> results;
  std::uint32_t part;        // the place of the first receipt in the call
  std::size_t answered = 0;  // results that rows of the request tell
};

// Rejects the receipts of a call in steps of a few MiB. Messages are read when those before them are
// committed, so that bodies do not pile up in memory.
class BatchReject {
 public:
  BatchReject(Engine::Impl& engine, const Rejection& rejection, std::optional<Durability> durability,
              Settled& settled)
      : engine_(engine),
        rejection_(rejection),
        rejection_bytes_(byte_size(rejection)),
        durability_(durability),
        settled_(settled) {}

  void reject(Run run) {
    answer_again(run);
    std::vector<Candidate> candidates = find(run);
    for (std::span<Candidate> left(candidates); !left.empty();) {
      if (auto ok = make_way(); !ok) {
        for (const Candidate& candidate : left) run.results[candidate.entry] = ok;
        return;
      }
      const std::span<Candidate> step = load(run, left);
      left = left.subspan(step.size());
      move(run, step, left.empty() ? run.results.size() : left.front().entry);
      for (Candidate& candidate : step) candidate.let_go();
    }
    await_losses(run);
  }

 private:
  // Fills in what an earlier call has answered. An answer is written with its step, and steps are committed
  // one after another. So, whatever a crash left of the earlier call, what follows its last answer had no
  // effect.
  void answer_again(Run& run) {
    while (run.answered < run.results.size()) {
      const std::size_t more = holdfast::answer_again(settled_.request, next_part(run), rest(run));
      if (more == 0) return;
      run.answered += more;
    }
  }
  static std::uint32_t next_part(const Run& run) {
    return run.part + static_cast<std::uint32_t>(run.answered);
  }
  static std::span<Result<void>> rest(const Run& run) { return run.results.subspan(run.answered); }

  std::vector<Candidate> find(const Run& run) {
    std::vector<Candidate> candidates;
    if (run.answered == run.results.size()) return candidates;
    candidates.reserve(run.results.size() - run.answered);
    const LockedQueue locked(engine_.pipeline.gate(), *run.queue);
    if (run.queue->deleted()) settled_.await(run.queue->deletion());
    for (std::size_t i = run.answered; i < run.receipts.size(); ++i) {
      auto found = find_reject_candidate(*run.queue, run.receipts[i]);
      if (found) {
        candidates.push_back({std::move(*found), i});
      } else {
        run.results[i] = tl::unexpected(found.error());
      }
    }
    return candidates;
  }

  // Has the answer wait for what took away the messages that it says are gone.
  void await_losses(const Run& run) {
    if (!any_gone(run.results)) return;
    const LockedQueue locked(engine_.pipeline.gate(), *run.queue);
    const Durability asked = durability_.value_or(run.queue->options().durability);
    settled_.await(group_of_loss(engine_.pipeline, *run.queue, asked));
  }

  // Waits for the commit of what was dead-lettered, once that is a step's worth.
  Result<void> make_way() {
    if (dead_lettered_bytes_ < kStepBytes) return {};
    if (auto ok = engine_.pipeline.wait(*settled_.group); !ok) return ok;
    dead_lettered_bytes_ = 0;
    return {};
  }

  // Returns the candidates of the next step, with their chunks, which are read before both queues are locked
  // to move the messages. If a chunk cannot be read, the candidate has none, and its result is the error.
  std::span<Candidate> load(const Run& run, std::span<Candidate> left) {
    Result<std::shared_ptr<const Chunk>> chunk;
    std::size_t read = 0;
    std::size_t dead_lettered = dead_lettered_bytes_;
    std::size_t count = 0;
    for (; count < left.size() && read < kStepBytes && dead_lettered < kStepBytes; ++count) {
      Candidate& candidate = left[count];
      if (count == 0 || left[count - 1].span.first != candidate.span.first) {
        chunk = engine_.chunk_loader.load(run.queue->id, candidate.span.first);
        if (chunk) read += (*chunk)->bytes().size();
      }
      if (chunk) {
        candidate.set_chunk(*chunk);
        const std::size_t told = read_failures(*engine_.store, run.queue->id, candidate.told);
        read += told;
        dead_lettered += candidate.bytes + rejection_bytes_ + told;
      } else {
        run.results[candidate.entry] = tl::unexpected(chunk.error());
      }
    }
    return left.first(count);
  }

  // Moves the messages of a step. After that there are results up to `end`.
  void move(Run& run, std::span<const Candidate> step, std::size_t end) {
    const LockedWithTarget locked(engine_.pipeline.gate(), *run.queue, rejection_.category);
    const std::shared_ptr<Queue>& target = locked.target();
    assert_locked(target);
    const Timestamp time = engine_.now();
    bool any = false;
    for (const Candidate& candidate : step) {
      if (candidate.chunk == nullptr) continue;
      Result<void>& result = run.results[candidate.entry];
      result = check_reject(*run.queue, target.get(), candidate);
      if (!result) continue;
      apply_reject(engine_, *run.queue, target.get(), candidate, rejection_, time);
      if (target) dead_lettered_bytes_ += candidate.bytes + rejection_bytes_;
      any = true;
    }
    if (!any) return;  // the row of the next step tells of these results too
    const Durability asked = durability_.value_or(run.queue->options().durability);
    settled_.joined(engine_.pipeline.join(run.queue, asked), asked);
    record_answer(settled_.request, next_part(run), rest(run).first(end - run.answered), asked,
                  end < run.results.size());
    run.answered = end;
    engine_.dispatcher.after_change(run.queue, time);
    if (!target) return;
    engine_.pipeline.join(target, asked);
    engine_.dispatcher.after_change(target, time);
  }

  Engine::Impl& engine_;
  const Rejection& rejection_;
  const std::size_t rejection_bytes_;
  const std::optional<Durability> durability_;
  Settled& settled_;
  std::size_t dead_lettered_bytes_ = 0;  // since the last wait for a commit
};

// Returns whether the messages are in memory, as those that were just handed out are, and can be
// dead-lettered in one step.
bool go_at_once(Engine::Impl& engine, std::span<const Receipt> receipts, const Rejection& rejection) {
  const std::size_t rejection_bytes = byte_size(rejection);
  QueueId checked_queue{};
  ChunkSpan checked;
  std::shared_ptr<const Chunk> chunk;
  bool dead_letters = false;
  std::size_t dead_lettered = 0;
  for (const Receipt& receipt : receipts) {
    if (receipt.queue != checked_queue || receipt.seq < checked.first ||
        receipt.seq - checked.first >= checked.count) {
      const auto queue = engine.catalog.find(receipt.queue);
      if (!queue) continue;
      const LockedQueue locked(engine.pipeline.gate(), *queue);
      const auto span = queue->state.of(receipt.seq).window().span_of(receipt.seq);
      if (!span) continue;
      chunk = engine.cache.get(receipt.queue, span->first);
      if (chunk == nullptr) return false;
      if (queue->state.of(span->first).window().any_described(span->first)) return false;
      checked_queue = receipt.queue;
      checked = *span;
      dead_letters = queue->dead_letter_target(rejection.category) != nullptr;
    }
    if (!dead_letters) continue;
    dead_lettered += chunk->message(static_cast<std::uint32_t>(receipt.seq - checked.first)).bytes();
    dead_lettered += rejection_bytes;
    if (dead_lettered >= kStepBytes) return false;
  }
  return true;
}

}  // namespace

Result<RejectCandidate> find_reject_candidate(const Queue& queue, const Receipt& receipt) {
  const Window& window = queue.state.of(receipt.seq).window();
  if (auto valid = refuse(window.check(receipt.seq, receipt.lease)); !valid) {
    return tl::unexpected(valid.error());
  }
  return RejectCandidate{.receipt = receipt,
                         .span = *window.span_of(receipt.seq),
                         .bytes = window.bytes_of(receipt.seq),
                         .told = look_at_failures(queue, receipt.seq)};
}

Result<void> check_reject(const Queue& queue, const Queue* target, const RejectCandidate& candidate) {
  // The receipt is checked again, since time has passed without the lock.
  const Receipt& receipt = candidate.receipt;
  auto valid = refuse(queue.state.of(receipt.seq).window().check(receipt.seq, receipt.lease));
  if (valid && target != nullptr) return candidate.told.read;
  if (!valid || queue.options().dead_letters.discard_rejected) return valid;
  return fail(
      ErrorCode::kNoDeadLetterQueue,
      "queue '" + queue.name + "' has no dead letter queue for this, and discard_rejected is not set");
}

void apply_reject(Engine::Impl& engine, Queue& queue, Queue* target, const RejectCandidate& candidate,
                  const Rejection& rejection, Timestamp time) {
  const MessageRef ref = candidate.ref();
  const MessageView message = candidate.chunk->message(candidate.index);
  if (target != nullptr) {
    LaneState& lane = queue.state.of(ref.seq());
    lane.start(ref.seq(), time);  // a consumer that rejects a message has tried it
    lane.note_failure(ref.seq(), time, AttemptEnd::kRejected);
    engine.mover.dead_letter(queue, *target, ref, message,
                             record_of(DeathCause::kRejected, bounded_failure(rejection)), candidate.told,
                             time);
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
                        .count = queue.state.of(ref.seq()).window().history(ref.seq()).deliveries});
  }
  if (queue.journal.on()) {
    HistoryStep step{.at = time, .kind = StepKind::kDiscarded, .seq = ref.seq()};
    step.category = rejection.category;
    step.reason = rejection.reason;
    queue.journal.record(message.id, std::move(step));
  }
  queue.outcomes.record_drop(message.lineage, time);
  queue.state.of(ref.seq()).remove(ref.seq(), candidate.span);
  ++queue.state.totals().discarded;
}

namespace {

Result<Settled> submit(Engine::Impl& engine, std::span<const Receipt> receipts, const Rejection& rejection,
                       const SettleOptions& options, HeldRequest request) {
  if (auto ok = validate(rejection); !ok) return tl::unexpected(ok.error());
  const auto content = [&] { return content_of("reject", receipts, options.durability).add(rejection); };
  if (auto ok = begin_request(request, content, engine.clock); !ok) return tl::unexpected(ok.error());
  Settled settled{.results = std::vector<Result<void>>(receipts.size()),
                  .group = {},
                  .synced = {},
                  .request = std::move(request)};
  BatchReject batch(engine, rejection, options.durability, settled);
  for_each_queue(engine.catalog, settled.request, receipts, settled.results,
                 [&](const auto& queue, auto run, auto results, std::uint32_t part) {
                   batch.reject({queue, run, results, part});
                 });
  return settled;
}

}  // namespace

BatchResult<void> EngineMessageVerbs::reject_batch(std::span<const Receipt> receipts,
                                                   const Rejection& rejection, SettleOptions options) {
  return impl_->batch_calls.blocking_batch(
      receipts, options.request_id,
      [&](auto own, const HeldRequest& request) { return submit(*impl_, own, rejection, options, request); });
}

Result<void> EngineMessageVerbs::reject(const Receipt& receipt, Rejection rejection, SettleOptions options) {
  return only_answer(reject_batch({&receipt, 1}, rejection, std::move(options)));
}

void Engine::async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                SettleOptions options, BatchCallback<void> done) {
  // The messages are read first, and so is an earlier answer; of many large ones the first are committed
  // before the next are read.
  const bool may_block = !go_at_once(*impl_, receipts, rejection);
  impl_->batch_calls.async_batch(
      receipts, options.request_id, may_block, std::move(done),
      [impl = impl_.get(), rejection, options](auto own, const HeldRequest& request) {
        return submit(*impl, own, rejection, options, request);
      });
}

}  // namespace holdfast
