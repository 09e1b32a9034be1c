#include "engine/base/validation/validate.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/engine/engine_impl.h"
#include "engine/redrive/plan.h"
#include "engine/redrive/redriver.h"
#include "engine/services/redact.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// One that would move, and what an edit makes of it, if it is shown.
struct Sampled {
  Seq seq{};
  std::optional<OriginalMessage> edited = {};
  OriginalMessage original = {};  // of an edited one
};

// Collects the first few.
class Sample {
 public:
  void add(Seq seq, const Pick& pick) {
    if (picks_.size() == limits::kPreviewSample) return;
    Sampled& sampled = picks_.emplace_back(Sampled{.seq = seq});
    if (!pick.edited) return;
    const MessageView& message = pick.message;
    bytes_ += byte_size(*pick.edited) + message.body.size() + message.attribute_bytes.size();
    if (bytes_ > limits::kPreviewBytes) return;
    sampled.edited = {.body = pick.edited->body, .attributes = pick.edited->attributes};
    sampled.original = {.body = std::string(message.body), .attributes = message.attributes()};
  }
  std::vector<Sampled>& picks() { return picks_; }

 private:
  std::vector<Sampled> picks_;
  std::size_t bytes_ = 0;
};

// The sample is of what `kind` moves.
void count(TaskKind kind, const Queue& queue, const Plan& plan, RedrivePreview& preview, Sample& sample)
    HOLDFAST_REQUIRES(queue.mutex) {
  preview.left.abandoned += plan.abandoned;
  for (const Piece& piece : plan.pieces) {
    for (const Pick& pick : piece.picks) {
      const Seq seq = piece.span.first + pick.index;
      const ReceiptCheck check = queue.state.of(seq).log().check_free(seq);
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
      if (shown) sample.add(seq, pick);
    }
  }
}

Result<void> read_sample(EngineContext& engine, QueueId queue, Sample& sample, RedrivePreview& preview) {
  for (Sampled& sampled : sample.picks()) {
    auto row = read_dead_letter(*engine.store, queue, {.seq = sampled.seq});
    if (!row) return tl::unexpected(row.error());
    if (!row->has_value()) continue;  // settled meanwhile
    const Timestamp died_at = (*row)->record.died_at;
    DeadLetter& letter =
        preview.sample.emplace_back(view_of({.died_at = died_at, .seq = sampled.seq}, std::move(**row)));
    if (!sampled.edited) continue;
    letter.body = std::move(sampled.edited->body);
    letter.attributes = std::move(sampled.edited->attributes);
    letter.original = std::move(sampled.original);
  }
  return {};
}

Result<RedrivePreview> preview_task(Engine::Impl& engine, TaskKind kind, std::string_view queue_name,
                                    RedriveOptions options, const Redaction& redaction) {
  if (auto ok = validate(redaction); !ok) return tl::unexpected(ok.error());
  auto task = engine.redriver.make_task(
      {.kind = kind, .queue_name = std::string(queue_name), .options = std::move(options)});
  if (!task) return tl::unexpected(task.error());
  if (auto ok = engine.redriver.check_selection(*task); !ok) return tl::unexpected(ok.error());
  const auto queue = engine.catalog.find(task->queue);
  if (!queue) return fail(ErrorCode::kQueueNotFound, "the queue was deleted");

  const std::uint64_t most = task->options.max == 0 ? UINT64_MAX : task->options.max;
  RedrivePreview preview;
  Sample sample;
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
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  return preview_task(*impl_, TaskKind::kRedrive, queue, std::move(options), redaction);
}

Result<RedrivePreview> Engine::preview_park(std::string_view queue, RedriveOptions options,
                                            Redaction redaction) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  return preview_task(*impl_, TaskKind::kPark, queue, std::move(options), redaction);
}

}  // namespace holdfast
