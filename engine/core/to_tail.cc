// Messages that come back and go behind all others.
#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

bool QueueState::may_go_to_tail(Window::const_iterator chunk) const {
  // A dead letter's record names its place; and the order of a group holds.
  return !chunk->second.dead_letters && grouping() != Grouping::kOrdered;
}

bool QueueState::may_go_to_tail(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk != window_.end() && may_go_to_tail(chunk);
}

std::vector<Doomed> QueueState::tailing(std::size_t max) const {
  std::vector<Doomed> result;
  for (auto seq = tailing_.begin(); seq != tailing_.end() && result.size() < max; ++seq) {
    const Seq first = chunk_of(*seq)->first;
    result.push_back({first, static_cast<std::uint32_t>(*seq - first)});
  }
  return result;
}

void QueueState::keep_place(Seq seq) {
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  tailing_.erase(seq);
  entry.to_tail = false;
  schedule(chunk, entry.due);
  touch(chunk);
}

}  // namespace holdfast
