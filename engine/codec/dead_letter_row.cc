#include "codec/dead_letter_row.h"

#include "codec/failure_record.h"
#include "codec/tagged.h"
#include "codec/triage.h"
#include "holdfast/limits.h"

namespace holdfast {

std::string encode_dead_letter_row(const DeadLetterRow& row) {
  std::string out;
  out.reserve(192 + row.record.reason.size() + row.record.stack_trace.size());
  wire::put_varint(out, row.chunk_index);
  put_failure_record(out, row.id, row.record);
  put_triage(out, row.triage);
  return out;
}

Result<DeadLetterRow> decode_dead_letter_row(std::string_view row) {
  wire::Reader reader(row);
  DeadLetterRow result;
  result.chunk_index = reader.varint32();
  bool whole = true;
  const bool decoded = !reader.failed() && result.chunk_index < limits::kChunkMessages &&
                       tagged::for_each_field(reader.rest(), [&](const tagged::Field& field) {
                         whole = whole && (read_failure_record_field(field, result.id, result.record) &&
                                           read_triage_field(field, result.triage));
                       });
  if (!decoded || !whole) return fail(ErrorCode::kCorruption, "a failure record does not decode");
  return result;
}

}  // namespace holdfast
