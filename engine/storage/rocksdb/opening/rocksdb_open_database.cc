#include "engine/storage/rocksdb/opening/rocksdb_open_database.h"

#include <cstdint>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_durability.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/durability/rocksdb_manifest.h"
#include "engine/storage/rocksdb/environment/rocksdb_lock.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"
#include "engine/storage/rocksdb/opening/rocksdb_families_to_open.h"
#include "engine/storage/rocksdb/opening/rocksdb_recovery.h"
#include "engine/storage/store.h"

namespace holdfast {
namespace {

// Creates all families together, which takes half of the fsyncs that creating them one by one takes.
rocksdb::Status create_new(const Home& home, const FamilyPlan& plan, const rocksdb::DBOptions& options,
                           Database& result) {
  HOLDFAST_CHECK(plan.built_in.size() == kFamilyCount + 1,
                 "a new database gets RocksDB's own family and every built-in one");
  const auto first_new = plan.built_in.begin() + 1;
  rocksdb::DB* db = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, home.path.string(), {plan.built_in.begin(), first_new},
                                             &result.handles, &db);
  result.db.reset(db);
  if (!status.ok()) return status;
  std::vector<rocksdb::ColumnFamilyHandle*> created;
  status = db->CreateColumnFamilies({first_new, plan.built_in.end()}, &created);
  result.handles.insert(result.handles.end(), created.begin(), created.end());
  HOLDFAST_CHECK(!status.ok() || result.handles.size() == plan.built_in.size(),
                 "each family of a new database is open");
  if (status.ok()) return status;
  for (auto* handle : result.handles) db->DestroyColumnFamilyHandle(handle);
  return status;
}

}  // namespace

Result<Database> open_database(const std::filesystem::path& dir, const Home& home, const FamilyPlan& plan,
                               const rocksdb::DBOptions& options, bool read_only) {
  if (home.is_new && !read_only) {
    Database database;
    const auto status = create_new(home, plan, options, database);
    if (!status.ok()) return tl::unexpected(open_error(status, dir));
    return database;
  }
  const auto mark = read_mark(home.path);
  if (mark && !read_only) {
    // The manifest of a directory that is open elsewhere is being written, so the lock comes first. RocksDB
    // takes the lock again.
    DirectoryLock lock;
    if (auto locked = lock.take(home.path, dir); !locked) return tl::unexpected(locked.error());
    cut_unsynced_manifest(home.path, *mark);
  }
  const FamiliesToOpen there = families_in(home, plan, options);
  if (auto ours = check_ours(dir, home, there, plan, options, mark.has_value()); !ours)
    return tl::unexpected(ours.error());
  std::uint64_t first_needed = 0;
  if (mark && !mark->logs.empty())
    first_needed = first_needed_write(
        parse_manifest(read_bytes(current_manifest(home.path), 0, counting_manifest_bytes(home.path, *mark))),
        *mark);
  return open_existing({dir, home, there, mark, first_needed}, options, read_only);
}

}  // namespace holdfast
