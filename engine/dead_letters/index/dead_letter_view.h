// These functions make dead letters as callers see them.
#pragma once

#include <cstddef>

#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/storage/store.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Returns a dead letter without body and attributes. A caller that fills them in resets `without_body`, which
// is set unless the place is in history.
DeadLetter view_of(const DeadLetterCursor& place, DeadLetterRow row);

// Returns what became of a message whose record is history.
Result<Replay> read_replay(const Store& store, QueueId queue, Seq seq);
// Adds what became of the message to the letter, if the letter is the history of a replay.
Result<void> add_replay(const Store& store, QueueId queue, DeadLetter& letter);
// Adds how the message was before it was edited.
Result<void> add_original(const Store& store, QueueId queue, DeadLetter& letter);

// Checks the size of a page. kInvalidArgument, kLimitExceeded.
Result<void> validate_page(std::size_t max);

}  // namespace holdfast
