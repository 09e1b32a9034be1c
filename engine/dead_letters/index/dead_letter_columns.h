// A filter's fields with an index are columns here: their postings alone answer, and no record is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/dead_letters/index/seq_set.h"
#include "engine/storage/store.h"
#include "holdfast/dead_letter_query.h"
#include "holdfast/error.h"

namespace holdfast {

// A Column is a value that a filter asks of a field.
struct Column {
  IndexKind kind{};
  std::string value = {};
  std::uint64_t count = 0;  // dead letters here that have the value
};

// Returns the columns of the filter, the one that the fewest dead letters have first. An attribute has no
// column if it is not indexed for every dead letter here. kLimitExceeded if a text is longer than any that is
// indexed.
Result<std::vector<Column>> columns_of(const Store& store, QueueId queue, const DeadLetterFilter& filter);

// Returns the columns of those attributes that the index knows of all history.
Result<std::vector<Column>> history_columns_of(const Store& store, QueueId queue,
                                               const DeadLetterFilter& filter);

// Returns whether the filter asks for something of messages that the index does not have for every dead
// letter here. `columns` are those of columns_of().
bool needs_scan(const DeadLetterFilter& filter, const std::vector<Column>& columns);

// A PlaceRange has the places that a filter's times leave, either here or in history.
struct PlaceRange {
  DeadLetterCursor from;
  DeadLetterCursor end;
};
PlaceRange range_of(const DeadLetterFilter& filter, bool history);

// These return the dead letters in the range that have the values of all columns, or of any.
Result<SeqSet> have_all(const Store& store, QueueId queue, const std::vector<Column>& columns,
                        const PlaceRange& range);
Result<SeqSet> have_any(const Store& store, QueueId queue, const std::vector<Column>& columns,
                        const PlaceRange& range);

}  // namespace holdfast
