#include "core/queue_state.h"

namespace holdfast {

std::size_t QueueState::drop_heads(std::size_t max) {
  const std::uint64_t delivered = totals_.delivered;
  const std::vector<Grant> heads = receive(max, {{}, Timestamp::max(), nullptr, false});
  totals_.delivered = delivered;  // nobody sees them
  for (const Grant& head : heads) {
    const auto chunk = window_.find(head.chunk);
    Entry& entry = chunk->second.entries[head.index];
    entry.prefetched = false;
    entry.overflowed = true;
    set_state(chunk, entry, EntryState::kExhausted);
  }
  return heads.size();
}

}  // namespace holdfast
