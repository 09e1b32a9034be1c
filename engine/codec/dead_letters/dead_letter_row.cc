#include "engine/codec/dead_letters/dead_letter_row.h"

#include "engine/codec/dead_letters/failure_record.h"
#include "engine/codec/dead_letters/triage_codec.h"
#include "engine/codec/encoding/tagged.h"
#include "holdfast/limits.h"

namespace holdfast {

tl::unexpected<Error> undecodable_dead_letter_row() {
  return fail(ErrorCode::kCorruption, "a failure record does not decode");
}

std::string encode_dead_letter_row(const DeadLetterRow& row) {
  std::string out;
  out.reserve(192 + row.record.reason.size() + row.record.stack_trace.size());
  wire::put_varint(out, row.chunk_index);
  put_failure_record(out, row.id, row.record);
  put_triage(out, row.triage);
  tagged::put_number(out, kHasOriginalTag, row.has_original ? 1 : 0);
  tagged::put_number(out, kReplayedByTag, static_cast<std::uint64_t>(row.replayed_by));
  return out;
}

Result<std::string_view> reason_of_dead_letter_row(std::string_view row) {
  wire::Reader reader(row);
  reader.varint32();
  const auto reason = reader.failed() ? std::nullopt : reason_of_failure_record(reader.rest());
  if (!reason) return undecodable_dead_letter_row();
  return *reason;
}

TaskId replayed_by_of_dead_letter_row(std::string_view row) {
  wire::Reader reader(row);
  reader.varint32();
  TaskId task{};
  const bool decoded =
      !reader.failed() && tagged::for_each_field(reader.rest(), [&](const tagged::Field& field) {
        if (field.tag == kReplayedByTag) task = TaskId{field.number()};
      });
  return decoded ? task : TaskId{};
}

Result<DeadLetterRow> decode_dead_letter_row(std::string_view row) {
  wire::Reader reader(row);
  DeadLetterRow result;
  result.chunk_index = reader.varint32();
  bool whole = true;
  const bool decoded = !reader.failed() && result.chunk_index < limits::kChunkMessages &&
                       tagged::for_each_field(reader.rest(), [&](const tagged::Field& field) {
                         if (field.tag == kHasOriginalTag) result.has_original = field.number() != 0;
                         if (field.tag == kReplayedByTag) result.replayed_by = TaskId{field.number()};
                         whole = whole && (read_failure_record_field(field, result.id, result.record) &&
                                           read_triage_field(field, result.triage));
                       });
  if (!decoded || !whole) return undecodable_dead_letter_row();
  return result;
}

}  // namespace holdfast
