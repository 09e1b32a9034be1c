// An open database, before a store has it.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/log_continuity.h"

namespace holdfast {

// A Database has RocksDB's database, and the handles that RocksdbFamilies wants.
struct Database {
  std::unique_ptr<LogContinuity> continuity;  // belongs to the options of the database and outlives it
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;

  void close() {
    HOLDFAST_CHECK(db || handles.empty(), "handles belong to a database that is open");
    for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
    handles.clear();
    db.reset();
  }
};

}  // namespace holdfast
