// Brings the rows that can be read into a new store, and makes up what they need to fit together.
#pragma once

#include <cstdint>

#include "engine/storage/store.h"
#include "holdfast/operations.h"

namespace holdfast {

// `to` is empty. `salt`: the new lease salt (see AllocationRow). Adds to the report.
Result<void> rebuild_store(const Reader& from, Store& to, std::uint64_t salt, SalvageReport& report);

}  // namespace holdfast
