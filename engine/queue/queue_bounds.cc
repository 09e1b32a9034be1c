#include "engine/queue/queue_bounds.h"

#include <algorithm>
#include <utility>

namespace holdfast {

QueueBounds::Excess QueueBounds::excess() const {
  if (!is_bounded() || limits_.on_overflow == OverflowPolicy::kRejectSend) return {};
  const QueueCounts counts = state_.counts();
  // Messages that are about to leave count as waiting.
  const std::uint64_t staying = counts.ready + counts.waiting + counts.leased - state_.leaving();
  const std::uint64_t staying_bytes = state_.bytes() - state_.leaving_bytes();
  Excess excess;
  if (limits_.max_length > 0) excess.messages = staying - std::min(staying, limits_.max_length);
  if (limits_.max_bytes > 0) excess.bytes = staying_bytes - std::min(staying_bytes, limits_.max_bytes);
  return excess;
}

std::uint64_t QueueBounds::leases_left() const {
  if (limits_.max_leased == 0) return UINT64_MAX;
  return limits_.max_leased - std::min(limits_.max_leased, state_.counts().leased);
}

Result<void> QueueBounds::check_room(std::size_t bytes, const Load& load) const {
  if (!is_bounded()) return {};
  const bool drops = limits_.on_overflow != OverflowPolicy::kRejectSend;
  const auto full = [&](std::uint64_t limit, const std::string& what) {
    return fail(ErrorCode::kQueueFull,
                "queue '" + name_ + "' is full, its " + what + " is " + std::to_string(limit) +
                    (drops ? ", and dropping all ready messages would not make enough room" : ""));
  };
  const QueueCounts counts = state_.counts();
  const auto signed_sum = [](std::uint64_t count, std::int64_t more) {
    return static_cast<std::int64_t>(count) + more;
  };
  const std::int64_t messages =
      signed_sum(counts.ready + counts.waiting + counts.leased - state_.leaving(), load.messages);
  const std::int64_t droppable = drops ? signed_sum(counts.ready, load.ready_messages) : 0;
  if (limits_.max_length > 0 && std::cmp_greater_equal(messages - droppable, limits_.max_length)) {
    return full(limits_.max_length, "max_length");
  }
  const std::int64_t staying = signed_sum(state_.bytes() - state_.leaving_bytes(), load.bytes) -
                               (drops ? signed_sum(state_.ready_bytes(), load.ready_bytes) : 0);
  if (limits_.max_bytes > 0 && std::cmp_greater(signed_sum(bytes, staying), limits_.max_bytes)) {
    return full(limits_.max_bytes, "max_bytes");
  }
  return {};
}

QueueState::Dropped QueueBounds::drop_heads(const Excess& excess) {
  return state_.drop_heads(std::min(excess.messages, kDropMessages), std::min(excess.bytes, kDropBytes));
}

bool QueueBounds::drop_excess() {
  const Excess too_much = excess();
  if (too_much.any()) (void)drop_heads(too_much);
  return too_much.any();
}

}  // namespace holdfast
