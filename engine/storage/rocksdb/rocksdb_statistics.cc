#include "engine/storage/rocksdb/rocksdb_statistics.h"

#include <rocksdb/db.h>

namespace holdfast {
namespace {

using Properties = rocksdb::DB::Properties;

std::uint64_t read(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle, const std::string& property) {
  std::uint64_t value = 0;
  return db.GetIntProperty(handle, property, &value) ? value : 0;
}

std::uint64_t log_bytes(rocksdb::DB& db) {
  rocksdb::VectorLogPtr logs;
  std::uint64_t bytes = 0;
  if (!db.GetSortedWalFiles(logs).ok()) return 0;
  for (const auto& log : logs) bytes += log->SizeFileBytes();
  return bytes;
}

}  // namespace

StoreStatistics read_statistics(rocksdb::DB& db, const RocksdbFamilies& families) {
  StoreStatistics result;
  const auto add = [&](Family family) {
    const auto found = families.find(family);
    auto* handle = found.get();
    if (handle == nullptr) return;
    result.table_bytes += read(db, handle, Properties::kTotalSstFilesSize);
    result.live_data_bytes += read(db, handle, Properties::kEstimateLiveDataSize);
    result.memtable_bytes += read(db, handle, Properties::kSizeAllMemTables);
    result.pending_compaction_bytes += read(db, handle, Properties::kEstimatePendingCompactionBytes);
  };
  for (std::size_t i = 0; i < kFamilyCount; ++i) add(static_cast<Family>(i));
  for (const Family family : families.application_families()) add(family);
  // These numbers belong to the database, or to what the families share.
  const auto catalog = families.find(Family::kCatalog);
  auto* any = catalog.get();
  result.log_bytes = log_bytes(db);
  result.block_cache_bytes = read(db, any, Properties::kBlockCacheUsage);
  result.block_cache_capacity = read(db, any, Properties::kBlockCacheCapacity);
  result.running_flushes = read(db, any, Properties::kNumRunningFlushes);
  result.running_compactions = read(db, any, Properties::kNumRunningCompactions);
  result.writes_delayed = read(db, any, Properties::kActualDelayedWriteRate) > 0;
  result.writes_stopped = read(db, any, Properties::kIsWriteStopped) > 0;
  return result;
}

}  // namespace holdfast
