// A queue's bounds: what it refuses when it is full, and what it drops to make room.
#include "engine/queue/queue.h"

#include <algorithm>
#include <utility>

namespace holdfast {

Queue::Excess Queue::excess() const {
  if (!is_bounded() || options_.on_overflow == OverflowPolicy::kRejectSend) return {};
  const QueueCounts counts = state.counts();
  // Those that are on their way out count as waiting.
  const std::uint64_t staying = counts.ready + counts.waiting + counts.leased - state.leaving();
  const std::uint64_t staying_bytes = state.bytes() - state.leaving_bytes();
  Excess excess;
  if (options_.max_length > 0) excess.messages = staying - std::min(staying, options_.max_length);
  if (options_.max_bytes > 0) excess.bytes = staying_bytes - std::min(staying_bytes, options_.max_bytes);
  return excess;
}

std::uint64_t Queue::leases_left() const {
  if (options_.max_leased == 0) return UINT64_MAX;
  return options_.max_leased - std::min(options_.max_leased, state.counts().leased);
}

Result<void> Queue::check_room(std::size_t bytes, const Load& load) const {
  if (!is_bounded()) return {};
  const bool drops = options_.on_overflow != OverflowPolicy::kRejectSend;
  const auto full = [&](std::uint64_t limit, const std::string& what) {
    return fail(ErrorCode::kQueueFull, "queue '" + name + "' is full, its " + what + " is " +
                                           std::to_string(limit) +
                                           (drops ? ", and what is ready is too little to be dropped" : ""));
  };
  const QueueCounts counts = state.counts();
  const auto signed_sum = [](std::uint64_t count, std::int64_t more) {
    return static_cast<std::int64_t>(count) + more;
  };
  const std::int64_t messages =
      signed_sum(counts.ready + counts.waiting + counts.leased - state.leaving(), load.messages);
  const std::int64_t droppable = drops ? signed_sum(counts.ready, load.ready_messages) : 0;
  if (options_.max_length > 0 && std::cmp_greater_equal(messages - droppable, options_.max_length)) {
    return full(options_.max_length, "max_length");
  }
  const std::int64_t staying = signed_sum(state.bytes() - state.leaving_bytes(), load.bytes) -
                               (drops ? signed_sum(state.ready_bytes(), load.ready_bytes) : 0);
  if (options_.max_bytes > 0 && std::cmp_greater(signed_sum(bytes, staying), options_.max_bytes)) {
    return full(options_.max_bytes, "max_bytes");
  }
  return {};
}

Lanes::Dropped Queue::drop_heads(const Excess& excess) {
  return state.drop_heads(std::min(excess.messages, kDropMessages), std::min(excess.bytes, kDropBytes));
}

bool Queue::drop_excess() {
  const Excess too_much = excess();
  if (too_much.any()) (void)drop_heads(too_much);
  return too_much.any();
}

}  // namespace holdfast
