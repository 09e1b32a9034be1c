// The fields of a filter that have an index, and what their postings alone say: no record is read.
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

// A value that is asked of a field.
struct Column {
  IndexKind kind{};
  std::string value = {};
  std::uint64_t count = 0;  // of dead letters that are here and have it
};

// The one that the fewest have first. kLimitExceeded if a text is longer than any that is indexed. An
// attribute that is not indexed of every dead letter here has none.
Result<std::vector<Column>> columns_of(const Store& store, QueueId queue, const DeadLetterFilter& filter);

// Attributes that the filter asks for, of which all of history has what the index knows.
Result<std::vector<Column>> history_columns_of(const Store& store, QueueId queue,
                                               const DeadLetterFilter& filter);

// Whether the filter asks for something of messages that the index does not have of every dead letter here,
// which has these columns.
bool needs_scan(const DeadLetterFilter& filter, const std::vector<Column>& columns);

// The places that the filter's times leave: of what is here, or of history.
struct PlaceRange {
  DeadLetterCursor from;
  DeadLetterCursor end;
};
PlaceRange range_of(const DeadLetterFilter& filter, bool history);

// Those in the range that have the values of all columns, or of any.
Result<SeqSet> have_all(const Store& store, QueueId queue, const std::vector<Column>& columns,
                        const PlaceRange& range);
Result<SeqSet> have_any(const Store& store, QueueId queue, const std::vector<Column>& columns,
                        const PlaceRange& range);

}  // namespace holdfast
