#include <algorithm>
#include <utility>

#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

QueueState::Changes QueueState::close_group() {
  for (ChunkSpan& span : std::exchange(open_, {})) {
    const auto chunk = window_.find(span.first);
    if (chunk == window_.end()) {
      const auto ahead = std::ranges::lower_bound(ahead_, span.first, {}, &ChunkSpan::first);
      if (ahead != ahead_.end() && ahead->first == span.first) ahead->sizes = std::move(span.sizes);
      continue;
    }
    chunk->second.open = false;
    if (!chunk->second.finished()) continue;
    drop_if_finished(chunk);
    changes_.finished.back().stored = false;
  }
  std::erase_if(changes_.dirty, [&](Seq first) {
    const auto chunk = window_.find(first);
    if (chunk == window_.end()) return true;
    note_sparse(first, chunk->second);
    return false;
  });
  return std::exchange(changes_, {});
}

const ChunkState& QueueState::chunk_for_row(Seq first) {
  using RowPuts = ChunkState::RowPuts;
  ChunkState& chunk = window_.find(first)->second;
  chunk.dirty = false;
  chunk.row_puts = chunk.row_puts == RowPuts::kNone ? RowPuts::kOne : RowPuts::kMany;
  return chunk;
}

}  // namespace holdfast
