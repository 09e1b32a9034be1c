// The chunks that a queue writes with the open group, and up to where the store has those that it wrote
// before. A queue has one, under its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/core/lanes.h"
#include "engine/queue/open_group/expiry_index.h"
#include "engine/services/chunk_cache.h"

namespace holdfast {

struct ChunkPlacement {
  ChunkKind kind;
  std::uint32_t bytes;  // of body and attributes
  Timestamp sent_at;
  std::string_view group;
  std::size_t lane;
};

class OpenChunks {
 public:
  // The state is the queue's.
  OpenChunks(QueueId queue, Lanes& state, ChunkCache& cache);

  // Where a message goes that enters the log; the queue's state has it then.
  ChunkBuilder& builder_for(const ChunkPlacement& place);
  // The id of a message of the open group; nothing if it is in none of its chunks.
  std::optional<MessageId> id_of(const MessageRef& place) const;
  // The messages of a chunk that is not stored yet are done.
  void forget(Seq first);
  // A chunk of the window goes into the open group again, without the messages that are done: `stored` is
  // what the store has. Gives the bytes that this saves; 0 if there is nothing to save.
  std::size_t compact(Seq first, const Chunk& stored);
  void clear();

  void contribute(GroupWrites& writes, ExpiryIndex& expiries);
  // The queue has contributed to this group.
  void note_closed(GroupNumber group);
  // With this group, which closes, it removes chunks past the cursor.
  void note_removal_past_cursor(GroupNumber group) { removal_past_cursor_group_ = group; }

  // Up to where the store has all chunks of the lane that `from` is in, given what is committed.
  Seq committed_end(const CommitPipeline& pipeline, Seq from) const;
  // The last group that chunks of this queue went or will go to.
  GroupNumber last_group(const CommitPipeline& pipeline) const;
  // The last group that removed or will remove chunks past the cursor.
  GroupNumber last_removal_past_cursor(const CommitPipeline& pipeline) const;

 private:
  void note_ends();
  void put_compacted(GroupWrites& writes);

  const QueueId queue_;
  Lanes& state_;
  ChunkCache& cache_;
  std::vector<ChunkBuilder> builders_;
  struct CompactedChunk {
    Seq first;
    std::shared_ptr<const Chunk> chunk;
  };
  std::vector<CompactedChunk> compacted_;

  // The last group that the queue contributed to, with the end of each lane then, and the end before that.
  GroupNumber closed_group_{};
  struct LaneEnd {
    Seq closed;
    Seq previous;
  };
  std::vector<LaneEnd> ends_;
  GroupNumber removal_past_cursor_group_{};
};

}  // namespace holdfast
