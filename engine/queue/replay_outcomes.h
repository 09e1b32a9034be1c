// What became of redriven messages: rows beside their records, which are history in the dead letter queues
// that they came from, and the counts of the tasks that moved them. Written with the ack or the death, by the
// queue where that was; nobody else is locked for it. An outcome for which something cannot be read stays
// pending: the engine must not stop over it. A queue has one, under its mutex.
#pragma once

#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/commit/commit_group.h"
#include "engine/core/queue_state.h"
#include "engine/queue/open_group/chunk_finder.h"

namespace holdfast {

class Catalog;

class ReplayOutcomes {
 public:
  explicit ReplayOutcomes(const Catalog& catalog) : catalog_(catalog) {}

  // A message that was redriven died again, in a queue other than the one that has its record.
  void record_redeath(const Lineage& lineage, Timestamp time);
  // A message is gone without an ack and without a death; says so of one that was redriven.
  void record_drop(const Lineage& lineage, Timestamp time);
  // Redriven messages that were acknowledged.
  void record_acks(const std::vector<AckedReplay>& acked, ChunkFinder& chunks);
  // With the gate closed.
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
