// A chunk is removed when all its messages are done, so a few stragglers would keep their neighbours' bodies
// on disk. Once a queue has many chunks that are mostly garbage, they are stored anew with the stragglers
// alone: at the same place, so that receipts, order, counts and failure records stay what they are.
#include "engine/core/seq_math.h"
#include "engine/engine/engine_impl.h"

namespace holdfast {
namespace {

constexpr std::size_t kChunksOfAStep = 64;  // chunks of one call

// How much must have been compacted before a compaction is worth while, in bytes. A compaction writes what is
// alive anew, so of a queue with much alive that is more, within the promise of twice what is alive.
std::uint64_t worth_a_compaction(const Lanes& state, bool more_to_come) {
  return Reclaimer::kGarbageBytes / (more_to_come ? 1 : 4) + state.bytes() / 2;
}

}  // namespace

bool Engine::Impl::compact_chunks(const std::shared_ptr<Queue>& queue) {
  std::vector<Seq> sparse;
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    if (!queue->has_stragglers() && queue->compacted_bytes < worth_a_compaction(queue->state, false))
      return false;
    if (queue->has_stragglers()) sparse = queue->state.sparse_chunks(kChunksOfAStep);
  }
  std::vector<std::pair<Seq, std::shared_ptr<const Chunk>>> chunks;
  for (const Seq first : sparse) {
    // Not there yet, or not any more; whoever needs one that cannot be read will meet the error.
    if (auto chunk = chunk_loader.load(queue->id, first)) chunks.emplace_back(first, std::move(*chunk));
  }
  GroupNumber written{};
  std::vector<Seq> ends;  // of what was delivered, by lane; empty: no compaction is worth while
  bool more = false;
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    if (queue->deleted()) return false;
    const std::size_t sparse_before = queue->state.sparse_count();
    for (const auto& [first, chunk] : chunks) queue->compacted_bytes += queue->compact_chunk(first, *chunk);
    written = pipeline.join(queue, Durability::kBuffered);
    // Chunks that were compact already are known to be so from here on: that is progress, too.
    more = queue->has_stragglers() && queue->state.sparse_count() < sparse_before;
    if (queue->compacted_bytes >= worth_a_compaction(queue->state, more)) {
      queue->compacted_bytes = 0;
      for (const QueueState& lane : queue->state.all()) ends.push_back(lane.log().cursor());
    }
  }
  // Nobody else may ever commit, and a compaction leaves out only what is written.
  if (auto ok = pipeline.wait(written); !ok) return false;
  for (std::size_t lane = 0; lane < ends.size(); ++lane) {
    reclaimer.compact_range(queue->id, lane_begin(lane), ends[lane]);
  }
  return more;
}

}  // namespace holdfast
