// RocksdbFamilies has the open column families of a RocksDB store.
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
  // A Handle refers to a family. A family can be read as long as somebody holds its handle, even after it was
  // dropped.
  using Handle = std::shared_ptr<rocksdb::ColumnFamilyHandle>;

  // `handles` are those of RocksDB's default family, of every Family in order, and of the application's
  // families in any order.
  RocksdbFamilies(rocksdb::DB& db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  RocksdbFamilies(const RocksdbFamilies&) = delete;
  RocksdbFamilies& operator=(const RocksdbFamilies&) = delete;
  ~RocksdbFamilies() { release(); }

  // Returns null if the family is not there, which can happen only to an application's family.
  Handle find(Family family) const;

  std::vector<Family> application_families() const;
  // Creates a family. It writes a row, for which it takes `writing_log`.
  rocksdb::Status create(Family family, const rocksdb::ColumnFamilyOptions& options,
                         sync::Mutex& writing_log);
  rocksdb::Status drop(Family family);

  // Lets go of all handles. Called before the database is closed.
  void release();

 private:
  Handle own(rocksdb::ColumnFamilyHandle* handle);
  rocksdb::Status anchor(rocksdb::ColumnFamilyHandle& created, sync::Mutex& writing_log);

  rocksdb::DB& db_;
  std::vector<Handle> built_in_;  // one for each Family, then RocksDB's default
  mutable sync::SharedMutex mutex_;
  std::map<Family, Handle> application_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
