// Estimates how much of the device RocksDB may need for a while, beside what it has, and lets it compact once
// there is as much.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "engine/storage/rocksdb/opening/rocksdb_options.h"
#include "engine/storage/rocksdb/rows/rocksdb_families.h"

namespace holdfast {

// Returns the most bytes that the next compaction may write before what it read is deleted. Compactions run
// one at a time, so all of them together need no more. `limit` is the max_compaction_bytes of the families.
std::uint64_t compaction_room(rocksdb::DB& db, const RocksdbFamilies& families, std::uint64_t limit);

// Keeps RocksDB from compacting by itself between an opening on a device that is short of space and the
// moment when there is room. A compaction that finds no space stops the store, and after such an opening it
// would do so before a consumer has acknowledged anything, which is what frees space. Compactions that are
// asked for run all the same. RocksDB does not slow down or stop writes because of compactions that wait so.
class DeferredCompactions {
 public:
  // Defers the compactions of all families that are opened by the plan.
  static void defer(FamilyPlan& plan);

  // `deferred` says whether the families were opened by a plan that defer() has changed.
  explicit DeferredCompactions(bool deferred) : deferred_(deferred) {}

  // Notes that `free` bytes of the device are free, and that a compaction may need `room`. Any thread may
  // call it, also one inside a gate, since it only remembers whether there is room.
  void note_space(std::uint64_t free, std::uint64_t room);
  // Lets compactions start from now on if they are deferred and there was room at the last look. Writes to
  // the manifest and the options of each family. Returns how that went, or nothing if nothing was to do. Only
  // for commits, which come one at a time.
  std::optional<rocksdb::Status> start_if_room(rocksdb::DB& db, const RocksdbFamilies& families);

 private:
  bool deferred_;
  std::atomic<bool> has_room_ = false;
};

}  // namespace holdfast
