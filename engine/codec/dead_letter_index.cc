#include "codec/dead_letter_index.h"

#include <algorithm>

#include "codec/big_endian.h"
#include "codec/keys.h"
#include "codec/wire.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kHistoryBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kOutcomeBits = kHistoryBit | std::uint64_t{1} << 62;
constexpr std::uint64_t kOriginalBits = kOutcomeBits | std::uint64_t{1} << 61;
constexpr std::uint8_t kCountBit = 0x80;

std::uint64_t micros(Timestamp time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }

std::string prefix(QueueId queue, std::uint8_t kind, std::string_view value) {
  std::string key;
  key.reserve(28 + value.size());
  append_big_endian(key, static_cast<std::uint64_t>(queue));
  key.push_back(static_cast<char>(kind));
  key.push_back(static_cast<char>(value.size() >> 8));
  key.push_back(static_cast<char>(value.size()));
  key.append(value);
  return key;
}

constexpr std::size_t kPrefixBytes = 11;
constexpr std::size_t kPlaceBytes = 17;

std::uint8_t count_kind(IndexKind kind) { return static_cast<std::uint8_t>(kind) | kCountBit; }

std::string number_value(std::uint64_t number) {
  std::string value;
  append_big_endian(value, number);
  return value;
}

bool ends(DeadLetterStatus status) {
  return status == DeadLetterStatus::kReplayed || status == DeadLetterStatus::kAbandoned;
}

}  // namespace

namespace keys {

std::string dead_letter(QueueId queue, const RecordKey& record) {
  const auto seq = static_cast<std::uint64_t>(record.seq);
  return queue_seq(queue, Seq{record.history ? seq | kHistoryBit : seq});
}

std::optional<RecordKey> parse_dead_letter(std::string_view key) {
  const auto parsed = parse_queue_seq(key);
  if (!parsed) return std::nullopt;
  const auto seq = static_cast<std::uint64_t>(parsed->seq);
  if (seq >= kOutcomeBits) return std::nullopt;
  return RecordKey{(seq & kHistoryBit) != 0, Seq{seq & ~kHistoryBit}};
}

std::string history_end(QueueId queue) { return outcome(queue, Seq{0}); }

std::string outcome(QueueId queue, Seq seq) {
  return queue_seq(queue, Seq{static_cast<std::uint64_t>(seq) | kOutcomeBits});
}

std::string original(QueueId queue, Seq seq) {
  return queue_seq(queue, Seq{static_cast<std::uint64_t>(seq) | kOriginalBits});
}

std::string posting_prefix(QueueId queue, IndexKind kind, std::string_view value) {
  return prefix(queue, static_cast<std::uint8_t>(kind), value);
}

std::string posting(QueueId queue, IndexKind kind, std::string_view value, const DeadLetterCursor& place) {
  std::string key = posting_prefix(queue, kind, value);
  key.push_back(place.history ? 1 : 0);
  append_big_endian(key, micros(place.died_at));
  append_big_endian(key, static_cast<std::uint64_t>(place.seq));
  return key;
}

std::optional<DeadLetterCursor> parse_posting(std::string_view key) {
  if (key.size() < kPrefixBytes + kPlaceBytes) return std::nullopt;
  const std::string_view place = key.substr(key.size() - kPlaceBytes);
  return DeadLetterCursor{.history = place[0] != 0,
                          .died_at = Timestamp(Duration(static_cast<std::int64_t>(big_endian_at(place, 1)))),
                          .seq = Seq{big_endian_at(place, 9)}};
}

std::string count(QueueId queue, IndexKind kind, std::string_view value) {
  return prefix(queue, count_kind(kind), value);
}

std::string counts_begin(QueueId queue, IndexKind kind) { return prefix(queue, count_kind(kind), {}); }

std::string counts_end(QueueId queue, IndexKind kind) {
  return prefix(queue, static_cast<std::uint8_t>(count_kind(kind) + 1), {});
}

std::optional<std::string_view> parse_count(std::string_view key) {
  if (key.size() < kPrefixBytes) return std::nullopt;
  return key.substr(kPrefixBytes);
}

}  // namespace keys

std::string index_value(const MessageId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}
std::string index_value(Fingerprint fingerprint) {
  return number_value(static_cast<std::uint64_t>(fingerprint));
}
Fingerprint fingerprint_in(std::string_view index_value) {
  return Fingerprint{index_value.size() == 8 ? big_endian_at(index_value, 0) : 0};
}
std::string index_value(DeadLetterStatus status) { return std::string(1, static_cast<char>(status)); }
std::string index_value(DeathCause cause) { return std::string(1, static_cast<char>(cause)); }

bool indexes_history(IndexKind kind) {
  return kind == IndexKind::kAll || kind == IndexKind::kId || kind == IndexKind::kStatus ||
         kind == IndexKind::kRetention;
}

std::vector<IndexEntry> index_entries(QueueId queue, const RecordKey& key, const DeadLetterRow& row) {
  const FailureRecord& record = row.record;
  const DeadLetterCursor place{key.history, record.died_at, key.seq};
  std::vector<IndexEntry> entries;
  entries.reserve(12);
  const auto add = [&](IndexKind kind, std::string_view value) {
    if (key.history && !indexes_history(kind)) return;
    entries.push_back({keys::posting(queue, kind, value, place), keys::count(queue, kind, value)});
  };
  add(IndexKind::kAll, {});
  entries.push_back({keys::posting(queue, IndexKind::kId, index_value(record.message_id), place), {}});
  entries.push_back({keys::posting(queue, IndexKind::kId, index_value(row.id), place), {}});
  add(IndexKind::kCategory, record.category);
  add(IndexKind::kFingerprint, index_value(record.fingerprint));
  add(IndexKind::kStatus, index_value(row.triage.status));
  add(IndexKind::kAssignee, row.triage.assignee);
  add(IndexKind::kCause, index_value(record.cause));
  add(IndexKind::kSource, record.source_queue);
  add(IndexKind::kCode, record.code);
  add(IndexKind::kConsumerVersion, record.consumer.version);
  if (ends(row.triage.status)) {
    entries.push_back({keys::posting(queue, IndexKind::kRetention, index_value(row.triage.status),
                                     {key.history, row.triage.status_since, key.seq}),
                       {}});
  }
  std::ranges::sort(entries, {}, &IndexEntry::posting);
  return entries;
}

std::string encode_index_count(const IndexCount& count) {
  std::string row;
  wire::put_varint(row, count.here);
  wire::put_varint(row, count.history);
  return row;
}

Result<IndexCount> decode_index_count(std::string_view row) {
  wire::Reader reader(row);
  const IndexCount count{reader.varint(), reader.varint()};
  if (reader.failed()) return fail(ErrorCode::kCorruption, "a count of dead letters does not decode");
  return count;
}

}  // namespace holdfast
