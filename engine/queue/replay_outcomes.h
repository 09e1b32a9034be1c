// An outcome says what became of a redriven message. It is a row beside the message's record, which is
// history in the dead letter queue that the message came from, and it is counted for the task that moved the
// message. The queue in which the ack or the death happens writes it in the same group, and locks no other
// queue for it. If something cannot be read for an outcome, the outcome stays pending, because the engine
// must not stop over it. A queue has one ReplayOutcomes, under its mutex.
#pragma once

#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/commit/commit_group.h"
#include "engine/core/lane_state.h"
#include "engine/queue/open_group/chunk_finder.h"

namespace holdfast {

class Catalog;

class ReplayOutcomes {
 public:
  explicit ReplayOutcomes(const Catalog& catalog) : catalog_(catalog) {}

  // Records that a redriven message died again, in a queue other than the one that has its record.
  void record_redeath(const Lineage& lineage, Timestamp time);
  // Records that a message left without an ack and without a death. A message that was not redriven has no
  // outcome.
  void record_drop(const Lineage& lineage, Timestamp time);
  // Records that redriven messages were acknowledged.
  void record_acks(const std::vector<AckedReplay>& acked, ChunkFinder& chunks);
  // Adds the rows to the group that closes. The gate is closed.
  void contribute(GroupWrites& writes);

 private:
  struct Outcome {
    QueueId queue{};
    Seq seq{};
    Replay replay;
  };

  const Catalog& catalog_;
  std::vector<Outcome> outcomes_;
};

}  // namespace holdfast
