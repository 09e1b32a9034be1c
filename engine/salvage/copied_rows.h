// These functions are about the rows that salvage copies as they are.
#pragma once

#include <string_view>

#include "engine/storage/store.h"

namespace holdfast::salvage {

// Returns whether the key of `dedup` is of what a call with a request id has answered.
bool is_answer(std::string_view key);

// Returns whether a row of `catalog`, `dedup` or `redrive_tasks` decodes, as the engine requires when it
// opens or reads the row. What lies in the application's own families always does.
bool decodes(Family family, std::string_view key, std::string_view value);

}  // namespace holdfast::salvage
