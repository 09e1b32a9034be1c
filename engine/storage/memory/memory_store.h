// The store in memory, for simulation: deterministic, with faults injected through its disk.
#pragma once

#include <memory>

#include "engine/storage/memory/memory_disk.h"
#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// Opens the store on `disk` with every commit that the disk still holds. Like the RocksDB store it is
// fail-stop: after a commit that is not kCommitted all further ones are refused.
// Errors: kLocked if a store is open on the disk.
Result<std::unique_ptr<Store>> open_memory_store(std::shared_ptr<MemoryDisk> disk);

}  // namespace holdfast
