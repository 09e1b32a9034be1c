// A chunk is removed when all its messages are done, so a few stragglers would keep their neighbours' bodies
// on disk. Once a queue has many chunks that are mostly garbage, they are stored anew with the stragglers
// alone: at the same place, so that receipts, order, counts and failure records stay what they are.
#include "core/lane.h"
#include "runtime/engine_impl.h"

namespace holdfast {
namespace {

constexpr std::size_t kThinned = 64;  // chunks of one call

}  // namespace

bool Engine::Impl::thin_out(const std::shared_ptr<Queue>& queue) {
  std::vector<Seq> sparse;
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    if (queue->has_stragglers()) sparse = queue->state.sparse_chunks(kThinned);
  }
  std::vector<std::pair<Seq, std::shared_ptr<const Chunk>>> chunks;
  for (const Seq first : sparse) {
    // Not there yet, or not any more; whoever needs one that cannot be read will meet the error.
    if (auto chunk = load_chunk(queue->id, first)) chunks.emplace_back(first, std::move(*chunk));
  }
  if (chunks.empty()) return false;
  std::vector<Seq> ends;  // of what was delivered, by lane
  bool more = false;
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    if (queue->deleted) return false;
    std::size_t saved = 0;
    for (const auto& [first, chunk] : chunks) saved += queue->thin(first, *chunk);
    if (saved > 0) pipeline.join(queue, Durability::kBuffered);
    queue->thinned_bytes += saved;
    more = saved > 0 && queue->has_stragglers();
    if (queue->thinned_bytes < Reclaimer::kGarbageBytes) return more;
    queue->thinned_bytes = 0;
    for (const QueueState& lane : queue->state.all()) ends.push_back(lane.cursor());
  }
  for (std::size_t lane = 0; lane < ends.size(); ++lane) {
    reclaimer.compact_range(queue->id, lane_begin(lane), ends[lane]);
  }
  return more;
}

}  // namespace holdfast
