// These are the keys of `dead_letters`, `dead_letter_history`, `dead_letter_index` and `dead_letter_ids`.
//
//   record   queue seq            of a message that is in the dead letter queue
//            queue 2^63+seq       of one that has left it: history, to which outcome and original belong
//   outcome  queue 2^63+2^62+seq  of a replayed message: what:u8 at:u64; no row while it is not known
//   original queue 2^63+2^62+2^61+seq   the message before a redrive edited it: a chunk of one message
//   posting  queue kind:1 size:2 value history:1 died_at:8 seq:8       the further seqs (encode_posting())
//   id       queue 2:1 size:2 id seq:8                                 no value; in `dead_letter_ids`
//   count    queue 0x80|kind:1 size:2 value                            varints: dead letters here, in history
//            in kind 1 the value is the minute of the death: 8 bytes, minutes since the epoch
//            in kind 13 it is the name of an attribute: the dead letters that came while it was searched
//
// A posting names records that have the same value and died at the same time, as the messages that one call
// moved do. The first record's seq is in the posting's key, and higher seqs are in its value. A record is in
// one posting of each kind; the seqs of several postings of one value and time may interleave. There is one
// count for each value that a record has. History has postings by time, status, retention and attribute
// alone. A retention posting has the time of the status instead of the death, and no count. There is one id
// row for each record and id; it stays when the record becomes history. The counts by minute have only dead
// letters that are in the queue, and no history. Kind 13 has counts and no postings.
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

// A RecordKey is the place of a record.
struct RecordKey {
  bool history = false;
  Seq seq{};

  friend auto operator<=>(const RecordKey&, const RecordKey&) = default;
};

enum class IndexKind : std::uint8_t {
  kAll = 1,  // the value is empty
  kId = 2,   // the message's id, and the dead letter's own: 16 bytes
  kCategory = 3,
  kFingerprint = 4,  // 8 bytes
  kStatus = 5,       // one byte, in kCause too
  kAssignee = 6,
  kCause = 7,
  kSource = 8,
  kCode = 9,
  kConsumerVersion = 10,
  kRetention = 11,  // the status, if records with it are kept for a time only (see is_kept_for_a_time())
  // The value is size of the name:1 name value. There is no posting if the message lacks the attribute, or if
  // its value is empty.
  kAttribute = 12,
  kSearched = 13,  // the name of an attribute; only counts
};
inline constexpr IndexKind kLastIndexKind = IndexKind::kSearched;

namespace keys {

std::string dead_letter(QueueId queue, const RecordKey& record);
// Reads the key of a record. Returns nothing for the key of an outcome or an original.
std::optional<RecordKey> parse_dead_letter(std::string_view key);
// Returns the end of a queue's records of history. Outcomes and originals lie from here to the queue's end.
std::string history_end(QueueId queue);
std::string outcome(QueueId queue, Seq seq);
std::string original(QueueId queue, Seq seq);
// Return the seq of the record that an outcome or an original belongs to; nothing for other keys.
std::optional<Seq> parse_outcome(std::string_view key);
std::optional<Seq> parse_original(std::string_view key);

// Returns what all postings of a value, or all id rows of an id, begin with.
std::string posting_prefix(QueueId queue, IndexKind kind, std::string_view value);
// Return the bounds of the range of all postings of a kind.
std::string postings_begin(QueueId queue, IndexKind kind);
std::string postings_end(QueueId queue, IndexKind kind);
// Returns the value in a posting's key. Requires a key that parse_posting() accepts.
std::string_view posting_value(std::string_view key);
// Returns what the keys of all postings of that value begin with. Requires a key that parse_posting()
// accepts.
std::string_view postings_of_value(std::string_view key);
// Returns the key of a posting whose first record is at `place`. The time of the place is the death's, or the
// status's in a retention posting.
std::string posting(QueueId queue, IndexKind kind, std::string_view value, const DeadLetterCursor& place);
std::optional<DeadLetterCursor> parse_posting(std::string_view key);
std::string id_row(QueueId queue, const MessageId& id, Seq seq);
// Returns the seq that ends the key of a posting or an id row.
std::optional<Seq> parse_last_seq(std::string_view key);
// Returns what comes before the last seq of a key. All postings of one value and time have the same
// beginning.
std::string_view posting_group(std::string_view key);
std::string posting_in(std::string_view group, Seq first);
// Returns the kind of a posting or an id row, of which `key` may be the beginning.
IndexKind index_kind(std::string_view key);
bool is_id_row(std::string_view key);

std::string count(QueueId queue, IndexKind kind, std::string_view value);
// Returns the key of the count of a value whose postings begin with `postings`.
std::string count_of_value(std::string_view postings);
// Return the bounds of the range of all counts of a kind.
std::string counts_begin(QueueId queue, IndexKind kind);
std::string counts_end(QueueId queue, IndexKind kind);
// Returns the value that a count's key names.
std::optional<std::string_view> parse_count(std::string_view key);

}  // namespace keys

std::string index_value(const MessageId& id);
std::string index_value(Fingerprint fingerprint);
std::string index_value(DeadLetterStatus status);
std::string index_value(DeathCause cause);
// Returns the value of an attribute in the index. `value` is what the record keeps of the attribute's value.
std::string index_value(std::string_view name, std::string_view value);
// Returns the part of an attribute's value that is kept and compared.
std::string_view searched_part(std::string_view value);
// Returns the minute of a death in the form that counts of kAll have.
std::string minute_value(Timestamp died_at);
// Returns the time at which the minute begins; nothing if `index_value` is no minute.
std::optional<Timestamp> minute_in(std::string_view index_value);
Fingerprint fingerprint_in(std::string_view index_value);

// Returns whether history has entries of this kind: postings, or counts if the kind has only counts.
bool indexes_history(IndexKind kind);
// Returns whether the kind has postings. A kind without postings has counts.
bool has_postings(IndexKind kind);

// Records share the row of a posting if they have these values in common.
struct PostingGroup {
  IndexKind kind{};
  bool history = false;
  Timestamp at{};  // the time of the death, or of the status in a retention posting
  std::string_view value;
};
// Returns whether retention deletes records with this status after a time. A fixed one is deleted only from
// history, where it is a message that was acknowledged after a redrive.
inline bool is_kept_for_a_time(DeadLetterStatus status, bool history) {
  return status == DeadLetterStatus::kReplayed || status == DeadLetterStatus::kAbandoned ||
         (history && status == DeadLetterStatus::kFixed);
}
// Returns what the index has of the row. The result consists of views into the row.
IndexedFields indexed_fields(const DeadLetterRow& row);
// Calls visit(PostingGroup) for each posting of a record, except its id rows. The value in a PostingGroup is
// valid only during the call.
template <class Visit>
void for_each_posting(const IndexedFields& fields, bool history, Visit&& visit);

namespace keys {

// Returns the beginning that the keys of the group's postings share.
std::string posting_group(QueueId queue, const PostingGroup& group);
// Returns the key of the count that counts the group's records; empty if no count does.
std::string count_of(QueueId queue, const PostingGroup& group);

}  // namespace keys

struct IndexEntry {
  // `posting` is the key of a posting or id row for this record alone, or empty if it is only counted.
  std::string posting;
  std::string count;  // the key of the count; empty if there is none
};
// Returns all entries of a record.
std::vector<IndexEntry> index_entries(QueueId queue, const RecordKey& key, const DeadLetterRow& row);

// A posting names this many records at most. That bounds the cost of taking one of them out.
inline constexpr std::size_t kPostingSeqs = 512;
// Encodes a posting's value from its seqs, which ascend: (seq - seq before):varint for each but the first,
// which is in the key.
std::string encode_posting(std::span<const Seq> seqs);
// Returns all seqs of a posting. kCorruption if they do not decode.
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
