// Keys of `dead_letters`, `dead_letter_history`, `dead_letter_index` and `dead_letter_ids`.
//
//   record   queue seq            of a message that is in the dead letter queue
//            queue 2^63+seq       of one that is not there any more: history, as outcome and original are
//   outcome  queue 2^63+2^62+seq  of a replayed one of history: what:u8 at:u64; none: it is not known yet
//   original queue 2^63+2^62+2^61+seq   the message as it was before a redrive edited it: a chunk of one
//   posting  queue kind:1 size:2 value history:1 died_at:8 seq:8       the further seqs: see encode_posting()
//   id       queue 2:1 size:2 id seq:8                                 no value; in `dead_letter_ids`
//   count    queue 0x80|kind:1 size:2 value                            varints: dead letters here, in history
//            of kind 1, the value is the minute of the death: 8 bytes, minutes since the epoch
//            of kind 13, the name of an attribute: dead letters that were asked for its value when they came
//
// A posting names records that have a value and died at one time, as those do that one call has moved: the
// one in its key and, of higher seqs, those in its value. A record is in one posting of each kind; of those
// of one value and time the seqs may interleave. There is one count for each value that a record has. Of
// history there are postings by time, status, retention and attribute alone. A retention posting has the time
// of the status instead of the death, and no count. An id row, one for each record and id, stays when the
// record becomes history. Minutes count what is here, and no history. Kind 13 has counts and no postings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/dead_letters/indexed_fields.h"
#include "holdfast/dead_letter_query.h"
#include "holdfast/error.h"
#include "holdfast/ids.h"

namespace holdfast {

// Where a record lies.
struct RecordKey {
  bool history = false;
  Seq seq{};

  friend auto operator<=>(const RecordKey&, const RecordKey&) = default;
};

enum class IndexKind : std::uint8_t {
  kAll = 1,  // the value is empty
  kId = 2,   // of the message, and the dead letter's own: 16 bytes
  kCategory = 3,
  kFingerprint = 4,  // 8 bytes
  kStatus = 5,       // one byte, as is cause
  kAssignee = 6,
  kCause = 7,
  kSource = 8,
  kCode = 9,
  kConsumerVersion = 10,
  kRetention = 11,  // the status, if it is one that ends: replayed, abandoned, of history also fixed
  kAttribute = 12,  // size of the name:1 name value; none where the message does not have it, or it is empty
  kSearched = 13,   // the name of an attribute; counts alone
};
inline constexpr IndexKind kLastIndexKind = IndexKind::kSearched;

namespace keys {

std::string dead_letter(QueueId queue, const RecordKey& record);
// Of a record; none for the other rows.
std::optional<RecordKey> parse_dead_letter(std::string_view key);
// Outcomes and originals lie from here to the queue's end.
std::string history_end(QueueId queue);
std::string outcome(QueueId queue, Seq seq);
std::string original(QueueId queue, Seq seq);

// The beginning of all postings of a value, or id rows of an id.
std::string posting_prefix(QueueId queue, IndexKind kind, std::string_view value);
// The range of all postings of a kind.
std::string postings_begin(QueueId queue, IndexKind kind);
std::string postings_end(QueueId queue, IndexKind kind);
// The value of a key that parse_posting() takes.
std::string_view posting_value(std::string_view key);
// The place of a posting's first record. Its time is of the death, or of the status in a retention posting.
std::string posting(QueueId queue, IndexKind kind, std::string_view value, const DeadLetterCursor& place);
std::optional<DeadLetterCursor> parse_posting(std::string_view key);
std::string id_row(QueueId queue, const MessageId& id, Seq seq);
// What ends the key of a posting or an id row.
std::optional<Seq> parse_last_seq(std::string_view key);
// What comes before it: the same in all postings of one value and time.
std::string_view posting_group(std::string_view key);
std::string posting_in(std::string_view group, Seq first);
bool is_id_row(std::string_view key);

std::string count(QueueId queue, IndexKind kind, std::string_view value);
// The range of all counts of a kind.
std::string counts_begin(QueueId queue, IndexKind kind);
std::string counts_end(QueueId queue, IndexKind kind);
// The value that a count is of.
std::optional<std::string_view> parse_count(std::string_view key);

}  // namespace keys

std::string index_value(const MessageId& id);
std::string index_value(Fingerprint fingerprint);
std::string index_value(DeadLetterStatus status);
std::string index_value(DeathCause cause);
// Of an attribute; of the value what the record has of it.
std::string index_value(std::string_view name, std::string_view value);
// What is kept of an attribute's value, and compared.
std::string_view searched_part(std::string_view value);
// The minute of a death, as counts of kAll have it.
std::string minute_value(Timestamp died_at);
// Its beginning; none if it is no such value.
std::optional<Timestamp> minute_in(std::string_view index_value);
Fingerprint fingerprint_in(std::string_view index_value);

// Whether history has postings of this kind, or what it has instead of postings.
bool indexes_history(IndexKind kind);
// Whether the kind has postings, or only counts.
bool has_postings(IndexKind kind);

// What the postings of records have in common that may share a row.
struct PostingGroup {
  IndexKind kind{};
  bool history = false;
  Timestamp at{};  // of the death, or of the status in a retention posting
  std::string_view value;
};
// Whether retention has a record with this status: of those that stay fixed only what was acknowledged.
inline bool is_kept_for_a_time(DeadLetterStatus status, bool history) {
  return status == DeadLetterStatus::kReplayed || status == DeadLetterStatus::kAbandoned ||
         (history && status == DeadLetterStatus::kFixed);
}
// Views into the row.
IndexedFields indexed_fields(const DeadLetterRow& row);
// Calls visit(PostingGroup) for each posting of a record, id rows aside. The value is gone after the call.
template <class Visit>
void for_each_posting(const IndexedFields& fields, bool history, Visit&& visit);

namespace keys {

// See posting_group(key).
std::string posting_group(QueueId queue, const PostingGroup& group);
// Of the count that a posting of the group counts in; empty: in none.
std::string count_of(QueueId queue, const PostingGroup& group);

}  // namespace keys

struct IndexEntry {
  // The key of a posting, or id row, that names this record alone; empty: the record is only counted.
  std::string posting;
  std::string count;  // empty: it is not counted
};
// All entries of a record.
std::vector<IndexEntry> index_entries(QueueId queue, const RecordKey& key, const DeadLetterRow& row);

// A posting names at most so many records: what bounds the cost of taking one out.
inline constexpr std::size_t kPostingSeqs = 512;
// The value of the posting of these, ascending, the first of which is in its key: (seq - seq before):varint.
std::string encode_posting(std::span<const Seq> seqs);
// All of them. kCorruption if they do not decode.
Result<std::vector<Seq>> decode_posting(std::string_view key, std::string_view row);

struct IndexCount {
  std::uint64_t here = 0;
  std::uint64_t history = 0;
};
std::string encode_index_count(const IndexCount& count);
Result<IndexCount> decode_index_count(std::string_view row);

template <class Visit>
void for_each_posting(const IndexedFields& fields, bool history, Visit&& visit) {
  const auto tell = [&](IndexKind kind, std::string_view value) {
    if (!history || indexes_history(kind)) visit(PostingGroup{kind, history, fields.died_at, value});
  };
  tell(IndexKind::kAll, {});
  tell(IndexKind::kCategory, fields.category);
  tell(IndexKind::kFingerprint, index_value(fields.fingerprint));
  const DeadLetterStatus status = fields.status;
  tell(IndexKind::kStatus, index_value(status));
  tell(IndexKind::kAssignee, fields.assignee);
  tell(IndexKind::kCause, index_value(fields.cause));
  tell(IndexKind::kSource, fields.source_queue);
  tell(IndexKind::kCode, fields.code);
  tell(IndexKind::kConsumerVersion, fields.consumer_version);
  for (const auto& [name, value] : fields.searched) {
    if (!value.empty()) tell(IndexKind::kAttribute, index_value(name, value));
    tell(IndexKind::kSearched, name);
  }
  if (is_kept_for_a_time(status, history))
    visit(PostingGroup{IndexKind::kRetention, history, fields.status_since, index_value(status)});
}

}  // namespace holdfast
