#include "engine/upkeep/expirer.h"

#include "engine/codec/encoding/keys.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

// A step ends with the chunk that reaches one of these bounds.
constexpr std::size_t kStepMessages = 1024;
constexpr std::size_t kStepBytes = 4 << 20;

// A queue may have this many messages about to leave before a receive helps to move them. Each takes about
// 130 bytes of memory until it has left.
constexpr std::uint64_t kMostLeaving = 500'000;

// A queue for which receives wait gets this many steps in a row: a few tens of milliseconds.
constexpr int kStepsForWaiters = 64;

struct DueChunk {
  keys::ExpiryPlace place;
  std::shared_ptr<const Chunk> chunk;  // null if it is gone
};

struct DueChunks {
  std::vector<DueChunk> chunks;
  Timestamp next = kNever;  // when the first chunk that was left is due
};

// Reads the chunks that are due. All times are stored time.
Result<DueChunks> read_due(EngineContext& engine, QueueId queue, Timestamp from, Timestamp time) {
  DueChunks due;
  std::size_t messages = 0;
  std::size_t bytes = 0;
  const auto scan =
      engine.store->scan(Family::kScheduled, keys::expiry(queue, from, Seq{0}), keys::expiry_end(queue));
  for (; scan->valid(); scan->next()) {
    const auto place = keys::parse_expiry(scan->key());
    if (!place) return fail(ErrorCode::kCorruption, "a key of scheduled does not decode");
    if (place->expires_at > time || messages >= kStepMessages || bytes >= kStepBytes) {
      due.next = place->expires_at;
      return due;
    }
    auto chunk = engine.chunk_loader.read(queue, place->first);
    if (!chunk && chunk.error().code != ErrorCode::kMessageNotFound) return tl::unexpected(chunk.error());
    if (chunk) {
      messages += (*chunk)->count();
      bytes += (*chunk)->bytes().size();
    }
    due.chunks.push_back({*place, chunk ? std::move(*chunk) : nullptr});
  }
  if (auto status = scan->status(); !status) return tl::unexpected(status.error());
  return due;
}

}  // namespace

Result<void> Expirer::expire_messages(const std::shared_ptr<Queue>& queue) {
  // What a step reads must hold what an earlier step wrote. So one step runs at a time, and commits before
  // the next one begins.
  const sync::Lock one_step(queue->expiry_mutex);
  const Timestamp time = engine_.now();
  const Timestamp stored = engine_.clock.stored(time);
  Timestamp from{};
  GroupNumber written{};
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    from = queue->expiries.next();
    if (queue->deleted() || from > stored) return {};
    written = queue->chunks.last_group(engine_.pipeline);
    queue->expiries.begin_reading();
  }
  const ChunkReading reading(engine_.pipeline, *queue);
  const auto due = [&]() -> Result<DueChunks> {
    if (auto ok = engine_.pipeline.wait(written); !ok) return tl::unexpected(ok.error());
    if (auto ok = reading.wait(); !ok) return tl::unexpected(ok.error());
    return read_due(engine_, queue->id, from, stored);
  }();
  GroupNumber group{};
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->deleted()) return {};
    if (!due) {
      queue->expiries.pause_until(stored + EngineContext::kPauseAfterError);
      return tl::unexpected(due.error());
    }
    for (const DueChunk& chunk : due->chunks) queue->expire_chunk(chunk.place, chunk.chunk.get(), stored);
    queue->expiries.end_reading(due->next);
    group = engine_.pipeline.join(queue, Durability::kBuffered);
    dispatcher_.after_change(queue, engine_.now());  // the look may have taken its time
  }
  return engine_.pipeline.wait(group);
}

// Moving an exhausted message away takes ten times as long as making it exhausted. So a receive that meets
// many of them leaves most of the moving to run_due(), up to the number that may lie around in memory.
Result<void> Expirer::pass_expired(const std::shared_ptr<Queue>& queue) {
  if (auto ok = expire_messages(queue); !ok) return ok;
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    const Timestamp time = engine_.now();
    engine_.scheduler.schedule(queue, time);
    const bool more = queue->expiries.next() <= engine_.clock.stored(time);
    if (more && queue->state.leaving() < kMostLeaving) return {};
  }
  const auto moved = mover_.dead_letter_exhausted(queue, DeadLetterMover::HowMany::kSome);
  if (!moved) return tl::unexpected(moved.error());
  // Without the commit, a dead letter would be counted, but listed only once somebody commits something.
  return moved->last ? engine_.pipeline.wait(*moved->last) : Result<void>();
}

void Expirer::expire_due(const std::shared_ptr<Queue>& queue) {
  for (int step = 0; step < kStepsForWaiters; ++step) {
    if (!expire_messages(queue)) return;
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    const bool more = queue->expiries.next() <= engine_.clock.stored(engine_.now());
    if (!more || queue->waiters.empty() || queue->state.leaving() >= kMostLeaving) return;
  }
}

}  // namespace holdfast
