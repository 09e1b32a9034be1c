// These rows say what became of replayed messages. Rows of `dead_letter_history` beside the records (keys:
// dead_letter_index.h) have the outcome of one message, and the message as it was before it was edited. Rows
// of `redrive_tasks` beside the tasks have the counts of all messages that a task moved.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/rows/chunk.h"
#include "holdfast/dead_letter.h"
#include "holdfast/error.h"
#include "holdfast/redrive.h"

namespace holdfast {

//   outcome = what:u8 at:u64
std::string encode_replay(const Replay& replay);
// kCorruption if it does not decode.
Result<Replay> decode_replay(std::string_view row);

//   counts = acked:varint died_again:varint died_elsewhere:varint dropped:varint
std::string encode_replay_counts(const ReplayCounts& counts);
// kCorruption if it does not decode.
Result<ReplayCounts> decode_replay_counts(std::string_view row);

// The original message is encoded as a chunk of one message.
std::string encode_original(const MessageView& message);
Result<OriginalMessage> decode_original(std::string_view row);

}  // namespace holdfast
