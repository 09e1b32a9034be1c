#include "storage/rocksdb_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <string>
#include <utility>

namespace holdfast {
namespace {

constexpr double kFilterBitsPerKey = 10;

// Message chunks live and die in the memtable if it is large enough to see both ends of them; what does reach
// a file is read by point lookups.
rocksdb::ColumnFamilyOptions family_options(Family family, const RocksdbStoreOptions& options,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
  const bool messages = family == Family::kMessages;
  const bool point_lookups = messages || family == Family::kDedup || family >= kFirstApplicationFamily;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  if (point_lookups) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kFilterBitsPerKey));

  rocksdb::ColumnFamilyOptions result;
  result.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  result.write_buffer_size = options.write_buffer_bytes / (messages ? 4 : 8);
  result.max_write_buffer_number = messages ? 4 : 2;
  result.compression = rocksdb::kLZ4Compression;
  result.level_compaction_dynamic_level_bytes = true;
  return result;
}

}  // namespace

rocksdb::DBOptions database_options(const RocksdbStoreOptions& options,
                                    std::shared_ptr<rocksdb::EventListener> listener) {
  rocksdb::DBOptions result;
  if (options.env != nullptr) result.env = options.env;
  result.create_if_missing = options.create_if_missing;
  result.create_missing_column_families = true;

  result.paranoid_checks = !options.lenient;
  // The default, point-in-time recovery, drops acknowledged commits that follow a damaged record.
  result.wal_recovery_mode = options.lenient ? rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords
                                             : rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  result.max_bgerror_resume_count = 0;
  result.listeners.push_back(std::move(listener));

  result.allow_concurrent_memtable_write = false;
  result.enable_write_thread_adaptive_yield = false;
  result.db_write_buffer_size = options.write_buffer_bytes;
  // Families that are seldom written would pin old logs, and a restart would replay them.
  result.max_total_wal_size = options.write_buffer_bytes;
  result.max_background_jobs = 2;
  result.avoid_unnecessary_blocking_io = true;
  result.skip_stats_update_on_db_open = true;

  result.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  result.keep_log_file_num = 2;
  result.max_log_file_size = std::size_t{1} << 20;
  result.stats_dump_period_sec = 0;
  result.stats_persist_period_sec = 0;
  return result;
}

FamilyPlan plan_families(const RocksdbStoreOptions& options) {
  const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  FamilyPlan plan;
  plan.built_in.emplace_back(rocksdb::kDefaultColumnFamilyName,
                             family_options(Family::kCatalog, options, cache));
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    plan.built_in.emplace_back(family_name(family), family_options(family, options, cache));
  }
  plan.application = family_options(kFirstApplicationFamily, options, cache);
  return plan;
}

}  // namespace holdfast
