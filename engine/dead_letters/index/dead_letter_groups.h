// Groups dead letters by what they have in common.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/storage/store.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

IndexKind index_of(DeadLetterGrouping grouping);
// grouped_value() returns the value of a record as the index has it, and shown_value() as people read it.
std::string grouped_value(DeadLetterGrouping grouping, const DeadLetterRow& row);
std::string shown_value(DeadLetterGrouping grouping, std::string_view value);

// Groups the dead letters of a queue. If the filter asks for nothing, the groups come from the counts that
// are kept, and otherwise from a walk or from the index.
Result<DeadLetterGroups> group_dead_letters(const Store& store, QueueId queue,
                                            const GroupDeadLettersOptions& options);

}  // namespace holdfast
