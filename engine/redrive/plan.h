// A plan says what one step of a task is to move. It is read from the store before any queue is locked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/codec/dead_letters/stored_record.h"
#include "engine/context/context.h"

namespace holdfast {

// A Pick is one dead letter that the task selects.
struct Pick {
  std::uint32_t index = 0;                                       // within its chunk
  MessageView message = {};                                      // lies in the piece's chunk
  Queue* target = nullptr;                                       // null if the message stays
  std::uint64_t LeftInPlace::*left_as = &LeftInPlace::no_queue;  // how it counts without a target
  std::unique_ptr<const Message> edited = {};                    // null if it moves as it is
  std::unique_ptr<const StoredRecord> record = {};
  // If the message is parked, it stays a dead letter, and this is its record in the parking queue.
  std::unique_ptr<DeadLetterRow> parked = {};
  std::string original = {};  // the message before an edit, encoded, to be put beside its new record
};

// A Piece has the picks of one chunk.
struct Piece {
  ChunkSpan span;
  std::shared_ptr<const Chunk> chunk;
  std::vector<Pick> picks;
};

struct Plan {
  std::vector<Piece> pieces;
  std::vector<std::shared_ptr<Queue>> targets;
  std::uint64_t moves = 0;      // picks with a target
  std::size_t bytes = 0;        // what these moves write
  std::uint64_t abandoned = 0;  // dead letters that only their status keeps from being picked
  Seq cursor{};                 // the seq at which the next step begins

  // Returns the queues to lock before any pick moves: `from`, which the plan is of, and the targets.
  std::vector<Queue*> queues(Queue& from) const;
};

// Returns whether the pick has a target that was not deleted since the plan was made. The target is locked,
// by LockedQueues, which the analysis cannot look into; so the function checks it when it runs.
bool has_target(const Pick& pick);
// Returns whether the pick moves. If it does not, counts in `left` why its message stays, unless that is
// gone. `check` is what the pick's queue says of the message. The queue and the target are locked by
// LockedQueues, which the analysis cannot look into.
bool moves(const Pick& pick, ReceiptCheck check, LeftInPlace& left);

// Returns the next picks of the job's task, at most `max` of which move. `from` is the task's queue.
Result<Plan> plan_step(EngineContext& engine, const RedriveJob& job, Queue& from, std::uint64_t max)
    HOLDFAST_REQUIRES(job.step_mutex, from.records_mutex) HOLDFAST_EXCLUDES(inside_gate);

}  // namespace holdfast
