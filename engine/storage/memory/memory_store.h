// The store in memory is for simulation: it is deterministic, and its disk injects faults.
#pragma once

#include <memory>

#include "engine/storage/memory/memory_disk.h"
#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// Opens the store on `disk` with every commit that the disk still holds. The store is fail-stop, as the
// RocksDB store is: after a commit that is not kCommitted it refuses all further ones. kLocked if a store is
// open on the disk already.
Result<std::unique_ptr<Store>> open_memory_store(std::shared_ptr<MemoryDisk> disk);

}  // namespace holdfast
