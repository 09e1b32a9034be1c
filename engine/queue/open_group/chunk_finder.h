// Finds stored chunks of a queue while its group closes. The finder remembers the last chunk, because what it
// is asked for one after another mostly lies in the same chunk.
#pragma once

#include <memory>

#include "engine/codec/rows/chunk.h"
#include "engine/services/chunk_cache.h"
#include "engine/storage/store.h"

namespace holdfast {

class ChunkFinder {
 public:
  ChunkFinder(QueueId queue, ChunkCache& cache, const Store& store)
      : queue_(queue), cache_(cache), store_(store) {}

  // Returns the chunk that begins at `first`, or null if it is gone or cannot be read.
  const std::shared_ptr<const Chunk>& find(Seq first);

 private:
  std::shared_ptr<const Chunk> read(Seq first) const;

  const QueueId queue_;
  ChunkCache& cache_;
  const Store& store_;
  Seq first_{};
  std::shared_ptr<const Chunk> chunk_;
};

}  // namespace holdfast
