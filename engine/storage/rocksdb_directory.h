// What a data directory must look like before RocksDB may open it.
#pragma once

#include <filesystem>

#include "holdfast/error.h"
#include "storage/rocksdb_store.h"

namespace holdfast {

// The one name under which `dir` is opened; created, if it is missing and may be. RocksDB tells two opens of
// a directory by one process apart by name only.
// Errors: kInvalidArgument (no store there), kCorruption (a store without its CURRENT file), kStorageFailed.
Result<std::filesystem::path> prepare_directory(const std::filesystem::path& dir,
                                                const RocksdbStoreOptions& options);

}  // namespace holdfast
