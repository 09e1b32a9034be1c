// Brings one queue over, chunk by chunk.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/rows/chunk.h"
#include "engine/core/chunk_state.h"
#include "engine/salvage/writer.h"
#include "engine/verify/facts.h"

namespace holdfast::salvage {

class QueueRebuilder {
 public:
  // `queue`: what is known of it; its definition and checkpoint are made up if they are lost.
  QueueRebuilder(const Reader& from, const verify::QueueFacts& queue, Writer& writer,
                 verify::Findings& losses, SalvageReport& report);

  Result<void> chunk(Seq first, std::string_view bytes);
  // The definition and the checkpoint, after the last chunk.
  Result<void> end();

 private:
  std::optional<ChunkState> state_of(Seq first, const Chunk& chunk);
  static void leave_out(const Chunk& chunk, std::optional<ChunkState>& state);
  static ChunkState fresh_state(const Chunk& chunk);
  // Its entry of the index of messages that expire, which is made anew.
  Result<void> bring_failures(Seq first, ChunkState& state);
  Result<void> bring_failures(const Chunk& scheduled);
  // Gives the slots whose rows are there.
  Result<FailureSlots> bring_failures(Seq home, FailureSlots slots);
  Result<void> put_expiry(Seq first, const Chunk& chunk);
  Result<void> bring_records(Seq first, const Chunk& chunk, const std::optional<ChunkState>& state);
  DeadLetterRow record_of(Seq seq, std::uint32_t index, const MessageView& message);
  Result<void> bring_history();
  Result<void> bring_outcomes();
  // With its entries of the index, which is made anew.
  Result<void> put_record(const RecordKey& key, const DeadLetterRow& row);
  Result<void> put_posting(std::string_view key);
  Result<void> put_index_counts();
  // With its buckets as they are found.
  Result<void> bring_journal();
  // The messages that wait outside the log.
  Result<void> scheduled();
  // Delivery states whose chunk is gone: what is known to be lost.
  Result<void> report_lost_chunks();
  void report_lost_fresh();

  const Reader& from_;
  const verify::QueueFacts& queue_;
  Writer& writer_;
  verify::Findings& losses_;
  SalvageReport& report_;

  QueueCheckpoint now_;  // as rebuilt
  // Of each lane: what was, and what is there now. A cursor of max() is not known yet.
  LaneCheckpoint& lane(Seq seq);
  std::vector<LaneCheckpoint> lanes_;
  std::map<std::string, IndexCount> index_counts_;  // by key
};

}  // namespace holdfast::salvage
