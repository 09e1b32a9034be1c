// Reads what RocksDB counts about itself.
#pragma once

#include "engine/storage/rocksdb/rows/rocksdb_families.h"
#include "holdfast/operations.h"

namespace rocksdb {
class DB;
}

namespace holdfast {

StoreStatistics read_statistics(rocksdb::DB& db, const RocksdbFamilies& families);

}  // namespace holdfast
