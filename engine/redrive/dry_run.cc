#include "engine/redrive/dry_run.h"

#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/redrive/plan.h"
#include "engine/services/redact.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// A Sampled is a dead letter that would move, with what an edit makes of it, if the sample shows it.
struct Sampled {
  Seq seq{};
  std::optional<OriginalMessage> edited = {};
  OriginalMessage original = {};  // as the message is now, if an edit changes it
};

// Collects the first few dead letters for the sample.
class Sample {
 public:
  void add(Seq seq, const Pick& pick) {
    if (picks_.size() == limits::kDryRunSample) return;
    Sampled& sampled = picks_.emplace_back(Sampled{.seq = seq});
    if (!pick.edited) return;
    const MessageView& message = pick.message;
    bytes_ += byte_size(*pick.edited) + message.body.size() + message.attribute_bytes.size();
    if (bytes_ > limits::kDryRunBytes) return;
    sampled.edited = {.body = pick.edited->body, .attributes = pick.edited->attributes};
    sampled.original = {.body = std::string(message.body), .attributes = message.attributes()};
  }
  std::vector<Sampled>& picks() { return picks_; }

 private:
  std::vector<Sampled> picks_;
  std::size_t bytes_ = 0;
};

// Counts a dead letter by its verdict, and shows it if it is one that the action itself moves. The targets
// are locked too.
void count(RedriveAction action, const Queue& queue, const Plan& plan, Redriven& would, Sample& sample)
    HOLDFAST_REQUIRES(queue.mutex) {
  would.left.abandoned += plan.abandoned;
  for (const Piece& piece : plan.pieces) {
    for (const Pick& pick : piece.picks) {
      const Seq seq = piece.span.first + pick.index;
      if (!moves(pick, queue.state.of(seq).log().check_free(seq), would.left)) continue;
      ++(pick.parked ? would.parked : would.moved);
      const bool shown = (pick.parked != nullptr) == (action == RedriveAction::kPark);
      if (shown) sample.add(seq, pick);
    }
  }
}

Result<void> read_sample(EngineContext& engine, QueueId queue, Sample& sample, Redriven& would) {
  for (Sampled& sampled : sample.picks()) {
    auto row = read_dead_letter(*engine.store, queue, {.seq = sampled.seq});
    if (!row) return tl::unexpected(row.error());
    if (!row->has_value()) continue;  // settled meanwhile
    const Timestamp died_at = (*row)->record.died_at;
    DeadLetter& letter =
        would.sample.emplace_back(view_of({.died_at = died_at, .seq = sampled.seq}, std::move(**row)));
    if (!sampled.edited) continue;
    letter.body = std::move(sampled.edited->body);
    letter.attributes = std::move(sampled.edited->attributes);
    letter.original = std::move(sampled.original);
    letter.without_body = false;
  }
  return {};
}

}  // namespace

Result<Redriven> dry_run(EngineContext& engine, RedriveTask task, RedriveTransform transform) {
  const auto queue = engine.catalog.find(task.queue);
  if (!queue) return fail(ErrorCode::kQueueNotFound, "the queue was deleted");
  const std::uint64_t most = task.options.max == 0 ? UINT64_MAX : task.options.max;
  Redriven would;
  Sample sample;
  RedriveJob job({}, std::move(task), engine.now());
  job.transform = std::move(transform);
  const sync::Lock one_step(job.step_mutex);
  while (job.task.cursor != job.task.end) {
    if (engine.closing) return fail(ErrorCode::kClosed, "the engine is closing");
    const sync::Lock one_of_queue(queue->records_mutex);
    auto plan = plan_step(engine, job, *queue, most - would.moved - would.parked);
    if (!plan) return tl::unexpected(plan.error());
    job.task.cursor = plan->cursor;
    const LockedQueues locked(engine.pipeline.gate(), plan->queues(*queue));
    assert_locked(queue);
    count(job.task.options.action, *queue, *plan, would, sample);
    if (would.moved + would.parked >= most) break;
  }
  if (auto ok = read_sample(engine, queue->id, sample, would); !ok) return tl::unexpected(ok.error());
  for (DeadLetter& letter : would.sample) redact(letter, job.task.options.redact);
  return would;
}

}  // namespace holdfast
