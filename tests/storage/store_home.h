// The place in which a store under test lives. Both implementations are opened in one way.
#pragma once

#include <memory>
#include <string>

#include "engine/storage/memory/memory_store.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "engine/storage/store.h"
#include "holdfast/error.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {

// It outlives its stores, each of which finds the commits of the earlier ones.
class StoreHome {
 public:
  virtual ~StoreHome() = default;
  virtual Result<std::unique_ptr<Store>> open() = 0;
};

class RocksdbHome final : public StoreHome {
 public:
  Result<std::unique_ptr<Store>> open() override { return open_rocksdb_store(dir_.path()); }

 private:
  TempDir dir_;
};

class MemoryHome final : public StoreHome {
 public:
  Result<std::unique_ptr<Store>> open() override { return open_memory_store(disk_); }

 private:
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
};

inline std::unique_ptr<StoreHome> make_home(const std::string& implementation) {
  if (implementation == "rocksdb") return std::make_unique<RocksdbHome>();
  return std::make_unique<MemoryHome>();
}

}  // namespace holdfast::testing
