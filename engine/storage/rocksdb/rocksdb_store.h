// The store on RocksDB has one column family per Family.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/storage/rocksdb/opening/rocksdb_store_options.h"
#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// Opens the store in `dir` and holds its lock until the store is closed or destroyed. Recovery drops an
// incomplete last record of the log, which is a write that no one was told of. It refuses any other damage,
// and a log or manifest that ends before what the directory's mark says was durable (see DurableMark). A
// power loss may leave gaps of zeros behind that point, where pages were not synced: recovery then drops what
// follows the first gap, or refuses a directory without a mark.
//
// The store is fail-stop: after a write, fsync, flush or compaction fails, it refuses every commit until the
// directory is opened again.
//
// Errors: kLocked if the store is open already, here or in another process; kInvalidArgument if there is
// nothing to open, or if it is the database of another program, which stays as it is; kFormatTooNew if it has
// families that this version does not know; kOverloaded if no thread can be had; kCorruption; kStorageFailed.
Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& dir,
                                                  const RocksdbStoreOptions& options = {});

}  // namespace holdfast
