#include "engine/storage/rocksdb/rows/rocksdb_families.h"

#include <mutex>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/storage/application_keys.h"

namespace holdfast {

RocksdbFamilies::RocksdbFamilies(rocksdb::DB& db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles)
    : db_(db) {
  HOLDFAST_CHECK(handles.size() > kFamilyCount, "RocksDB's own family and every built-in one are open");
  for (std::size_t i = 1; i < handles.size(); ++i) {
    if (i <= kFamilyCount) {
      built_in_.push_back(own(handles[i]));
    } else {
      const auto family = parse_application_family(handles[i]->GetName());
      HOLDFAST_CHECK(family, "families that are not built in are the application's");
      application_.emplace(*family, own(handles[i]));
    }
  }
  built_in_.push_back(own(handles.front()));
}

RocksdbFamilies::Handle RocksdbFamilies::own(rocksdb::ColumnFamilyHandle* handle) {
  return {handle, [&db = db_](auto* closed) { db.DestroyColumnFamilyHandle(closed); }};
}

RocksdbFamilies::Handle RocksdbFamilies::find(Family family) const {
  if (!is_application_family(family)) {
    // The store outlives the handles that it gives out, so the hot path counts no references.
    return {Handle(), built_in_[static_cast<std::size_t>(family)].get()};
  }
  const sync::SharedLock lock(mutex_);
  const auto found = application_.find(family);
  return found == application_.end() ? nullptr : found->second;
}

std::vector<Family> RocksdbFamilies::application_families() const {
  const sync::SharedLock lock(mutex_);
  std::vector<Family> result;
  for (const auto& [family, handle] : application_) result.push_back(family);
  return result;
}

rocksdb::Status RocksdbFamilies::create(Family family, const rocksdb::ColumnFamilyOptions& options,
                                        sync::Mutex& writing_log) {
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  auto status = db_.CreateColumnFamily(options, family_name(family), &handle);
  // RocksDB 9 returns a handle also if the family was created and the file of its options could not be
  // written. Closing the database asserts that no handle is left.
  Handle created = handle == nullptr ? Handle() : own(handle);
  if (status.ok()) status = anchor(*created, writing_log);
  if (!status.ok()) return status;
  const sync::ExclusiveLock lock(mutex_);
  application_.insert_or_assign(family, std::move(created));
  return rocksdb::Status::OK();
}

// Makes sure that the family has a table, by a row that is never removed. If the manifest is lost, only a
// family's tables tell its name and the number by which the log calls it.
rocksdb::Status RocksdbFamilies::anchor(rocksdb::ColumnFamilyHandle& created, sync::Mutex& writing_log) {
  {
    const sync::Lock lock(writing_log);
    if (auto status = db_.Put({}, &created, kApplicationKeysEnd, {}); !status.ok()) return status;
  }
  return db_.Flush({}, &created);
}

rocksdb::Status RocksdbFamilies::drop(Family family) {
  const Handle handle = find(family);
  if (!handle) return rocksdb::Status::OK();
  auto status = db_.DropColumnFamily(handle.get());
  if (!status.ok()) return status;
  const sync::ExclusiveLock lock(mutex_);
  application_.erase(family);
  return status;
}

void RocksdbFamilies::release() {
  const sync::ExclusiveLock lock(mutex_);
  application_.clear();
  built_in_.clear();
}

}  // namespace holdfast
