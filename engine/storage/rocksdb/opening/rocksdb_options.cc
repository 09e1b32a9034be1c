#include "engine/storage/rocksdb/opening/rocksdb_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/storage/rocksdb/environment/rocksdb_info_log.h"
#include "engine/storage/rocksdb/environment/rocksdb_threads.h"
#include "engine/storage/store.h"

namespace holdfast {
namespace {

constexpr double kFilterBitsPerKey = 10;
// Two cores seldom meet in one of 16 shards, and each shard holds megabytes.
constexpr int kCacheShardBits = 4;
// Tables have this format. Later releases of RocksDB write 6, which no release before 8.6 reads, so that a
// system could not be taken back to an older release. And salvage knows the checksums of 5.
constexpr std::uint32_t kTableFormat = 5;

// Returns what a key shares with the keys that are written before and after it. The memtable looks for a
// key's place beside the last key with the same beginning: if keys ascend, that takes one or two comparisons,
// and a search takes twenty.
class Beginning final : public rocksdb::SliceTransform {
 public:
  using Length = std::size_t (*)(const rocksdb::Slice& key);
  explicit Beginning(Length length) : length_(length) {}
  const char* Name() const override { return "holdfast.Beginning"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), length_(key)}; }
  bool InDomain(const rocksdb::Slice& key) const override { return length_(key) != 0; }

 private:
  const Length length_;
};

// Returns the length of the beginning of a key in the index (codec/dead_letters/dead_letter_index.h). A
// family may have this only if no range removal begins with such a key: RocksDB keeps range removals in a
// list of their own, and would look for their place in the wrong list.
std::size_t beginning_in_index(const rocksdb::Slice& key) {
  constexpr std::size_t kKindAt = 8;
  constexpr std::size_t kIdRow = kKindAt + 3;  // ids ascend
  constexpr std::size_t kTimeAndSeq = 16;
  if (key.size() < kIdRow + kTimeAndSeq) return 0;
  const auto kind = static_cast<unsigned char>(key[kKindAt]);
  if (kind >= 0x80) return key.size();  // a count
  return kind == 2 ? kIdRow : key.size() - kTimeAndSeq;
}

// Message chunks live and die in the memtable if it is large enough to hold both ends of their lives. Those
// that reach a file are read by point lookups.
rocksdb::ColumnFamilyOptions family_options(Family family, const RocksdbStoreOptions& options,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
  const bool messages = family == Family::kMessages;
  const bool point_lookups = messages || family == Family::kDedup || is_application_family(family);
  rocksdb::BlockBasedTableOptions table;
  table.format_version = kTableFormat;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  // The index of a table of small rows is larger than a shard of the cache has room for. Without a second
  // level it would be read and decompressed for every lookup.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = point_lookups;
  if (point_lookups) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kFilterBitsPerKey));

  rocksdb::ColumnFamilyOptions result;
  result.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  result.write_buffer_size = options.write_buffer_bytes / (messages ? 4 : 8);
  result.max_write_buffer_number = messages ? 4 : 2;
  // A table of level 0 has removals at a queue's head and messages at its end, so the whole first level below
  // is rewritten with it, and must fit into the free space (see limits::kReserveWriteBuffers). In the levels
  // below, a table and those of the next level that share its keys must fit too.
  result.target_file_size_base = options.write_buffer_bytes;
  result.max_bytes_for_level_base = 2 * options.write_buffer_bytes;
  result.max_compaction_bytes = 3 * options.write_buffer_bytes;
  result.compression = rocksdb::kLZ4Compression;
  // Flushed data is soon rewritten or gone, so only the levels below are compressed.
  result.compression_per_level = {rocksdb::kNoCompression, rocksdb::kLZ4Compression};
  result.level_compaction_dynamic_level_bytes = true;
  if (family == Family::kDeadLetterIndex || family == Family::kDeadLetterIds)
    result.memtable_insert_with_hint_prefix_extractor = std::make_shared<Beginning>(beginning_in_index);
  return result;
}

}  // namespace

rocksdb::DBOptions database_options(const RocksdbStoreOptions& options,
                                    const std::filesystem::path& directory,
                                    std::vector<std::shared_ptr<rocksdb::EventListener>> listeners) {
  rocksdb::DBOptions result;
  if (options.env != nullptr) result.env = options.env;
  result.create_if_missing = options.create_if_missing;
  result.create_missing_column_families = true;

  // The default, point-in-time recovery, drops acknowledged commits that follow a damaged record.
  result.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  // The manifest knows the number and the length of each log that was synced and is not written to any more.
  // RocksDB does not know this of the last log: DurableMark does.
  result.track_and_verify_wals_in_manifest = true;
  result.max_bgerror_resume_count = 0;
  result.listeners = std::move(listeners);

  result.allow_concurrent_memtable_write = false;
  result.enable_write_thread_adaptive_yield = false;
  result.db_write_buffer_size = options.write_buffer_bytes;
  // Families that are seldom written would keep old logs, and a restart would replay them.
  result.max_total_wal_size = options.write_buffer_bytes;
  result.max_background_jobs = kBackgroundJobs;
  // The default of 4 MiB would be most of what a small device's ballast gives back to an opening.
  result.manifest_preallocation_size = 64 << 10;
  // More threads would only serve the opening, and if one of them cannot be had, RocksDB ends the process.
  result.max_file_opening_threads = 1;
  result.avoid_unnecessary_blocking_io = true;
  result.skip_stats_update_on_db_open = true;

  // A store that only reads writes no LOG.
  if (!options.read_only) result.info_log = std::make_shared<InfoLog>(directory);
  result.stats_dump_period_sec = 0;
  result.stats_persist_period_sec = 0;
  return result;
}

FamilyPlan plan_families(const RocksdbStoreOptions& options) {
  const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes, kCacheShardBits);
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
