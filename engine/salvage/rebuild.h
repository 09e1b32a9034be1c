// Brings the rows that can be read into a new store, and makes up what is missing so that they fit together.
#pragma once

#include <cstdint>

#include "engine/storage/store.h"
#include "holdfast/operations.h"

namespace holdfast {

// Requires that `to` is empty. `salt` is the new lease salt (see AllocationRow). Adds to `report`.
// kFormatTooNew, kStorageFailed.
Result<void> rebuild_store(const Reader& from, Store& to, std::uint64_t salt, SalvageReport& report);

}  // namespace holdfast
