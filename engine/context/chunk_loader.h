// Reading a queue's chunks from the store.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/queue/queue.h"
#include "engine/services/chunk_cache.h"
#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// While it lives, its owner reads the queue's chunks from the store without the queue's lock. Past the cursor
// a chunk that is gone looks to the queue's state like one that was never touched: what the store still has
// of those that were gone before is ruled out by wait(), and those that go meanwhile the state remembers.
class ChunkReading {
 public:
  // The queue is not locked here, nor when the reading ends.
  ChunkReading(CommitPipeline& pipeline, Queue& queue);
  ~ChunkReading();
  ChunkReading(const ChunkReading&) = delete;
  ChunkReading& operator=(const ChunkReading&) = delete;

  // To be called before the first look at the store.
  Result<void> wait() const { return pipeline_.wait(removed_); }

 private:
  CommitPipeline& pipeline_;
  Queue& queue_;
  GroupNumber removed_{};
};

class ChunkLoader {
 public:
  ChunkLoader(Store& store, CommitPipeline& pipeline, ChunkCache& cache)
      : store_(store), pipeline_(pipeline), cache_(cache) {}

  // A chunk that is committed; kMessageNotFound if it is not there any more. Of one that was removed it may
  // still be a copy, for those who know otherwise that its messages are there.
  Result<std::shared_ptr<const Chunk>> load(QueueId queue, Seq first);
  // The same, as the store has it now.
  Result<std::shared_ptr<const Chunk>> read(QueueId queue, Seq first);
  // For a step that moves messages: the chunk of each of them, or of the first few if they are large;
  // kMessageNotFound where somebody else, or a purge, was faster. `written`: the group that wrote the last of
  // them. `before`: that of the step before, which is committed first, so that bodies do not pile up in
  // memory.
  using LoadedChunks = std::vector<Result<std::shared_ptr<const Chunk>>>;
  LoadedChunks load_each(QueueId queue, std::span<const MessageRef> messages, GroupNumber written,
                         std::optional<GroupNumber> before);
  // Tells the queue's state of the next chunks from `from` on. Waits for a commit if they are in flight.
  Result<void> load_ahead(Queue& queue, Seq from);
  // Tells the queue's state of what is in these chunks, whose last one is in `written`.
  Result<void> load_contents(Queue& queue, std::span<const Seq> chunks, GroupNumber written);

 private:
  Store& store_;
  CommitPipeline& pipeline_;
  ChunkCache& cache_;
};

}  // namespace holdfast
