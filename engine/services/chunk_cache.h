// The cache has the chunks that were written or read lately, so that most receives need not ask the store.
// The least recently used chunk leaves first. Thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

#include "engine/codec/rows/chunk.h"
#include "engine/sync/mutex.h"
#include "holdfast/ids.h"

namespace holdfast {

class ChunkCache {
 public:
  explicit ChunkCache(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  void put(QueueId queue, Seq first, std::shared_ptr<const Chunk> chunk);
  // Returns the chunk, or null if the cache does not have it.
  std::shared_ptr<const Chunk> get(QueueId queue, Seq first);
  // Takes the chunk out of the cache and returns it, or null if the cache does not have it.
  std::shared_ptr<const Chunk> take(QueueId queue, Seq first);

 private:
  struct Key {
    QueueId queue;
    Seq first;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return static_cast<std::size_t>(key.queue) * 0x9e3779b97f4a7c15U ^ static_cast<std::size_t>(key.first);
    }
  };
  struct Item {
    Key key;
    std::shared_ptr<const Chunk> chunk;
  };
  using Items = std::list<Item>;

  void drop(Items::iterator item) HOLDFAST_REQUIRES(mutex_);

  const std::size_t capacity_bytes_;
  sync::Mutex mutex_;
  Items items_ HOLDFAST_GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<Key, Items::iterator, KeyHash> index_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t bytes_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
