// Puts the picks of a plan together, chunk by chunk.
#pragma once

#include <memory>
#include <optional>

#include "engine/redrive/plan.h"

namespace holdfast {

class PlanBuilder {
 public:
  PlanBuilder(EngineContext& engine, QueueId from) : engine_(engine), from_(from) {}

  // What one plan looks at, at most: bounds its memory and how long its step holds the locks.
  static constexpr std::size_t kMessages = 4096;
  static constexpr std::size_t kBytes = 4 << 20;
  bool full() const { return seen_ >= kMessages || bytes_ >= kBytes; }
  void count_seen() { ++seen_; }
  void count_abandoned() { ++plan_.abandoned; }

  // From here on, picks are of this chunk.
  void begin_piece(Seq first, std::shared_ptr<const Chunk> chunk);
  // From here on, picks are of the chunk of this dead letter, which is read. False if it was settled
  // meanwhile.
  Result<bool> enter_chunk_of(Seq seq, std::uint32_t chunk_index);
  // A pick of the piece, to be given its target once the rest of it is there.
  Pick& add(std::unique_ptr<const StoredRecord> record);
  Seq seq(const Pick& pick) const {
    return Seq{static_cast<std::uint64_t>(plan_.pieces.back().span.first) + pick.index};
  }
  void set_target(Pick& pick, Queue* target);
  // The pick is to be parked: its record moves whole, and how it was before an edit too. If that cannot be
  // read it has no target.
  Result<void> park(Pick& pick, Queue* target);

  // Kept alive with the plan. Null if it was deleted.
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
  std::optional<Unread> unread_;  // the last one: its messages, which are neighbours, share one attempt
  std::size_t seen_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace holdfast
