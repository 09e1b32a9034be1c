// What RocksDB says of itself.
#pragma once

#include "holdfast/operations.h"
#include "storage/rocksdb_families.h"

namespace rocksdb {
class DB;
}

namespace holdfast {

StoreStatistics read_statistics(rocksdb::DB& db, const RocksdbFamilies& families);

}  // namespace holdfast
