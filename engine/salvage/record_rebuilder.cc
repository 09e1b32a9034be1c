#include "engine/salvage/record_rebuilder.h"

#include <utility>

#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/storage/rows.h"

namespace holdfast::salvage {

RecordRebuilder::RecordRebuilder(const Reader& from, const verify::QueueFacts& queue, Writer& writer,
                                 verify::Findings& losses)
    : from_(from), queue_(queue), writer_(writer), losses_(losses) {}

Result<void> RecordRebuilder::bring(Seq seq, std::uint32_t chunk_index, const MessageView& message) {
  return put_record({.seq = seq}, record_of(seq, chunk_index, message));
}

DeadLetterRow RecordRebuilder::record_of(Seq seq, std::uint32_t chunk_index, const MessageView& message) {
  const auto row = from_.get(Family::kDeadLetters, keys::queue_seq(queue_.id, seq));
  if (row && row->has_value()) {
    const auto decoded = decode_dead_letter_row(**row);
    if (decoded && decoded->chunk_index == chunk_index && decoded->record.message_id == message.id)
      return *decoded;
  }
  losses_.add("record_lost", verify::place("dead_letters", queue_.name, queue_.id, seq),
              "the failure record was made up anew");
  FailureRecord record;
  record.message_id = message.id;
  record.source_queue_id = message.lineage.origin_queue;
  record.source_seq = message.lineage.origin_seq;
  record.sent_at = message.sent_at;
  record.reason = "unknown: the failure record was lost, and this one made up by salvage";
  record.replays = message.lineage.replays;
  record.first_failed_at = message.lineage.first_failed_at;
  return {.chunk_index = chunk_index, .id = message.id, .record = std::move(record), .triage = {}};
}

Result<void> RecordRebuilder::end(const std::function<void(Seq)>& note) {
  const auto bring_record = [&](std::string_view bytes, std::string_view value) -> Result<void> {
    const auto key = keys::parse_dead_letter(bytes);
    auto row = decode_dead_letter_row(value);
    if (!key || !row) {
      losses_.add("record_lost", verify::place("dead_letters", queue_.name, queue_.id), "one of the history");
      return {};
    }
    note(key->seq);
    return put_record(*key, *std::move(row));
  };
  const auto bring_beside = [&](std::string_view key, std::string_view value) {
    return bring_outcome(key, value);
  };
  const std::string records = keys::dead_letter(queue_.id, {.history = true});
  const std::string beside = keys::history_end(queue_.id);
  if (auto ok = for_each_row(from_, Family::kHistory, records, beside, bring_record); !ok) return ok;
  if (auto ok = for_each_row(from_, Family::kHistory, beside, keys::queue_end(queue_.id), bring_beside); !ok)
    return ok;
  for (const auto& [key, count] : index_counts_) {
    if (auto ok = writer_.put(Family::kDeadLetterIndex, key, encode_index_count(count)); !ok) return ok;
  }
  return {};
}

Result<void> RecordRebuilder::bring_outcome(std::string_view key, std::string_view value) {
  if (keys::parse_original(key)) return {};  // put_record() brings those that a record names
  if (keys::parse_outcome(key) && decode_replay(value)) return writer_.put(Family::kHistory, key, value);
  losses_.add("rows_lost", verify::place("dead_letter_history", queue_.name, queue_.id),
              "what became of a replayed message");
  return {};
}

Result<void> RecordRebuilder::put_record(const RecordKey& key, DeadLetterRow row) {
  if (row.has_original) {
    if (auto ok = bring_original(key.seq, row); !ok) return ok;
  }
  for (const IndexEntry& entry : index_entries(queue_.id, key, row)) {
    if (auto ok = put_posting(entry.posting); !ok) return ok;
    if (entry.count.empty()) continue;
    IndexCount& count = index_counts_[entry.count];
    ++(key.history ? count.history : count.here);
  }
  return writer_.put(record_family(key.history), keys::dead_letter(queue_.id, key),
                     encode_dead_letter_row(row));
}

Result<void> RecordRebuilder::bring_original(Seq seq, DeadLetterRow& row) {
  const std::string key = keys::original(queue_.id, seq);
  const auto original = from_.get(Family::kHistory, key);
  if (original && original->has_value() && decode_original(**original))
    return writer_.put(Family::kHistory, key, **original);
  losses_.add("original_lost", verify::place("dead_letters", queue_.name, queue_.id, seq),
              "the message as it was before a redrive edited it");
  row.has_original = false;
  return {};
}

Result<void> RecordRebuilder::put_posting(std::string_view key) {
  if (key.empty()) return {};
  return writer_.put(keys::is_id_row(key) ? Family::kDeadLetterIds : Family::kDeadLetterIndex, key, {});
}

}  // namespace holdfast::salvage
