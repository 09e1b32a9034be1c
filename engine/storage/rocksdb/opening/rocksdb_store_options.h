// What a store on RocksDB is opened with.
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

}  // namespace holdfast
