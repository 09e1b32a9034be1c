// What a data directory must look like before RocksDB may open it.
#pragma once

#include <filesystem>

#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/error.h"

namespace holdfast {

struct Home {
  // The one name under which the directory is opened: RocksDB tells two opens by one process apart by name
  // only.
  std::filesystem::path path;
  bool is_new;  // no store there yet
};

// Finds `dir`, or creates it if it is missing and may be.
// Errors: kInvalidArgument (no store there), kCorruption (a store without its CURRENT file), kStorageFailed.
Result<Home> prepare_directory(const std::filesystem::path& dir, const RocksdbStoreOptions& options);

// What a directory without a store is refused with, if none is to be created.
tl::unexpected<Error> no_store_in(const std::filesystem::path& dir);

}  // namespace holdfast
