// Keys of `dead_letters` and `dead_letter_index`.
//
//   record   queue seq            of a message that is in the dead letter queue
//            queue 2^63+seq       of one that is not any more: history
//   outcome  queue 2^63+2^62+seq  of a replayed one of history: what:u8 at:u64; none: it is not known yet
//   original queue 2^63+2^62+2^61+seq   the message as it was before a redrive edited it: a chunk of one
//   posting  queue kind:1 size:2 value history:1 died_at:8 seq:8       no value
//   count    queue 0x80|kind:1 size:2 value                            varints: dead letters here, in history
//
// One posting for each record and kind, one count for each value that a record has; of history there are
// postings by time, id, status and retention alone. A retention posting has the time of the status instead of
// the death, and no count; an id posting has no count either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/dead_letter_row.h"
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
  kRetention = 11,  // the status, if it is one that ends: replayed, abandoned
};

namespace keys {

std::string dead_letter(QueueId queue, const RecordKey& record);
// Of a record; none for the other rows.
std::optional<RecordKey> parse_dead_letter(std::string_view key);
// Outcomes and originals lie from here to the queue's end.
std::string history_end(QueueId queue);
std::string outcome(QueueId queue, Seq seq);
std::string original(QueueId queue, Seq seq);

// The beginning of all postings of a value.
std::string posting_prefix(QueueId queue, IndexKind kind, std::string_view value);
// The place that a posting gives. Its time is of the death, or of the status in a retention posting.
std::string posting(QueueId queue, IndexKind kind, std::string_view value, const DeadLetterCursor& place);
std::optional<DeadLetterCursor> parse_posting(std::string_view key);

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
Fingerprint fingerprint_in(std::string_view index_value);

struct IndexEntry {
  std::string posting;
  std::string count;  // empty: it is not counted
};
// All entries of a record, ascending by posting.
std::vector<IndexEntry> index_entries(QueueId queue, const RecordKey& key, const DeadLetterRow& row);

// Whether history has postings of this kind.
bool indexes_history(IndexKind kind);

struct IndexCount {
  std::uint64_t here = 0;
  std::uint64_t history = 0;
};
std::string encode_index_count(const IndexCount& count);
Result<IndexCount> decode_index_count(std::string_view row);

}  // namespace holdfast
