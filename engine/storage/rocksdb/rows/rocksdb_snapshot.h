// A RocksdbSnapshot is a Reader over a RocksDB snapshot. The functions beside it read rows.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/storage/rocksdb/rows/rocksdb_families.h"
#include "engine/storage/rocksdb/rows/rocksdb_scan.h"
#include "engine/storage/store.h"

namespace holdfast {

Result<std::optional<std::string>> read_row(rocksdb::DB& db, const rocksdb::ReadOptions& options,
                                            const RocksdbFamilies& families, Family family,
                                            std::string_view key);
std::unique_ptr<Scan> scan_rows(rocksdb::DB& db, const rocksdb::ReadOptions& options,
                                const RocksdbFamilies& families, Family family, std::string_view begin,
                                std::string_view end, RocksdbScan::Order order);

class RocksdbSnapshot final : public Reader {
 public:
  RocksdbSnapshot(rocksdb::DB& db, const RocksdbFamilies& families);

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override;
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override;
  std::vector<Family> application_families() const override { return application_families_; }

 private:
  rocksdb::DB& db_;
  const RocksdbFamilies& families_;
  const std::vector<Family> application_families_;
  rocksdb::ManagedSnapshot snapshot_;
  rocksdb::ReadOptions options_;
};

}  // namespace holdfast
