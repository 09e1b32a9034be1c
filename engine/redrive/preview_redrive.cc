#include "engine/base/validation/validate.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/engine/engine_impl.h"
#include "engine/redrive/plan.h"
#include "engine/services/redact.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// The sample is of what `kind` moves.
void count(TaskKind kind, const Queue& queue, const Plan& plan, RedrivePreview& preview,
           std::vector<Seq>& sample) HOLDFAST_REQUIRES(queue.mutex) {
  preview.left.abandoned += plan.abandoned;
  for (const Piece& piece : plan.pieces) {
    for (const Pick& pick : piece.picks) {
      const Seq seq = piece.span.first + pick.index;
      const ReceiptCheck check = queue.state.check_free(seq);
      if (check == ReceiptCheck::kGone) continue;
      if (pick.target == nullptr) {
        ++(preview.left.*pick.left_as);
        continue;
      }
      if (check == ReceiptCheck::kStale) {
        ++preview.left.leased;
        continue;
      }
      ++(pick.parked ? preview.park : preview.move);
      const bool shown = (pick.parked != nullptr) == (kind == TaskKind::kPark);
      if (shown && sample.size() < limits::kPreviewSample) sample.push_back(seq);
    }
  }
}

Result<void> read_sample(EngineContext& engine, QueueId queue, const std::vector<Seq>& seqs,
                         RedrivePreview& preview) {
  for (const Seq seq : seqs) {
    auto row = read_dead_letter(*engine.store, queue, {.seq = seq});
    if (!row) return tl::unexpected(row.error());
    if (!row->has_value()) continue;  // settled meanwhile
    const Timestamp died_at = (*row)->record.died_at;
    preview.sample.push_back(view_of({.died_at = died_at, .seq = seq}, std::move(**row)));
  }
  return {};
}

Result<RedrivePreview> preview_task(Engine::Impl& engine, TaskKind kind, std::string_view queue_name,
                                    RedriveOptions options, const Redaction& redaction) {
  if (auto ok = validate(redaction); !ok) return tl::unexpected(ok.error());
  auto task =
      engine.make_task({.kind = kind, .queue_name = std::string(queue_name), .options = std::move(options)});
  if (!task) return tl::unexpected(task.error());
  if (auto ok = engine.check_selection(*task); !ok) return tl::unexpected(ok.error());
  const auto queue = engine.catalog.find(task->queue);
  if (!queue) return fail(ErrorCode::kQueueNotFound, "the queue was deleted");

  const std::uint64_t most = task->options.max == 0 ? UINT64_MAX : task->options.max;
  RedrivePreview preview;
  std::vector<Seq> sample;
  RedriveJob job({}, std::move(*task), engine.now());
  const sync::Lock one_step(job.step_mutex);
  while (job.task.cursor != job.task.end) {
    if (engine.closing) return fail(ErrorCode::kClosed, "the engine is closing");
    const sync::Lock one_of_queue(queue->records_mutex);
    auto plan = plan_step(engine, job, most - preview.move - preview.park);
    if (!plan) return tl::unexpected(plan.error());
    job.task.cursor = plan->cursor;
    const LockedQueue locked(engine.pipeline.gate(), *queue);
    count(kind, *queue, *plan, preview, sample);
    if (preview.move + preview.park >= most) break;
  }
  if (auto ok = read_sample(engine, queue->id, sample, preview); !ok) return tl::unexpected(ok.error());
  for (DeadLetter& letter : preview.sample) redact(letter, redaction);
  return preview;
}

}  // namespace

Result<RedrivePreview> Engine::preview_redrive(std::string_view queue, RedriveOptions options,
                                               Redaction redaction) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  return preview_task(*impl_, TaskKind::kRedrive, queue, std::move(options), redaction);
}

Result<RedrivePreview> Engine::preview_park(std::string_view queue, RedriveOptions options,
                                            Redaction redaction) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  return preview_task(*impl_, TaskKind::kPark, queue, std::move(options), redaction);
}

}  // namespace holdfast
