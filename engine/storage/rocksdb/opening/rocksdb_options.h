// These functions tune RocksDB for a queue's short-lived chunks and small state rows.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/storage/rocksdb/opening/rocksdb_store_options.h"

namespace holdfast {

// `directory` is the database's own; what RocksDB says about its work goes there.
rocksdb::DBOptions database_options(const RocksdbStoreOptions& options,
                                    const std::filesystem::path& directory,
                                    std::vector<std::shared_ptr<rocksdb::EventListener>> listeners);

struct FamilyPlan {
  // `built_in` has RocksDB's own default family, which stays empty, then every Family in order.
  std::vector<rocksdb::ColumnFamilyDescriptor> built_in;
  rocksdb::ColumnFamilyOptions application;  // for each family of the application
};
FamilyPlan plan_families(const RocksdbStoreOptions& options);

}  // namespace holdfast
