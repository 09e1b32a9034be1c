#include "engine/codec/rows/replay_row.h"

#include "engine/codec/encoding/wire.h"

namespace holdfast {

std::string encode_replay(const Replay& replay) {
  std::string row;
  wire::put_u8(row, static_cast<std::uint8_t>(replay.outcome));
  wire::put_time(row, replay.at);
  return row;
}

Result<Replay> decode_replay(std::string_view row) {
  wire::Reader reader(row);
  Replay replay;
  replay.outcome = static_cast<ReplayOutcome>(reader.u8());
  replay.at = reader.time();
  const bool known = replay.outcome >= ReplayOutcome::kPending && replay.outcome <= ReplayOutcome::kDropped;
  if (!reader.failed() && reader.at_end() && known) return replay;
  return fail(ErrorCode::kCorruption, "the outcome of a replay does not decode");
}

std::string encode_replay_counts(const ReplayCounts& counts) {
  std::string row;
  for (const std::uint64_t count : {counts.acked, counts.died_again, counts.died_elsewhere, counts.dropped})
    wire::put_varint(row, count);
  return row;
}

Result<ReplayCounts> decode_replay_counts(std::string_view row) {
  wire::Reader reader(row);
  ReplayCounts counts;
  for (std::uint64_t* count : {&counts.acked, &counts.died_again, &counts.died_elsewhere, &counts.dropped})
    *count = reader.varint();
  if (!reader.failed() && reader.at_end()) return counts;
  return fail(ErrorCode::kCorruption, "the outcomes of a redrive do not decode");
}

std::string encode_original(const MessageView& message) {
  ChunkBuilder builder(Seq{1}, ChunkKind::kMessages);
  builder.add_copy(message, {});
  return std::move(builder).finish()->bytes();
}

Result<OriginalMessage> decode_original(std::string_view row) {
  const auto chunk = Chunk::decode(std::string(row));
  if (!chunk) return tl::unexpected(chunk.error());
  if ((*chunk)->count() != 1 || !(*chunk)->holds(0))
    return fail(ErrorCode::kCorruption, "the original of an edited message does not decode");
  const MessageView message = (*chunk)->message(0);
  return OriginalMessage{std::string(message.body), message.attributes()};
}

}  // namespace holdfast
