// Brings one queue over to the new store, chunk by chunk.
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
  // `queue` is what is known of the queue. A lost definition or checkpoint is made up. The queue's name is
  // the one in its definition or, if that is lost, the one to give it. `latest` is the latest stored time
  // that the directory has seen.
  QueueRebuilder(const Reader& from, const verify::QueueFacts& queue, Timestamp latest, Writer& writer,
                 verify::Findings& losses, SalvageReport& report);

  Result<void> chunk(Seq first, std::string_view bytes);
  // Writes the definition and the checkpoint. Called after the last chunk.
  Result<void> end();

 private:
  std::optional<ChunkState> state_of(Seq first, const Chunk& chunk);
  static void leave_out(const Chunk& chunk, std::optional<ChunkState>& state);
  static ChunkState fresh_state(const Chunk& chunk);
  // Brings over what consumers said of the failures of the chunk's messages. A description that is lost is no
  // longer named in `state`.
  Result<void> bring_failures(Seq first, ChunkState& state);
  Result<void> bring_failures(const Chunk& scheduled);
  // Brings over the descriptions of one message. Returns the slots whose rows are there.
  Result<FailureSlots> bring_failures(Seq home, FailureSlots slots);
  // Writes the chunk's entry of the index of messages that expire, which is made anew.
  Result<void> put_expiry(Seq first, const Chunk& chunk);
  Result<void> bring_records(Seq first, const Chunk& chunk, const std::optional<ChunkState>& state);
  DeadLetterRow record_of(Seq seq, std::uint32_t index, const MessageView& message);
  Result<void> bring_history();
  Result<void> bring_outcomes();
  // Writes a record and its entries of the index, which is made anew.
  Result<void> put_record(const RecordKey& key, const DeadLetterRow& row);
  Result<void> put_posting(std::string_view key);
  Result<void> put_index_counts();
  // Brings the journal over and makes its list of buckets from the rows that are found.
  Result<void> bring_journal();
  // Returns a bucket with the times that follow from one of its steps, and without entries.
  JournalBucket bucket_with(std::uint64_t number, Timestamp step) const;
  // Brings over the messages that wait outside the log.
  Result<void> scheduled();
  // Reports messages as lost that have a delivery state and no chunk.
  Result<void> report_lost_chunks();
  void report_lost_fresh();

  const Reader& from_;
  const verify::QueueFacts& queue_;
  const Timestamp latest_;
  Writer& writer_;
  verify::Findings& losses_;
  SalvageReport& report_;

  QueueCheckpoint now_;  // the checkpoint as it is rebuilt
  // Returns the lane of `seq` as it is rebuilt so far. Its next_seq begins with the checkpoint's. A cursor of
  // max() means that no fresh message was found yet.
  LaneCheckpoint& lane(Seq seq);
  std::vector<LaneCheckpoint> lanes_;
  std::map<std::string, IndexCount> index_counts_;  // by key
};

}  // namespace holdfast::salvage
