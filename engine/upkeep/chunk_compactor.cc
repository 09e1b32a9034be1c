// A chunk is removed when all its messages are done, so a few stragglers would keep the bodies of their
// neighbours on disk. Once a queue has many chunks that are mostly garbage, the compactor stores them again
// with the stragglers alone. They stay at the same place, so that receipts, order, counts and failure records
// stay what they are.
#include "engine/upkeep/chunk_compactor.h"

#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

constexpr std::size_t kChunksOfAStep = 64;  // chunks of one call

// Returns how many bytes must have been compacted before a compaction of the store is worthwhile. A
// compaction writes again what is alive. So the more is alive in a queue, the more garbage there must be,
// within the promise of twice what is alive.
std::uint64_t worth_a_compaction(const QueueState& state, bool more_to_come) {
  return Reclaimer::kGarbageBytes / (more_to_come ? 1 : 4) + state.bytes() / 2;
}

}  // namespace

bool ChunkCompactor::compact_chunks(const std::shared_ptr<Queue>& queue) {
  std::vector<Seq> sparse;
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (!queue->has_stragglers() && queue->compacted_bytes < worth_a_compaction(queue->state, false))
      return false;
    if (queue->has_stragglers()) sparse = queue->state.sparse_chunks(kChunksOfAStep);
  }
  std::vector<std::pair<Seq, std::shared_ptr<const Chunk>>> chunks;
  for (const Seq first : sparse) {
    // A chunk may not be there yet, or not any more. A call that needs a chunk that cannot be read meets the
    // error.
    if (auto chunk = engine_.chunk_loader.load(queue->id, first))
      chunks.emplace_back(first, std::move(*chunk));
  }
  GroupNumber written{};
  std::vector<Seq> ends;  // cursors of the lanes; empty if no compaction is worthwhile
  bool more = false;
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->deleted()) return false;
    const std::size_t sparse_before = queue->state.sparse_count();
    for (const auto& [first, chunk] : chunks) queue->compacted_bytes += queue->chunks.compact(first, *chunk);
    written = engine_.pipeline.join(queue, Durability::kBuffered);
    // Chunks that were compact already are known to be so from here on. That is progress too.
    more = queue->has_stragglers() && queue->state.sparse_count() < sparse_before;
    if (queue->compacted_bytes >= worth_a_compaction(queue->state, more)) {
      queue->compacted_bytes = 0;
      for (const LaneState& lane : queue->state.all()) ends.push_back(lane.log().cursor());
    }
  }
  // The wait commits the group, since nobody else may ever do so. A compaction leaves out only removals that
  // are written.
  if (auto ok = engine_.pipeline.wait(written); !ok) return false;
  for (std::size_t lane = 0; lane < ends.size(); ++lane) {
    engine_.reclaimer.compact_range(queue->id, lane_begin(lane), ends[lane]);
  }
  return more;
}

void ChunkCompactor::reclaim(Queue& queue) {
  std::vector<Seq> heads;
  std::map<WaitsFor, std::optional<SchedulePlace>> waiting;
  GroupNumber removed{};
  {
    const LockedQueue locked(engine_.pipeline.gate(), queue);
    if (std::exchange(queue.removed_chunks, 0) == 0) return;
    removed = engine_.pipeline.open_group();
    for (const LaneState& lane : queue.state.all()) heads.push_back(lane.log().head());
    for (const WaitsFor what : kWaits) waiting[what] = queue.state.scheduled().first(what);
  }
  // The wait commits the group, since nobody else may ever do so. A compaction leaves out only removals that
  // are written.
  if (!engine_.pipeline.wait(removed)) return;
  // These are the rows of messages that waited for their time and have entered the log since.
  for (const auto& [what, first] : waiting) {
    engine_.reclaimer.consider_rows(
        Family::kScheduled, keys::scheduled_begin(queue.id, what),
        first ? keys::scheduled(queue.id, *first) : keys::scheduled_end(queue.id, what));
  }
  const std::uint64_t least =
      engine_.space.admit(0) ? Reclaimer::kGarbageBytes : Reclaimer::kGarbageBytesWhenShort;
  for (const Seq head : heads) engine_.reclaimer.consider(queue.id, lane_begin(lane_of(head)), head, least);
}

}  // namespace holdfast
