// Rebuilding what RocksDB needs to find the tables and logs of a damaged directory.
#pragma once

#include <filesystem>

#include "holdfast/error.h"
#include "storage/rocksdb_salvage.h"
#include "storage/rocksdb_store.h"

namespace holdfast {

// Opens as much as can be opened.
RocksdbStoreOptions lenient_store_options();

// Makes the store in `copy` anew from its tables and logs. kCorruption, kStorageFailed.
Result<void> rebuild_store(const std::filesystem::path& copy, const LostFile& lost);

}  // namespace holdfast
