#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

bool QueueState::release(Seq seq, const Return& how, Timestamp now) {
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  if (how.charge && !entry.prefetched) return fail_delivery(chunk, entry, now, AttemptEnd::kReleased, how);
  undescribe_next(seq, entry);
  if (!entry.prefetched) --entry.deliveries;
  give_back(chunk, entry, now, how.visible_at, how.to.value_or(ReturnTo::kHead));
  return entry.expired || entry.to_tail;
}

}  // namespace holdfast
