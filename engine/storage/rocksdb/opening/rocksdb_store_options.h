// A store on RocksDB is opened with these options.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rocksdb {
class Env;
}

namespace holdfast {

struct RocksdbStoreOptions {
  // If false, a directory that holds no store is kInvalidArgument.
  bool create_if_missing = true;
  // The cache of uncompressed blocks has this size, indexes and filters included.
  std::size_t block_cache_bytes = std::size_t{64} << 20;
  // Bounds the memtables of all families together, and thereby the log that a restart replays.
  std::size_t write_buffer_bytes = std::size_t{128} << 20;
  // The ballast holds this many bytes of the device, so that the store can be opened and written to when the
  // device is full (see ballast.h). 0 means none.
  std::uint64_t ballast_bytes = 0;
  // If true, the store writes nothing, not even what recovery finds in the log, and commits fail. It holds
  // the lock all the same.
  bool read_only = false;
  // The store runs on the file system of this environment. It must outlive the store. nullptr means the
  // machine's own.
  rocksdb::Env* env = nullptr;
};

}  // namespace holdfast
