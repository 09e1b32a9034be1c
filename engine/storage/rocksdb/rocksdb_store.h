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
  // Without it a directory that holds no store is kInvalidArgument.
  bool create_if_missing = true;
  // Cache of uncompressed blocks, indexes and filters included.
  std::size_t block_cache_bytes = std::size_t{64} << 20;
  // Bounds the memtables of all families together, and with it the log that a restart replays.
  std::size_t write_buffer_bytes = std::size_t{128} << 20;
  // What a file in the directory holds of the device, so that the store can be opened, and written to, on a
  // device that is full; see ballast.h. 0: none.
  std::uint64_t ballast_bytes = 0;
  // Writes nothing, not even what recovery finds in the log; commits fail. Holds the lock all the same.
  bool read_only = false;
  // Whose file system to run on; must outlive the store. nullptr: the machine's own.
  rocksdb::Env* env = nullptr;
};

// Opens the store in `dir` and holds its lock until the store is closed or destroyed. Recovery drops an
// incomplete last record of the log (a write that no one was told of). It refuses any other damage, and a log
// or manifest that ends before what the directory's mark says was durable (see DurableMark). Where a log has
// gaps of zeros behind all that, as a power loss leaves of pages that were not synced, recovery drops what
// follows the first one; a directory without a mark is refused then.
//
// The store is fail-stop: after a write, fsync, flush or compaction fails, every commit is refused until the
// directory is opened anew.
//
// Errors: kLocked (open already, here or in another process), kInvalidArgument (nothing there to open, or the
// database of another program, which stays as it is), kCorruption, kFormatTooNew (families that this version
// does not know), kOverloaded (no thread can be had), kStorageFailed.
Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& dir,
                                                  const RocksdbStoreOptions& options = {});

}  // namespace holdfast
