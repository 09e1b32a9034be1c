// The rows in which a queue keeps its state, and the removal of those of messages that are done. A queue has
// one, under its mutex.
#pragma once

#include <cstddef>
#include <string>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/core/lanes.h"
#include "engine/services/chunk_cache.h"
#include "engine/storage/store.h"

namespace holdfast {

class EngineClock;

class QueueRows {
 public:
  QueueRows(QueueId queue, ChunkCache& cache, EngineClock& clock)
      : queue_(queue), cache_(cache), clock_(clock) {}

  // Of a queue that is deleted all goes, its definition too.
  void remove_queue(Batch& rows) const;
  // Of a lane that was purged all goes that lies before `before`. `deleted`: the queue goes.
  void remove_purged(std::size_t lane, Seq before, bool deleted, Batch& rows) const;
  // Of a chunk that is stored, and whose messages are done.
  void remove_finished(const FinishedChunk& finished, Batch& rows);
  // The deliveries of a lane.
  void put_deliveries(QueueState& lane, const GroupChanges& changes, Batch& rows);
  void put_checkpoint(const Lanes& state, Timestamp next_expiry, const std::vector<JournalBucket>& journal,
                      Batch& rows);

 private:
  const QueueId queue_;
  ChunkCache& cache_;
  EngineClock& clock_;
  std::string scratch_;
};

}  // namespace holdfast
