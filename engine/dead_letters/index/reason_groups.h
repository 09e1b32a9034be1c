// A search for a text in reasons asks here which groups of equal failures may have it there. It need not read
// the others.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/dead_letters/index/dead_letter_columns.h"

namespace holdfast {

// Returns the fingerprints, among those of dead letters here, whose reasons may contain `part`. Returns
// nothing if there are so many fingerprints that looking at one dead letter of each would take longer than it
// saves.
Result<std::optional<std::vector<Column>>> groups_that_may_say(const Store& store, QueueId queue,
                                                               std::string_view part);

}  // namespace holdfast
