// The open column families of a RocksDB store.
#pragma once

#include <rocksdb/db.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "engine/storage/store.h"
#include "engine/sync/mutex.h"

namespace holdfast {

class RocksdbFamilies {
 public:
  // A family can be read as long as somebody holds it, also when it was dropped meanwhile.
  using Handle = std::shared_ptr<rocksdb::ColumnFamilyHandle>;

  // `handles`: of RocksDB's default family, of every Family in order, and of the application's in any order.
  RocksdbFamilies(rocksdb::DB& db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  RocksdbFamilies(const RocksdbFamilies&) = delete;
  RocksdbFamilies& operator=(const RocksdbFamilies&) = delete;
  ~RocksdbFamilies() { release(); }

  // Null if it is not there, which only an application's can be.
  Handle find(Family family) const;

  std::vector<Family> application_families() const;
  rocksdb::Status create(Family family, const rocksdb::ColumnFamilyOptions& options);
  rocksdb::Status drop(Family family);

  // Lets go of all, before the database is closed.
  void release();

 private:
  Handle own(rocksdb::ColumnFamilyHandle* handle);
  rocksdb::Status anchor(rocksdb::ColumnFamilyHandle& created);

  rocksdb::DB& db_;
  std::vector<Handle> built_in_;  // by Family, then RocksDB's default
  mutable sync::SharedMutex mutex_;
  std::map<Family, Handle> application_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
