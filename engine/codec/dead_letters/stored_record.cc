#include "engine/codec/dead_letters/stored_record.h"

#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/dead_letters/failure_record.h"
#include "engine/codec/dead_letters/triage_codec.h"
#include "holdfast/limits.h"

namespace holdfast {

Result<std::unique_ptr<const StoredRecord>> StoredRecord::decode(std::string_view row) {
  std::unique_ptr<StoredRecord> record(new StoredRecord(row));
  if (!record->read()) return undecodable_dead_letter_row();
  return record;
}

bool StoredRecord::read() {
  wire::Reader reader(row_);
  chunk_index_ = reader.varint32();
  const std::string_view fields = reader.rest();
  bool whole = true;
  const bool decoded = tagged::for_each_field(fields, [&](const tagged::Field& field) {
    read_indexed_field(field, indexed_);
    if (field.tag == kHasOriginalTag) has_original_ = field.number() != 0;
    whole = whole && read_triage_field(field, triage_);
    if (field.tag >= kFirstTriageTag) return;
    const char* const end = field.value.data() + field.value.size();
    death_ = fields.substr(0, static_cast<std::size_t>(end - fields.data()));
  });
  indexed_.status = triage_.status;
  indexed_.status_since = triage_.status_since;
  indexed_.assignee = triage_.assignee;
  return decoded && whole && !reader.failed() && chunk_index_ < limits::kChunkMessages;
}

std::string StoredRecord::history_row(const Triage& triage, bool has_original, TaskId replayed_by) const {
  std::string out;
  out.reserve(row_.size() + 64);
  wire::put_varint(out, 0);
  out.append(death_);
  put_triage(out, triage);
  tagged::put_number(out, kHasOriginalTag, has_original ? 1 : 0);
  tagged::put_number(out, kReplayedByTag, static_cast<std::uint64_t>(replayed_by));
  return out;
}

}  // namespace holdfast
