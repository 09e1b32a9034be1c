// Moving dead letters back to where they came from: a persisted task that advances in steps. Each step moves
// a few messages and the task's cursor in one atomic write, so a crash neither loses nor doubles any.
#include <algorithm>
#include <utility>

#include "codec/dead_letter_row.h"
#include "core/seq_math.h"
#include "runtime/engine_impl.h"

namespace holdfast {
namespace {

constexpr std::size_t kStepRecords = 1024;
constexpr std::size_t kStepBytes = 4 << 20;

struct Candidate {
  Seq seq{};
  std::uint32_t chunk_index = 0;
  std::shared_ptr<const Chunk> chunk;
  std::shared_ptr<Queue> source;  // null if it is deleted

  ChunkSpan span() const {
    const Seq first{static_cast<std::uint64_t>(seq) - chunk_index};
    return {first, chunk->count(), true};
  }
};

struct Step {
  std::vector<Candidate> candidates;
  Seq cursor{};  // where the next step begins
};

// The next dead letters that match, with their chunks.
Result<Step> plan(Engine::Impl& engine, const RedriveTask& task) {
  Step step{{}, task.end};
  std::size_t seen = 0;
  std::size_t bytes = 0;
  std::shared_ptr<const Chunk> chunk;
  Seq chunk_first{};
  const auto scan = engine.store->scan(Family::kDeadLetters, keys::queue_seq(task.queue, task.cursor),
                                       keys::queue_seq(task.queue, task.end));
  for (; scan->valid(); scan->next(), ++seen) {
    const auto key = keys::parse_queue_seq(scan->key());
    if (!key) return fail(ErrorCode::kCorruption, "a key of dead_letters does not decode");
    if (seen == kStepRecords || bytes > kStepBytes) {
      step.cursor = key->seq;
      break;
    }
    auto row = decode_dead_letter_row(scan->value());
    if (!row) return tl::unexpected(row.error());
    if (task.category && row->record.category != *task.category) continue;
    const Seq first{static_cast<std::uint64_t>(key->seq) - row->chunk_index};
    if (!chunk || chunk_first != first) {
      auto loaded = engine.load_chunk(task.queue, first);
      if (!loaded && loaded.error().code == ErrorCode::kMessageNotFound) continue;
      if (!loaded) return tl::unexpected(loaded.error());
      chunk = std::move(*loaded);
      chunk_first = first;
    }
    bytes += chunk->message(row->chunk_index).body.size();
    step.candidates.push_back(
        {key->seq, row->chunk_index, chunk, engine.catalog.find(row->record.source_queue_id)});
  }
  if (auto status = scan->status(); !status) return tl::unexpected(status.error());
  return step;
}

// Holding all locks.
void move_back(Queue& from, const Candidate& candidate, Redriven& done) {
  const ReceiptCheck check = from.state.check_free(candidate.seq);
  if (check == ReceiptCheck::kGone) return;
  if (check == ReceiptCheck::kStale || !candidate.source || candidate.source->deleted) {
    ++done.skipped;
    return;
  }
  const MessageView message = candidate.chunk->message(candidate.chunk_index);
  Lineage lineage = message.lineage;
  ++lineage.replays;
  lineage.origin_queue = {};
  lineage.origin_seq = {};
  candidate.source->append_copy(message, lineage);
  from.state.remove(candidate.seq, candidate.span());
  ++from.state.totals().redriven;
  ++done.moved;
}

}  // namespace

// The task of a queue that was deleted ends.
Result<void> Engine::Impl::forget_task(keys::TaskId id) {
  GroupNumber group{};
  {
    const Gate::Pass pass(pipeline.gate());
    group = pipeline.join_row(Family::kMoves, keys::task(id), std::nullopt, Durability::kBuffered);
  }
  if (auto ok = pipeline.wait(group); !ok) return ok;
  return fail(ErrorCode::kQueueNotFound, "the queue was deleted");
}

Result<void> Engine::Impl::redrive_step(keys::TaskId id, RedriveTask& task) {
  const auto from = catalog.find(task.queue);
  if (!from) return forget_task(id);
  // What a step reads must hold everything that earlier steps moved: a message past the cursor that is gone
  // looks like one that was never touched. So one step at a time, and its commit before the next one.
  const std::scoped_lock one_step(from->records_mutex);
  auto step = plan(*this, task);
  if (!step) return tl::unexpected(step.error());

  std::vector<Queue*> queues{from.get()};
  std::vector<std::shared_ptr<Queue>> sources;
  for (const Candidate& candidate : step->candidates) {
    if (!candidate.source || std::ranges::find(sources, candidate.source) != sources.end()) continue;
    sources.push_back(candidate.source);
    queues.push_back(candidate.source.get());
  }
  GroupNumber group{};
  {
    const LockedQueues locked(pipeline.gate(), std::move(queues));
    const Timestamp time = now();
    for (const Candidate& candidate : step->candidates) move_back(*from, candidate, task.done);
    task.cursor = step->cursor;
    const bool finished = task.cursor == task.end;
    // The last step's fsync covers all before it.
    const Durability durability = finished ? Durability::kFsync : Durability::kBuffered;
    group = pipeline.join_row(Family::kMoves, keys::task(id),
                              finished ? std::nullopt : std::optional(encode_redrive_task(task)), durability);
    if (!step->candidates.empty() && !from->deleted) pipeline.join(from, durability);
    for (const auto& source : sources) {
      if (source->deleted) continue;
      pipeline.join(source, durability);
      after_change(source, time);
    }
  }
  return pipeline.wait(group);
}

Result<Redriven> Engine::Impl::run_redrive(keys::TaskId id, RedriveTask task) {
  while (task.cursor != task.end) {
    if (closing)
      return fail(ErrorCode::kClosed, "the engine is closing; the redrive goes on when it is opened again");
    if (auto stepped = redrive_step(id, task); !stepped) return tl::unexpected(stepped.error());
  }
  return task.done;
}

}  // namespace holdfast
