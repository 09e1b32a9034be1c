// Writes the rows in which a queue keeps its state, and removes the rows of messages that are done. A queue
// has one QueueRows, under its mutex.
#pragma once

#include <cstddef>
#include <string>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/core/queue_state.h"
#include "engine/services/chunk_cache.h"
#include "engine/storage/store.h"

namespace holdfast {

class EngineClock;

class QueueRows {
 public:
  QueueRows(QueueId queue, ChunkCache& cache, EngineClock& clock)
      : queue_(queue), cache_(cache), clock_(clock) {}

  // Removes the definition, the checkpoint and the counts of arrivals of a queue that is deleted.
  // remove_purged() removes the rest.
  void remove_queue(Batch& rows) const;
  // Removes all that lies before `before` in a lane that was purged. `deleted` says that the queue is
  // deleted, and all of its rows go.
  void remove_purged(std::size_t lane, Seq before, bool deleted, Batch& rows) const;
  // Removes the rows of a chunk that is in the store and whose messages are all done.
  void remove_finished(const FinishedChunk& finished, Batch& rows);
  // Puts the changed rows of `deliveries` of a lane.
  void put_deliveries(LaneState& lane, const GroupChanges& changes, Batch& rows);
  // Puts the queue's checkpoint. The caller fills in what neither the lanes nor the clock know.
  void put_checkpoint(const QueueState& state, QueueCheckpoint checkpoint, Batch& rows);

 private:
  const QueueId queue_;
  ChunkCache& cache_;
  EngineClock& clock_;
  std::string scratch_;
};

}  // namespace holdfast
