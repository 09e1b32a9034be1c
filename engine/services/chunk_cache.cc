#include "engine/services/chunk_cache.h"

#include <iterator>
#include <utility>

namespace holdfast {

void ChunkCache::put(QueueId queue, Seq first, std::shared_ptr<const Chunk> chunk) {
  const sync::Lock lock(mutex_);
  const Key key{queue, first};
  if (index_.contains(key)) return;  // chunks are immutable
  bytes_ += chunk->bytes().size();
  items_.push_front({key, std::move(chunk)});
  index_.emplace(key, items_.begin());
  while (bytes_ > capacity_bytes_ && items_.size() > 1) drop(std::prev(items_.end()));
}

std::shared_ptr<const Chunk> ChunkCache::get(QueueId queue, Seq first) {
  const sync::Lock lock(mutex_);
  const auto found = index_.find({queue, first});
  if (found == index_.end()) return nullptr;
  items_.splice(items_.begin(), items_, found->second);
  return found->second->chunk;
}

std::shared_ptr<const Chunk> ChunkCache::take(QueueId queue, Seq first) {
  const sync::Lock lock(mutex_);
  const auto found = index_.find({queue, first});
  if (found == index_.end()) return nullptr;
  auto chunk = found->second->chunk;
  drop(found->second);
  return chunk;
}

void ChunkCache::drop(Items::iterator item) {
  bytes_ -= item->chunk->bytes().size();
  index_.erase(item->key);
  items_.erase(item);
}

}  // namespace holdfast
