#include "engine/codec/dead_letters/dead_letter_index.h"

#include "engine/codec/encoding/big_endian.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/encoding/wire.h"
#include "engine/core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr std::uint64_t kHistoryBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kOutcomeBits = kHistoryBit | std::uint64_t{1} << 62;
constexpr std::uint64_t kOriginalBits = kOutcomeBits | std::uint64_t{1} << 61;
constexpr std::uint8_t kCountBit = 0x80;
constexpr Duration kMinute = std::chrono::minutes(1);

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

// Returns where the rows of a kind begin, which is where those of the previous kind end.
std::string kind_begin(QueueId queue, unsigned kind) {
  return prefix(queue, static_cast<std::uint8_t>(kind), {});
}

constexpr std::size_t kKindAt = 8;
constexpr std::size_t kPrefixBytes = 11;
constexpr std::size_t kPlaceBytes = 17;
constexpr std::size_t kSeqBytes = 8;

std::uint8_t count_kind(IndexKind kind) { return static_cast<std::uint8_t>(kind) | kCountBit; }

// Returns the seq in the key of a row that lies beside history's records and has these bits.
std::optional<Seq> parse_beside(std::string_view key, std::uint64_t bits) {
  const auto parsed = keys::parse_queue_seq(key);
  if (!parsed) return std::nullopt;
  const auto seq = static_cast<std::uint64_t>(parsed->seq);
  return (seq & kOriginalBits) == bits ? std::optional(Seq{seq & ~kOriginalBits}) : std::nullopt;
}

std::string number_value(std::uint64_t number) {
  std::string value;
  append_big_endian(value, number);
  return value;
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

std::optional<Seq> parse_outcome(std::string_view key) { return parse_beside(key, kOutcomeBits); }
std::optional<Seq> parse_original(std::string_view key) { return parse_beside(key, kOriginalBits); }

std::string posting_prefix(QueueId queue, IndexKind kind, std::string_view value) {
  return prefix(queue, static_cast<std::uint8_t>(kind), value);
}

std::string posting(QueueId queue, IndexKind kind, std::string_view value, const DeadLetterCursor& place) {
  return posting_in(posting_group(queue, {kind, place.history, place.died_at, value}), place.seq);
}

std::optional<DeadLetterCursor> parse_posting(std::string_view key) {
  if (key.size() < kPrefixBytes + kPlaceBytes) return std::nullopt;
  const std::string_view place = key.substr(key.size() - kPlaceBytes);
  return DeadLetterCursor{.history = place[0] != 0,
                          .died_at = Timestamp(Duration(static_cast<std::int64_t>(big_endian_at(place, 1)))),
                          .seq = Seq{big_endian_at(place, 9)}};
}

std::string id_row(QueueId queue, const MessageId& id, Seq seq) {
  return posting_in(posting_prefix(queue, IndexKind::kId, index_value(id)), seq);
}

std::optional<Seq> parse_last_seq(std::string_view key) {
  if (key.size() < kPrefixBytes + kSeqBytes) return std::nullopt;
  return Seq{big_endian_at(key, key.size() - kSeqBytes)};
}

std::string_view posting_group(std::string_view key) { return key.substr(0, key.size() - kSeqBytes); }

std::string posting_in(std::string_view group, Seq first) {
  std::string key;
  key.reserve(group.size() + kSeqBytes);
  key.append(group);
  append_big_endian(key, static_cast<std::uint64_t>(first));
  return key;
}

IndexKind index_kind(std::string_view key) { return static_cast<IndexKind>(key[kKindAt]); }

bool is_id_row(std::string_view key) { return index_kind(key) == IndexKind::kId; }

std::string count(QueueId queue, IndexKind kind, std::string_view value) {
  return prefix(queue, count_kind(kind), value);
}

std::string count_of_value(std::string_view postings) {
  std::string key(postings);
  key[kKindAt] = static_cast<char>(count_kind(index_kind(postings)));
  return key;
}

std::string counts_begin(QueueId queue, IndexKind kind) { return kind_begin(queue, count_kind(kind)); }
std::string counts_end(QueueId queue, IndexKind kind) { return kind_begin(queue, count_kind(kind) + 1); }

std::string postings_begin(QueueId queue, IndexKind kind) {
  return kind_begin(queue, static_cast<unsigned>(kind));
}
std::string postings_end(QueueId queue, IndexKind kind) {
  return kind_begin(queue, static_cast<unsigned>(kind) + 1);
}

std::string_view posting_value(std::string_view key) {
  return key.substr(kPrefixBytes, key.size() - kPrefixBytes - kPlaceBytes);
}

std::string_view postings_of_value(std::string_view key) { return key.substr(0, key.size() - kPlaceBytes); }

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

std::string index_value(std::string_view name, std::string_view value) {
  std::string bytes;
  wire::put_bytes(bytes, name);
  bytes.append(value);
  return bytes;
}
std::string_view searched_part(std::string_view value) {
  return value.substr(0, limits::kSearchedValueBytes);
}

std::string minute_value(Timestamp died_at) {
  return number_value(static_cast<std::uint64_t>(died_at.time_since_epoch() / kMinute));
}
std::optional<Timestamp> minute_in(std::string_view index_value) {
  if (index_value.size() != 8) return std::nullopt;
  return Timestamp(kMinute * static_cast<std::int64_t>(big_endian_at(index_value, 0)));
}

bool indexes_history(IndexKind kind) {
  return kind == IndexKind::kAll || kind == IndexKind::kId || kind == IndexKind::kStatus ||
         kind == IndexKind::kRetention || kind == IndexKind::kAttribute || kind == IndexKind::kSearched;
}

bool has_postings(IndexKind kind) { return kind != IndexKind::kSearched; }

namespace keys {

std::string posting_group(QueueId queue, const PostingGroup& group) {
  std::string key = posting_prefix(queue, group.kind, group.value);
  key.push_back(group.history ? 1 : 0);
  append_big_endian(key, micros(group.at));
  return key;
}

std::string count_of(QueueId queue, const PostingGroup& group) {
  if (group.kind == IndexKind::kRetention) return {};
  if (group.kind != IndexKind::kAll) return count(queue, group.kind, group.value);
  return group.history ? std::string() : count(queue, group.kind, minute_value(group.at));
}

}  // namespace keys

namespace {

std::vector<SearchedAttribute> searched_in(const FailureRecord& record) {
  std::vector<SearchedAttribute> searched;
  searched.reserve(record.searched.size());
  for (const auto& [name, value] : record.searched) searched.push_back({name, value});
  return searched;
}

}  // namespace

IndexedFields indexed_fields(const DeadLetterRow& row) {
  return {.category = row.record.category,
          .code = row.record.code,
          .source_queue = row.record.source_queue,
          .consumer_version = row.record.consumer.version,
          .died_at = row.record.died_at,
          .fingerprint = row.record.fingerprint,
          .cause = row.record.cause,
          .status = row.triage.status,
          .status_since = row.triage.status_since,
          .assignee = row.triage.assignee,
          .searched = searched_in(row.record)};
}

std::vector<IndexEntry> index_entries(QueueId queue, const RecordKey& key, const DeadLetterRow& row) {
  std::vector<IndexEntry> entries;
  for_each_posting(indexed_fields(row), key.history, [&](const PostingGroup& group) {
    entries.push_back({has_postings(group.kind) ? keys::posting_in(keys::posting_group(queue, group), key.seq)
                                                : std::string(),
                       keys::count_of(queue, group)});
  });
  entries.push_back({keys::id_row(queue, row.record.message_id, key.seq), {}});
  if (row.id != row.record.message_id) entries.push_back({keys::id_row(queue, row.id, key.seq), {}});
  return entries;
}

std::string encode_posting(std::span<const Seq> seqs) {
  std::string row;
  for (std::size_t i = 1; i < seqs.size(); ++i) wire::put_varint(row, seqs[i] - seqs[i - 1]);
  return row;
}

Result<std::vector<Seq>> decode_posting(std::string_view key, std::string_view row) {
  const auto first = keys::parse_last_seq(key);
  wire::Reader reader(row);
  std::vector<Seq> seqs;
  if (first) seqs.push_back(*first);
  while (first && !reader.at_end()) {
    const std::uint64_t step = reader.varint();
    const std::uint64_t room = UINT64_MAX - static_cast<std::uint64_t>(seqs.back());
    if (step == 0 || step > room || seqs.size() == kPostingSeqs) reader.fail();
    seqs.push_back(seqs.back() + step);
    if (reader.failed()) break;
  }
  if (!first || reader.failed())
    return fail(ErrorCode::kCorruption, "a posting of dead letters does not decode");
  return seqs;
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
