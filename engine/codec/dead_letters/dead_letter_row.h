// A row of `dead_letters`: where in its chunk the message is, why it died, and what people made of it.
//
//   row = index:varint fields        (fields: see tagged.h; tags: failure_record.cc,
//         triage.cc, dead_letter_row.cc)
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
  MessageId id;                   // the dead letter's own
  FailureRecord record;
  Triage triage;
  bool has_original = false;  // a redrive edited the message, and how it was before is kept
  TaskId replayed_by{};       // in history: the redrive task that moved the message; 0: none did
};

// Their tags. Never renumbered, never reused; failure records and triage have those before.
inline constexpr std::uint32_t kHasOriginalTag = 128;
inline constexpr std::uint32_t kReplayedByTag = 129;

std::string encode_dead_letter_row(const DeadLetterRow& row);
tl::unexpected<Error> undecodable_dead_letter_row();  // kCorruption
// The record's reason alone, for a fraction of what decoding it all costs. kCorruption if the row's fields do
// not decode.
Result<std::string_view> reason_of_dead_letter_row(std::string_view row);
// The task of a row of history alone; 0 if it has none, or does not decode.
TaskId replayed_by_of_dead_letter_row(std::string_view row);
// kCorruption if it does not decode.
Result<DeadLetterRow> decode_dead_letter_row(std::string_view row);

}  // namespace holdfast
