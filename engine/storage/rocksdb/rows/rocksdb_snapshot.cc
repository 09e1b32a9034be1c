#include "engine/storage/rocksdb/rows/rocksdb_snapshot.h"

#include "engine/storage/rocksdb/environment/rocksdb_status.h"

namespace holdfast {

Result<std::optional<std::string>> read_row(rocksdb::DB& db, const rocksdb::ReadOptions& options,
                                            const RocksdbFamilies& families, Family family,
                                            std::string_view key) {
  std::string value;
  const auto handle = families.find(family);
  if (!handle) return std::nullopt;
  const rocksdb::Status status = db.Get(options, handle.get(), key, &value);
  if (status.ok()) return std::optional(std::move(value));
  if (status.IsNotFound()) return std::nullopt;
  return tl::unexpected(storage_error(status, "reading from " + family_name(family)));
}

std::unique_ptr<Scan> scan_rows(rocksdb::DB& db, const rocksdb::ReadOptions& options,
                                const RocksdbFamilies& families, Family family, std::string_view begin,
                                std::string_view end, RocksdbScan::Order order) {
  auto handle = families.find(family);
  if (!handle) return std::make_unique<EmptyScan>();
  return std::make_unique<RocksdbScan>(db, options, std::move(handle), begin, end, order);
}

// The snapshot reads everything once, so it leaves the cache to what is in use.
RocksdbSnapshot::RocksdbSnapshot(rocksdb::DB& db, const RocksdbFamilies& families)
    : db_(db), families_(families), application_families_(families.application_families()), snapshot_(&db) {
  options_.snapshot = snapshot_.snapshot();
  options_.fill_cache = false;
}

Result<std::optional<std::string>> RocksdbSnapshot::get(Family family, std::string_view key) const {
  return read_row(db_, options_, families_, family, key);
}

std::unique_ptr<Scan> RocksdbSnapshot::scan(Family family, std::string_view begin,
                                            std::string_view end) const {
  return scan_rows(db_, options_, families_, family, begin, end, RocksdbScan::Order::kUp);
}

}  // namespace holdfast
