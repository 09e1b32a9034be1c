#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

std::optional<Glimpse> QueueState::peek(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) {
    if (!is_untouched(seq)) return std::nullopt;
    return Glimpse{MessageState::kReady, std::nullopt, 0};
  }
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  switch (entry.state) {
    case EntryState::kFresh:
    case EntryState::kReady:
      return Glimpse{MessageState::kReady, std::nullopt, entry.deliveries};
    case EntryState::kLeased:
      return Glimpse{MessageState::kLeased, entry.due, entry.deliveries};
    case EntryState::kWaiting:
      return Glimpse{MessageState::kWaiting, entry.due, entry.deliveries};
    case EntryState::kExhausted:
      return Glimpse{MessageState::kWaiting, std::nullopt, entry.deliveries};
    case EntryState::kDone:
      break;
  }
  return std::nullopt;
}

}  // namespace holdfast
