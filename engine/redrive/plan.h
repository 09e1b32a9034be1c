// What one step of a task is to move: read from the store before any queue is locked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/codec/dead_letters/stored_record.h"
#include "engine/context/context.h"

namespace holdfast {

// One dead letter that the task selects.
struct Pick {
  std::uint32_t index = 0;                                       // within its chunk
  MessageView message = {};                                      // of the piece's chunk
  Queue* target = nullptr;                                       // null: it stays
  std::uint64_t LeftInPlace::*left_as = &LeftInPlace::no_queue;  // what it counts as if it has no target
  std::unique_ptr<const Message> edited = {};                    // null: moved as it is
  std::unique_ptr<const StoredRecord> record = {};
  std::unique_ptr<DeadLetterRow> parked =
      {};                     // it stays a dead letter, in the parking queue: its record there
  std::string original = {};  // as it was before an edit, to be put beside its new record
};

// Picks of one chunk.
struct Piece {
  ChunkSpan span;
  std::shared_ptr<const Chunk> chunk;
  std::vector<Pick> picks;
};

struct Plan {
  std::vector<Piece> pieces;
  std::vector<std::shared_ptr<Queue>> targets;
  std::uint64_t moves = 0;      // picks with a target
  std::size_t bytes = 0;        // that these write anew
  std::uint64_t abandoned = 0;  // selected but for that, and not picked
  Seq cursor{};                 // where the next step begins
};

// The next picks of the job's task, at most `max` that would move. Its step_mutex and its queue's
// records_mutex are held.
Result<Plan> plan_step(EngineContext& engine, const RedriveJob& job, std::uint64_t max);

}  // namespace holdfast
