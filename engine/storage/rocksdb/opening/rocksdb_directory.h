// Checks a data directory before RocksDB opens it.
#pragma once

#include <filesystem>

#include "engine/storage/rocksdb/opening/rocksdb_store_options.h"
#include "holdfast/error.h"

namespace holdfast {

struct Home {
  // The one name under which the directory is opened. RocksDB recognises a second open by the same process by
  // this name alone.
  std::filesystem::path path;
  bool is_new;  // whether there is no store in it yet
};

// Finds `dir`, or creates it if it is missing and `options` allow that. kInvalidArgument if there is no store
// in it and none is to be created, kCorruption for a store without its CURRENT file, kStorageFailed.
Result<Home> prepare_directory(const std::filesystem::path& dir, const RocksdbStoreOptions& options);

// Makes the error for a directory without a store when none is to be created.
tl::unexpected<Error> no_store_in(const std::filesystem::path& dir);

}  // namespace holdfast
