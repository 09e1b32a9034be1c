// Dead letters as callers see them.
#pragma once

#include <cstddef>

#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/storage/store.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Without body and attributes.
DeadLetter view_of(const DeadLetterCursor& place, DeadLetterRow row);

// What became of a message whose record is history.
Result<Replay> read_replay(const Store& store, QueueId queue, Seq seq);
// The same, where it says something.
Result<void> add_replay(const Store& store, QueueId queue, DeadLetter& letter);
// How the message was before it was edited.
Result<void> add_original(const Store& store, QueueId queue, DeadLetter& letter);

// kInvalidArgument, kLimitExceeded.
Result<void> validate_page(std::size_t max);

}  // namespace holdfast
