#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

bool QueueState::release(Seq seq, bool charge, std::optional<Timestamp> visible_at, Timestamp now) {
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  if (charge && !entry.prefetched) return fail_delivery(chunk, entry, now, AttemptEnd::kReleased, visible_at);
  if (!entry.prefetched) --entry.deliveries;
  give_back(chunk, entry, now, visible_at);
  return entry.expired;
}

}  // namespace holdfast
