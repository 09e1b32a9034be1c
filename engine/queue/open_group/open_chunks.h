// OpenChunks has the chunks that a queue writes with the open group, and how far the store has those that it
// wrote before. A queue has one, under its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/core/queue_state.h"
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
  // The state belongs to the queue.
  OpenChunks(QueueId queue, QueueState& state, ChunkCache& cache);

  // Returns the builder to which the caller adds a message that enters the log. The queue's state has the
  // message from then on.
  ChunkBuilder& builder_for(const ChunkPlacement& place);
  // Returns the id of a message of the open group, or nothing if none of its chunks has the message.
  std::optional<MessageId> id_of(const MessageRef& place) const;
  // Forgets a chunk that is not stored yet, because all its messages are done.
  void forget(Seq first);
  // Puts a chunk of the window into the open group again, without its messages that are done. `stored` is the
  // chunk as the store has it. Returns the bytes that this saves, or 0 if it is not done.
  std::size_t compact(Seq first, const Chunk& stored);
  void clear();

  void contribute(GroupWrites& writes, ExpiryIndex& expiries);
  // Says that the queue has contributed to `group`.
  void note_closed(GroupNumber group);
  // Says that `group`, which closes, removes chunks past the cursor.
  void note_removal_past_cursor(GroupNumber group) { removal_past_cursor_group_ = group; }

  // Returns the seq up to which the store has all chunks of the lane of `from`, given what is committed by
  // now.
  Seq committed_end(const CommitPipeline& pipeline, Seq from) const;
  // Returns a group by which all chunks of this queue are written: the open group, or the last one that the
  // queue contributed to.
  GroupNumber last_group(const CommitPipeline& pipeline) const;
  // Returns the last group that removed or will remove chunks past the cursor.
  GroupNumber last_removal_past_cursor(const CommitPipeline& pipeline) const;

 private:
  void note_ends();
  void put_compacted(GroupWrites& writes);

  const QueueId queue_;
  QueueState& state_;
  ChunkCache& cache_;
  std::vector<ChunkBuilder> builders_;
  // The last chunk that was written became this large. Chunks of one queue are mostly alike, so a new one
  // takes about that much memory at once.
  std::uint32_t usual_count_ = 0;
  std::size_t usual_bytes_ = 0;
  struct CompactedChunk {
    Seq first;
    std::shared_ptr<const Chunk> chunk;
  };
  std::vector<CompactedChunk> compacted_;

  // `closed_group_` is the last group that the queue contributed to. For each lane, `closed` is its end at
  // that time, and `previous` its end before.
  GroupNumber closed_group_{};
  struct LaneEnd {
    Seq closed;
    Seq previous;
  };
  std::vector<LaneEnd> ends_;
  GroupNumber removal_past_cursor_group_{};
};

}  // namespace holdfast
