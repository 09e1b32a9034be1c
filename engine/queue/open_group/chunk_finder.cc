#include "engine/queue/open_group/chunk_finder.h"

#include <utility>

#include "engine/codec/encoding/keys.h"

namespace holdfast {

const std::shared_ptr<const Chunk>& ChunkFinder::find(Seq first) {
  if (first_ != first) {
    first_ = first;
    chunk_ = read(first);
  }
  return chunk_;
}

std::shared_ptr<const Chunk> ChunkFinder::read(Seq first) const {
  if (auto chunk = cache_.get(queue_, first)) return chunk;
  auto bytes = store_.get(Family::kMessages, keys::queue_seq(queue_, first));
  if (!bytes || !*bytes) return nullptr;
  auto chunk = Chunk::decode(std::move(**bytes));
  return chunk ? std::move(*chunk) : nullptr;
}

}  // namespace holdfast
