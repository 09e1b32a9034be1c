#include "storage/rocksdb_store.h"

#include <rocksdb/db.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "storage/rocksdb_batch.h"
#include "storage/rocksdb_directory.h"
#include "storage/rocksdb_fail_stop.h"
#include "storage/rocksdb_options.h"
#include "storage/rocksdb_scan.h"
#include "storage/rocksdb_status.h"

namespace holdfast {
namespace {

class RocksdbStore final : public Store {
 public:
  // `handles`: of the default family, then of every Family.
  RocksdbStore(std::unique_ptr<rocksdb::DB> db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
               std::shared_ptr<FailStop> fail_stop)
      : db_(std::move(db)), unused_default_(handles.front()), fail_stop_(std::move(fail_stop)) {
    std::copy(handles.begin() + 1, handles.end(), handles_.begin());
  }
  RocksdbStore(const RocksdbStore&) = delete;
  RocksdbStore& operator=(const RocksdbStore&) = delete;
  ~RocksdbStore() override { release_handles(); }

  std::unique_ptr<Batch> new_batch() override { return std::make_unique<RocksdbBatch>(handles_); }

  CommitResult commit(Batch& batch, Durability durability) override;
  Result<std::optional<std::string>> get(Family family, std::string_view key) const override;
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override;
  Result<void> close() override;

 private:
  void release_handles();

  std::unique_ptr<rocksdb::DB> db_;  // null once closed
  FamilyHandles handles_ = {};
  rocksdb::ColumnFamilyHandle* unused_default_;
  std::shared_ptr<FailStop> fail_stop_;
};

CommitResult RocksdbStore::commit(Batch& batch, Durability durability) {
  if (fail_stop_->failed()) {
    return {CommitOutcome::kFailed, "the store stopped after an earlier failure: " + fail_stop_->reason()};
  }
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kFsync;
  const rocksdb::Status status = db_->Write(options, &static_cast<RocksdbBatch&>(batch).changes());
  if (status.ok()) return {};
  CommitResult result = failed_commit(status);
  fail_stop_->fail(result.message);
  return result;
}

Result<std::optional<std::string>> RocksdbStore::get(Family family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), handle_of(handles_, family), key, &value);
  if (status.ok()) return std::optional(std::move(value));
  if (status.IsNotFound()) return std::nullopt;
  return tl::unexpected(storage_error(status, "reading from " + std::string(family_name(family))));
}

std::unique_ptr<Scan> RocksdbStore::scan(Family family, std::string_view begin, std::string_view end) const {
  return std::make_unique<RocksdbScan>(*db_, handle_of(handles_, family), begin, end);
}

Result<void> RocksdbStore::close() {
  // A log that failed is not touched again: its file's state is unknown, and RocksDB asserts as much.
  const rocksdb::Status synced = fail_stop_->failed() ? rocksdb::Status::OK() : db_->SyncWAL();
  release_handles();
  const rocksdb::Status closed = db_->Close();
  db_.reset();
  if (fail_stop_->failed()) {
    return fail(ErrorCode::kStorageFailed, "closing after a failure: " + fail_stop_->reason());
  }
  if (!synced.ok()) return tl::unexpected(storage_error(synced, "syncing the log"));
  if (!closed.ok()) return tl::unexpected(storage_error(closed, "closing"));
  return {};
}

void RocksdbStore::release_handles() {
  if (db_ == nullptr) return;
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  db_->DestroyColumnFamilyHandle(unused_default_);
}

// The database and the handles of RocksDB's default family and of every Family.
struct Database {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
};

rocksdb::Status open_database(const Home& home, const RocksdbStoreOptions& options,
                              const std::shared_ptr<FailStop>& fail_stop, Database& result) {
  const auto families = family_descriptors(options);
  // In a new store all families are created together, which takes half of the fsyncs that one by one takes.
  const auto end = home.is_new ? families.begin() + 1 : families.end();
  rocksdb::DB* db = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(database_options(options, fail_stop), home.path.string(),
                                             {families.begin(), end}, &result.handles, &db);
  result.db.reset(db);
  if (!status.ok() || !home.is_new) return status;
  std::vector<rocksdb::ColumnFamilyHandle*> created;
  status = db->CreateColumnFamilies({end, families.end()}, &created);
  result.handles.insert(result.handles.end(), created.begin(), created.end());
  if (status.ok()) return status;
  for (auto* handle : result.handles) db->DestroyColumnFamilyHandle(handle);
  return status;
}

}  // namespace

Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& dir,
                                                  const RocksdbStoreOptions& options) {
  const auto home = prepare_directory(dir, options);
  if (!home) return tl::unexpected(home.error());
  auto fail_stop = std::make_shared<FailStop>();
  Database database;
  const rocksdb::Status status = open_database(*home, options, fail_stop, database);
  if (!status.ok()) return tl::unexpected(open_error(status, dir));
  return std::make_unique<RocksdbStore>(std::move(database.db), database.handles, std::move(fail_stop));
}

}  // namespace holdfast
