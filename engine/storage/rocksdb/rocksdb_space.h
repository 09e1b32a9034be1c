// A RocksdbSpace is the space that a store has on its device, and what it holds back of it.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/storage/files/ballast.h"
#include "engine/storage/rocksdb/opening/rocksdb_directory.h"
#include "engine/storage/rocksdb/rocksdb_compaction_room.h"
#include "engine/storage/rocksdb/rows/rocksdb_families.h"
#include "holdfast/error.h"

namespace holdfast {

// Lets the ballast go if space is short or none is wanted any more, and returns whether space is short.
// It is called before the database is opened. A process that has the directory open takes care of its ballast
// itself; opening then reports that it is open.
bool make_room_if_short(const Home& home, rocksdb::Env& env, Ballast& ballast);

class RocksdbSpace {
 public:
  // The arguments that are references outlive the space. `options` are those of each family.
  // `compactions_are_deferred` is as DeferredCompactions says.
  RocksdbSpace(rocksdb::DB& db, const RocksdbFamilies& families, const rocksdb::ColumnFamilyOptions& options,
               std::unique_ptr<Ballast> ballast, bool compactions_are_deferred);
  RocksdbSpace(const RocksdbSpace&) = delete;
  RocksdbSpace& operator=(const RocksdbSpace&) = delete;

  // These are called around each commit, before its `bytes` go to the log and once they are there. Commits
  // come one at a time.
  void before_write(std::uint64_t bytes);
  void after_write();
  // Does after a commit what DeferredCompactions::start_if_room() does, and returns the same.
  std::optional<rocksdb::Status> start_deferred_compactions();

  // Returns how much of the device is free for messages. Any thread may call it.
  Result<std::uint64_t> free() const;

 private:
  rocksdb::DB& db_;
  const RocksdbFamilies& families_;
  const rocksdb::ColumnFamilyOptions& options_;
  const std::unique_ptr<Ballast> ballast_;
  mutable DeferredCompactions deferred_compactions_;
  std::uint64_t logged_ = 0;   // bytes since the ballast was last compared with the logs
  bool is_announced_ = false;  // the ballast waits to be told that a commit is written
};

}  // namespace holdfast
