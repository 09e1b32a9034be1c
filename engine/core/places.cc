// Where the foremost messages are: for statistics.
#include <algorithm>

#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {
namespace {

Seq first_in(EntryState state, Seq first, const ChunkState& chunk) {
  const auto entry = std::ranges::find(chunk.entries, state, &Entry::state);
  return first + static_cast<std::uint64_t>(entry - chunk.entries.begin());
}

}  // namespace

Seq QueueState::head() const { return window_.empty() ? cursor_ : std::min(cursor_, window_.begin()->first); }

Seq QueueState::first_ready() const {
  if (returned_.empty()) return cursor_;
  const auto chunk = window_.find(*returned_.begin());
  return first_in(EntryState::kReady, chunk->first, chunk->second);
}

std::optional<Seq> QueueState::first_leased() const {
  if (leased_ == 0) return std::nullopt;
  for (const auto& [first, chunk] : window_) {
    const Seq seq = first_in(EntryState::kLeased, first, chunk);
    if (seq - first < chunk.entries.size()) return seq;
  }
  return std::nullopt;
}

}  // namespace holdfast
