// Grouping dead letters by what they have in common.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/storage/store.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

IndexKind index_of(DeadLetterGrouping grouping);
// The value of a record in that index, and as people read it.
std::string grouped_value(DeadLetterGrouping grouping, const DeadLetterRow& row);
std::string shown_value(DeadLetterGrouping grouping, std::string_view value);

// From the counts that are kept, if the filter asks for nothing; else by walking.
Result<DeadLetterGroups> group_dead_letters(const Store& store, QueueId queue,
                                            const GroupDeadLettersOptions& options);

}  // namespace holdfast
