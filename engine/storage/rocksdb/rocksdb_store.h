// The store on RocksDB: one column family per Family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace rocksdb {
class Env;
}

namespace holdfast {

struct RocksdbStoreOptions {
  // If false, a directory that holds no store is kInvalidArgument.
  bool create_if_missing = true;
  // the size of the cache of uncompressed blocks, indexes and filters included
  std::size_t block_cache_bytes = std::size_t{64} << 20;
  // Bounds the memtables of all families together, and thereby the log that a restart replays.
  std::size_t write_buffer_bytes = std::size_t{128} << 20;
  // How many bytes of the device the ballast holds, so that the store can be opened and written to when the
  // device is full (see ballast.h). 0 means none.
  std::uint64_t ballast_bytes = 0;
  // If true, the store writes nothing, not even what recovery finds in the log, and commits fail. It holds
  // the lock all the same.
  bool read_only = false;
  // The environment whose file system the store runs on. It must outlive the store. nullptr means the
  // machine's own.
  rocksdb::Env* env = nullptr;
};

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
