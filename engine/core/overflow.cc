#include "core/queue_state.h"

namespace holdfast {

QueueState::Dropped QueueState::drop_heads(std::uint64_t messages, std::uint64_t bytes) {
  const std::uint64_t delivered = totals_.delivered;
  Dropped dropped;
  ByteBudget any;
  while (dropped.messages < messages || dropped.bytes < bytes) {
    // How many more make up the bytes shows only one by one.
    const std::uint64_t more = dropped.messages < messages ? messages - dropped.messages : 1;
    const LeaseTerms terms{.until = Timestamp::max(), .consumer = nullptr, .begun = false, .nobody = true};
    // Of an ordered queue also what waits for its group: one that is held must not let the queue grow. The
    // order of what is left stays.
    const bool any_group = grouping() == Grouping::kOrdered && unread_.empty();
    const std::vector<Grant> heads = any_group ? lease_oldest(more, terms, any) : receive(more, terms, any);
    for (const Grant& head : heads) {
      const auto chunk = window_.find(head.chunk);
      Entry& entry = chunk->second.entries[head.index];
      entry.prefetched = false;
      entry.overflowed = true;
      set_state(chunk, entry, EntryState::kExhausted);
      dropped.bytes += entry.bytes;
    }
    dropped.messages += heads.size();
    if (heads.size() < more) break;
  }
  totals_.delivered = delivered;  // nobody sees them
  return dropped;
}

}  // namespace holdfast
