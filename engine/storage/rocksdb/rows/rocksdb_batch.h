// A RocksdbBatch is a Batch that is a rocksdb::WriteBatch.
#pragma once

#include <rocksdb/write_batch.h>

#include "engine/storage/rocksdb/rows/rocksdb_families.h"
#include "engine/storage/store.h"

namespace holdfast {

class RocksdbBatch final : public Batch {
 public:
  explicit RocksdbBatch(const RocksdbFamilies& families) : families_(families) {}

  void put(Family family, std::string_view key, std::string_view value) override;
  void remove(Family family, std::string_view key) override;
  void put_once(Family family, std::string_view key, std::string_view value) override;
  void remove_once(Family family, std::string_view key) override;
  void remove_range(Family family, std::string_view begin, std::string_view end) override;
  std::size_t byte_size() const override { return changes_.GetDataSize(); }
  bool empty() const override { return changes_.Count() == 0; }
  void clear() override { changes_.Clear(); }

  rocksdb::WriteBatch& changes() { return changes_; }

 private:
  // Stops the process if the family is not there: the batch would be torn if it went on without the change.
  RocksdbFamilies::Handle handle_of(Family family) const;

  const RocksdbFamilies& families_;
  rocksdb::WriteBatch changes_;
};

}  // namespace holdfast
