// A row of `journal` is one step of a message. Its key names the message and the queue whose journal it is.
//
//   row = tagged: at, kind, seq, the name of the queue it went to, deliveries, the consumer's instance and
//         version, until, cause, category, reason, the name of the queue it came from if that is another one
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/journal.h"

namespace holdfast {

std::string encode_journal_row(const HistoryStep& step);
// Decodes a step. Its queue is empty if it is the journal's own. kCorruption if the row does not decode.
Result<HistoryStep> decode_journal_row(std::string_view row);

}  // namespace holdfast
