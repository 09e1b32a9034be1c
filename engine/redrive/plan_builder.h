// Puts the picks of a plan together, chunk by chunk.
#pragma once

#include <memory>
#include <optional>

#include "engine/redrive/plan.h"

namespace holdfast {

class PlanBuilder {
 public:
  PlanBuilder(EngineContext& engine, QueueId from) : engine_(engine), from_(from) {}

  // One plan looks at this much at most, and its step writes no more. This bounds the plan's memory, and the
  // time for which the step holds the locks. The last message may take a plan beyond it.
  static constexpr std::size_t kMessages = 4096;
  static constexpr std::size_t kBytes = 4 << 20;
  bool full() const { return seen_ >= kMessages || bytes_ >= kBytes; }
  void count_seen() { ++seen_; }
  void count_abandoned() { ++plan_.abandoned; }

  // Begins a piece. The picks that follow are of this chunk.
  void begin_piece(Seq first, std::shared_ptr<const Chunk> chunk);
  // Reads the chunk of a dead letter, and begins a piece with it unless the last piece has it. The picks that
  // follow are of this chunk. Returns false if the dead letter was settled meanwhile.
  Result<bool> enter_chunk_of(Seq seq, std::uint32_t chunk_index);
  // Adds a pick to the last piece. The caller gives it a target once the rest of it is there.
  Pick& add(std::unique_ptr<const StoredRecord> record);
  Seq seq(const Pick& pick) const {
    return Seq{static_cast<std::uint64_t>(plan_.pieces.back().span.first) + pick.index};
  }
  void set_target(Pick& pick, Queue* target);
  // Makes a pick that is parked. Its record moves as a whole, and so does the message as it was before an
  // edit. If these cannot be read, the pick has no target.
  Result<void> park(Pick& pick, Queue* target);

  // These return the queue, which lives as long as the plan, or null if it was deleted.
  Queue* queue(QueueId id);
  Queue* keep(const std::shared_ptr<Queue>& queue);

  std::uint64_t moves() const { return plan_.moves; }
  Plan finish(Seq cursor) &&;

 private:
  EngineContext& engine_;
  const QueueId from_;
  Plan plan_;
  Queue* last_ = nullptr;
  struct Unread {
    Seq first{};
    Error error;
  };
  // `unread_` is the last chunk that could not be read. Its messages, which are neighbours, share one try.
  std::optional<Unread> unread_;
  std::size_t seen_ = 0;
  std::size_t bytes_ = 0;  // of messages, of what edits make of them, and of records
};

}  // namespace holdfast
