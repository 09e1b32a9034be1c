// How RocksDB is tuned for a queue's short-lived chunks and small state rows.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/storage/rocksdb/rocksdb_store.h"

namespace holdfast {

// Flushes and compactions at a time.
inline constexpr int kBackgroundJobs = 2;

// `directory`: the database's own, for what RocksDB says about its work.
rocksdb::DBOptions database_options(const RocksdbStoreOptions& options,
                                    const std::filesystem::path& directory,
                                    std::vector<std::shared_ptr<rocksdb::EventListener>> listeners);

struct FamilyPlan {
  // RocksDB's own default family, which stays empty, then every Family in order.
  std::vector<rocksdb::ColumnFamilyDescriptor> built_in;
  rocksdb::ColumnFamilyOptions application;  // of each of the application's
};
FamilyPlan plan_families(const RocksdbStoreOptions& options);

}  // namespace holdfast
