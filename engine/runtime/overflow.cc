// A queue that is full: what it refuses, and what it drops to make room.
#include <algorithm>
#include <utility>

#include "holdfast/limits.h"
#include "runtime/engine_impl.h"

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

namespace {

// What one commit drops at most, should a limit have been lowered far below what is there.
constexpr std::uint64_t kDropMessages = limits::kBatchEntries;
constexpr std::uint64_t kDropBytes = 16U << 20U;

}  // namespace

Lanes::Dropped Queue::drop_heads(const Excess& excess) {
  return state.drop_heads(std::min(excess.messages, kDropMessages), std::min(excess.bytes, kDropBytes));
}

bool Queue::drop_excess() {
  const Excess too_much = excess();
  if (too_much.any()) (void)drop_heads(too_much);
  return too_much.any();
}

namespace {

bool is_less(const Queue::Excess& a, const Queue::Excess& b) {
  return a.messages < b.messages || a.bytes < b.bytes;
}

}  // namespace

Result<std::optional<GroupNumber>> Engine::Impl::make_room(const std::shared_ptr<Queue>& queue) {
  std::optional<GroupNumber> last;
  std::optional<Queue::Excess> before;  // the last drop; without progress others would be dropped and revived
  for (bool more = true; more;) {
    std::optional<Seq> load_from;
    {
      const LockedQueue locked(pipeline.gate(), *queue);
      const Queue::Excess excess = queue->deleted() ? Queue::Excess{} : queue->excess();
      more = excess.any() && (!before || is_less(excess, *before));
      if (more) {
        const Lanes::Dropped dropped = queue->drop_heads(excess);
        load_from = dropped.load_from;
        // What a group has next once its head is gone waits for the next send, as ever.
        const bool is_first_part = excess.messages > kDropMessages || excess.bytes > kDropBytes;
        more = load_from || (is_first_part && dropped.messages > 0);
        if (dropped.messages > 0) {
          pipeline.join(queue, Durability::kBuffered);
          before = excess;
        }
      }
    }
    // What cannot be read is met again by the next send. What was dropped before it goes now.
    if (load_from && !load_ahead(*queue, *load_from)) more = false;
    // The round before is written now, so that what is dropped does not pile up in memory.
    if (more && last) {
      if (auto ok = pipeline.wait(*last); !ok) return tl::unexpected(ok.error());
    }
    const auto buried = bury_exhausted(queue);
    if (!buried) return tl::unexpected(buried.error());
    if (*buried) last = **buried;
  }
  return last;
}

}  // namespace holdfast
