// A Batch that is a rocksdb::WriteBatch.
#pragma once

#include <rocksdb/write_batch.h>

#include <array>

#include "storage/store.h"

namespace rocksdb {
class ColumnFamilyHandle;
}

namespace holdfast {

// By Family; a family of the store is open as long as its handle.
using FamilyHandles = std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount>;

inline rocksdb::ColumnFamilyHandle* handle_of(const FamilyHandles& handles, Family family) {
  return handles[static_cast<std::size_t>(family)];
}

class RocksdbBatch final : public Batch {
 public:
  explicit RocksdbBatch(const FamilyHandles& handles) : handles_(handles) {}

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
  FamilyHandles handles_;
  rocksdb::WriteBatch changes_;
};

}  // namespace holdfast
