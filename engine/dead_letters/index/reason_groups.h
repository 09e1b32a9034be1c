// Which groups of equal failures may have a text in their reasons: a search for it need not read the others.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/dead_letters/index/dead_letter_columns.h"

namespace holdfast {

// The fingerprints of dead letters, of those that are here, whose reason may have this part. None if there
// are so many fingerprints that looking at one letter of each would take longer than it saves.
Result<std::optional<std::vector<Column>>> groups_that_may_say(const Store& store, QueueId queue,
                                                               std::string_view part);

}  // namespace holdfast
