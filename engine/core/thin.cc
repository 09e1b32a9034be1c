#include <algorithm>
#include <iterator>

#include "core/queue_state.h"

namespace holdfast {

// Once for each chunk that a group changed and left, so that one which is settled in a sweep costs nothing.
void QueueState::note_sparse(Seq first, const ChunkState& chunk) {
  const std::size_t stored = chunk.count() - chunk.thinned;
  const std::size_t garbage = chunk.done - chunk.thinned;
  if (2 * garbage >= stored) sparse_.insert(first);
}

std::vector<Seq> QueueState::sparse_chunks(std::size_t max) const {
  std::vector<Seq> chunks;
  const auto count = static_cast<std::ptrdiff_t>(std::min(max, sparse_.size()));
  std::copy_n(sparse_.begin(), count, std::back_inserter(chunks));
  return chunks;
}

const ChunkState* QueueState::stored_chunk(Seq first) const {
  const auto chunk = window_.find(first);
  return chunk == window_.end() || chunk->second.open ? nullptr : &chunk->second;
}

void QueueState::thin(Seq first) {
  ChunkState& chunk = window_.find(first)->second;
  chunk.thinned = chunk.done;
  sparse_.erase(first);
}

}  // namespace holdfast
