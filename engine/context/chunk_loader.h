// Reads a queue's chunks from the store.
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

// Lets its owner read the queue's chunks from the store without the queue's lock, as long as it lives. Past
// the cursor, a chunk that is gone looks to the queue's state like one that was never touched. wait() makes
// sure that the store no longer has the chunks that were gone before the reading began. The state remembers
// those that finish during the reading.
class ChunkReading {
 public:
  ChunkReading(CommitPipeline& pipeline, Queue& queue) HOLDFAST_EXCLUDES(inside_gate);
  ~ChunkReading() HOLDFAST_EXCLUDES(inside_gate);
  ChunkReading(const ChunkReading&) = delete;
  ChunkReading& operator=(const ChunkReading&) = delete;

  // Waits for the removals from before. It is called before the first look at the store.
  Result<void> wait() const HOLDFAST_EXCLUDES(inside_gate) { return pipeline_.wait(removed_); }

 private:
  CommitPipeline& pipeline_;
  Queue& queue_;
  GroupNumber removed_{};
};

class ChunkLoader {
 public:
  ChunkLoader(Store& store, CommitPipeline& pipeline, ChunkCache& cache)
      : store_(store), pipeline_(pipeline), cache_(cache) {}

  // Returns a chunk that is committed. kMessageNotFound if it is gone. Of a chunk that was removed it may
  // return a copy, so the caller must know by other means that its messages are there.
  Result<std::shared_ptr<const Chunk>> load(QueueId queue, Seq first) HOLDFAST_EXCLUDES(inside_gate);
  // Returns a committed chunk as the store has it now, without a look at the cache. kMessageNotFound if it is
  // gone.
  Result<std::shared_ptr<const Chunk>> read(QueueId queue, Seq first) HOLDFAST_EXCLUDES(inside_gate);
  // Returns the chunk of each message, or only of the first few if they are large, for a step that moves
  // messages. kMessageNotFound of a message that somebody else, or a purge, took away first. `written` is the
  // group that wrote the last of the messages. `before` is the group of the step before; it is committed
  // first, so that bodies do not pile up in memory.
  using LoadedChunks = std::vector<Result<std::shared_ptr<const Chunk>>>;
  LoadedChunks load_each(QueueId queue, std::span<const MessageRef> messages, GroupNumber written,
                         std::optional<GroupNumber> before) HOLDFAST_EXCLUDES(inside_gate);
  // Tells the queue's state of the chunks from `from` on. It waits for a commit if they are not in the store
  // yet.
  Result<void> load_ahead(Queue& queue, Seq from) HOLDFAST_EXCLUDES(inside_gate);
  // Tells the queue's state of the contents of these chunks. `written` is the group that wrote the last of
  // them.
  Result<void> load_contents(Queue& queue, std::span<const Seq> chunks, GroupNumber written)
      HOLDFAST_EXCLUDES(inside_gate);

 private:
  // `Ahead` has what was read of the chunks from a place on: all that there are up to `end`.
  struct Ahead {
    std::vector<ChunkSpan> spans = {};
    Seq end{};
  };
  // Reads a bounded number of the chunks in [from, end). It fails only if it can read none.
  Result<Ahead> read_ahead(QueueId queue, Seq from, Seq end, bool grouped) HOLDFAST_EXCLUDES(inside_gate);

  Store& store_;
  CommitPipeline& pipeline_;
  ChunkCache& cache_;
};

}  // namespace holdfast
