#include <algorithm>

#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

bool QueueState::expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended) {
  bool any = false;
  for (; max_chunks > 0 && next_timer() <= now; --max_chunks) {
    const auto chunk = window_.find(timers_.begin()->second);
    reschedule(chunk, Timestamp::max());
    Timestamp next = Timestamp::max();
    for (Entry& entry : chunk->second.entries) {
      const bool timed =
          entry.state == EntryState::kLeased || (entry.state == EntryState::kWaiting && !entry.to_tail);
      if (timed && entry.due > now) {
        next = std::min(next, entry.due);
        continue;
      }
      any |= timed;
      if (ended != nullptr && entry.state == EntryState::kLeased) {
        const auto index = static_cast<std::uint32_t>(&entry - chunk->second.entries.data());
        ended->push_back({{chunk->first, index}, entry.due, entry.deliveries});
      }
      if (entry.state == EntryState::kLeased && entry.prefetched) {
        give_back(chunk, entry, entry.due, std::nullopt, ReturnTo::kHead);
      } else if (entry.state == EntryState::kLeased) {
        fail_delivery(chunk, entry, entry.due, AttemptEnd::kLeaseExpired, {});
      } else if (timed) {
        set_state(chunk, entry, EntryState::kReady);
      }
    }
    schedule(chunk, next);
  }
  return any;
}

std::vector<Doomed> QueueState::exhausted(Seq from, std::size_t max) const {
  std::vector<Doomed> result;
  for (auto seq = exhausted_.lower_bound(from); seq != exhausted_.end() && result.size() < max; ++seq) {
    const Seq first = chunk_of(*seq)->first;
    result.push_back({first, static_cast<std::uint32_t>(*seq - first)});
  }
  return result;
}

void QueueState::revive(Seq seq) {
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  entry.overflowed = false;
  set_state(chunk, entry, EntryState::kReady);
}

}  // namespace holdfast
