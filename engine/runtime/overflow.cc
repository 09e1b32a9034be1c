// A queue that is full: what it refuses, and what it drops to make room.
#include <algorithm>

#include "runtime/engine_impl.h"

namespace holdfast {

std::uint64_t Queue::excess() const {
  if (options_.max_length == 0) return 0;
  const QueueCounts counts = state.counts();
  // Those that are on their way out count as waiting.
  const std::uint64_t staying = counts.ready + counts.waiting + counts.leased - state.leaving();
  return staying - std::min(staying, options_.max_length);
}

std::uint64_t Queue::leases_left() const {
  if (options_.max_leased == 0) return UINT64_MAX;
  return options_.max_leased - std::min(options_.max_leased, state.counts().leased);
}

Result<void> Queue::check_room(std::uint64_t more) const {
  if (options_.max_length == 0) return {};
  const QueueCounts counts = state.counts();
  if (counts.ready + counts.waiting + counts.leased - state.leaving() + more < options_.max_length) return {};
  const bool drops = options_.on_overflow != OverflowPolicy::kRejectSend;
  if (drops && counts.ready + more > 0) return {};
  return fail(ErrorCode::kQueueFull, "queue '" + name + "' has " + std::to_string(options_.max_length) +
                                         " messages, its max_length" +
                                         (drops ? ", and none of them is ready and could be dropped" : ""));
}

Result<std::optional<GroupNumber>> Engine::Impl::make_room(const std::shared_ptr<Queue>& queue) {
  for (;;) {
    std::optional<Seq> load_from;
    {
      const LockedQueue locked(pipeline.gate(), *queue);
      const std::uint64_t excess = queue->deleted ? 0 : queue->excess();
      if (excess == 0) break;
      const Lanes::Dropped dropped = queue->state.drop_heads(excess);
      if (dropped.count > 0) pipeline.join(queue, Durability::kBuffered);
      load_from = dropped.load_from;
    }
    if (!load_from) break;
    if (auto ok = load_ahead(*queue, *load_from); !ok) return tl::unexpected(ok.error());
  }
  return bury_exhausted(queue);
}

}  // namespace holdfast
