// When a queue's messages expire, and the index of that.
#include "engine/queue/queue.h"

#include <algorithm>

#include "engine/codec/encoding/keys.h"
#include "engine/core/seq_math.h"

namespace holdfast {

Timestamp Queue::expires_at(const Message& message, Timestamp visible_at) const {
  if (!message.time_to_live && options_.time_to_live == Duration{0}) return kNever;
  const Duration own = message.time_to_live.value_or(options_.time_to_live);
  const Duration queues = options_.time_to_live > Duration{0} ? options_.time_to_live : own;
  return visible_at + std::min(own, queues);
}

void Queue::expire_chunk(const keys::ExpiryPlace& place, const Chunk* chunk, Timestamp time) {
  expiry_removals_.push_back(place);
  if (chunk == nullptr) return;
  Timestamp next = kNever;
  const ChunkSpan span = chunk->span_at(place.first);
  for (std::uint32_t i = 0; i < chunk->count(); ++i) {
    const Seq seq = place.first + i;
    const Timestamp end = chunk->message(i).expires_at;
    if (end <= time) {
      state.of(seq).expire_message(seq, span);
    } else if (state.of(seq).log().check_free(seq) != ReceiptCheck::kGone) {
      next = std::min(next, end);
    }
  }
  if (next == kNever) return;
  expiry_puts_.push_back({next, place.first});
  expiries.expect(next);
}

void Queue::put_expiries(Batch& rows) {
  for (const auto& [time, first] : expiry_removals_) {
    rows.remove(Family::kScheduled, keys::expiry(id, time, first));
  }
  for (const auto& [time, first] : expiry_puts_)
    rows.put(Family::kScheduled, keys::expiry(id, time, first), "");
  expiry_removals_.clear();
  expiry_puts_.clear();
}

}  // namespace holdfast
