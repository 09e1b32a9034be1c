// A row of `dead_letters` says where in its chunk the message is, why it died, and what people noted on it.
//
//   row = index:varint fields        (fields: see tagged.h; tags: failure_record.cc,
//         triage_codec.cc, dead_letter_row.cc)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"
#include "holdfast/error.h"
#include "holdfast/redrive.h"

namespace holdfast {

struct DeadLetterRow {
  std::uint32_t chunk_index = 0;  // the message's chunk begins this many seqs before it; 0 in history
  MessageId id;                   // the dead letter's own id
  FailureRecord record;
  Triage triage;
  bool has_original = false;  // a redrive edited the message, and the message as it was is kept
  TaskId replayed_by{};       // in history: the redrive task that moved the message; 0 if none did
};

// The fields with these tags are in this row beside those of failure records and triage, which have lower
// tags. Tags are never changed and never used again.
inline constexpr std::uint32_t kHasOriginalTag = 128;
inline constexpr std::uint32_t kReplayedByTag = 129;

std::string encode_dead_letter_row(const DeadLetterRow& row);
tl::unexpected<Error> undecodable_dead_letter_row();  // kCorruption
// Returns the reason of the failure record for a fraction of the cost of decoding the whole row. kCorruption
// if the row's fields do not decode.
Result<std::string_view> reason_of_dead_letter_row(std::string_view row);
// Returns the redrive task in a row of history; 0 if the row has none or does not decode.
TaskId replayed_by_of_dead_letter_row(std::string_view row);
// kCorruption if it does not decode.
Result<DeadLetterRow> decode_dead_letter_row(std::string_view row);

}  // namespace holdfast
