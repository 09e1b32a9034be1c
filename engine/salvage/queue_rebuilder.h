// Brings one queue over to the new store, chunk by chunk.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/core/chunk_state.h"
#include "engine/salvage/record_rebuilder.h"
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
  // Sets what has left the chunk to done, whatever a row that is lost or older says: messages that were left
  // out of it, and dead letters whose records are history.
  Result<void> leave_out(Seq first, const Chunk& chunk, std::optional<ChunkState>& state);
  // Notes which messages of the chunk at `first` have a record in history.
  Result<void> note_history(Seq first, std::vector<bool>& gone) const;
  static void set_done(ChunkState& state, std::uint32_t index);
  static ChunkState fresh_state(const Chunk& chunk);
  // Counts the messages of the chunk that are left, and brings over their failure records.
  Result<void> bring_messages(Seq first, const Chunk& chunk, const std::optional<ChunkState>& state);
  // Brings over what consumers said of the failures of the chunk's messages. A description that is lost is no
  // longer named in `state`.
  Result<void> bring_failures(Seq first, ChunkState& state);
  // Brings over what consumers said of the failures of messages that wait outside the log. Returns the chunk
  // without mention of what is lost.
  Result<std::shared_ptr<const Chunk>> bring_failures(std::shared_ptr<const Chunk> scheduled);
  // Brings over what consumers said of the failures of one message that waits outside the log. Returns what
  // it carries along.
  Result<std::string> bring_carried(std::string_view bytes);
  // Brings over the descriptions of one message. Returns the slots whose rows are there. If damage has
  // brought a message back beside its later place, the descriptions belong to the place that is brought over
  // first.
  Result<FailureSlots> bring_failures(Seq home, FailureSlots slots);
  // Writes the chunk's entry of the index of messages that expire, which is made anew.
  Result<void> put_expiry(Seq first, const Chunk& chunk);
  // Brings the journal over and makes its list of buckets from the rows that are found.
  Result<void> bring_journal();
  // Returns a bucket with the times that follow from one of its steps, and without entries.
  JournalBucket bucket_with(std::uint64_t number, Timestamp step) const;
  // Brings over the messages that wait outside the log.
  Result<void> scheduled();
  Result<void> bring_scheduled(std::string_view key, std::string_view value);
  // `expected` is how many the checkpoint counted.
  void report_scheduled(std::uint64_t expected);
  // Reports messages as lost that have a delivery state and no chunk.
  Result<void> report_lost_chunks();
  void report_lost_fresh();

  const Reader& from_;
  const verify::QueueFacts& queue_;
  const Timestamp latest_;
  Writer& writer_;
  verify::Findings& losses_;
  SalvageReport& report_;
  RecordRebuilder records_;

  QueueCheckpoint now_;  // the checkpoint as it is rebuilt
  // Returns the lane of `seq` as it is rebuilt so far. Its next_seq begins with the checkpoint's. A cursor of
  // max() means that no fresh message was found yet.
  LaneCheckpoint& lane(Seq seq);
  std::vector<LaneCheckpoint> lanes_;
  std::set<Seq> undecodable_;                     // the chunks that are there and do not decode
  std::map<Seq, FailureSlots> brought_failures_;  // by home
};

}  // namespace holdfast::salvage
