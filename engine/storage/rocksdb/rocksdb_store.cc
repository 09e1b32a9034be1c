#include "engine/storage/rocksdb/rocksdb_store.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/log_continuity.h"
#include "engine/storage/durability/manifest_watch.h"
#include "engine/storage/durability/mark_keeper.h"
#include "engine/storage/durability/rocksdb_fail_stop.h"
#include "engine/storage/durability/rocksdb_log_watch.h"
#include "engine/storage/files/ballast.h"
#include "engine/storage/files/little_endian.h"
#include "engine/storage/rocksdb/environment/rocksdb_lock.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"
#include "engine/storage/rocksdb/environment/rocksdb_threads.h"
#include "engine/storage/rocksdb/opening/rocksdb_database.h"
#include "engine/storage/rocksdb/opening/rocksdb_directory.h"
#include "engine/storage/rocksdb/opening/rocksdb_file_system.h"
#include "engine/storage/rocksdb/opening/rocksdb_open_database.h"
#include "engine/storage/rocksdb/opening/rocksdb_options.h"
#include "engine/storage/rocksdb/rocksdb_backup.h"
#include "engine/storage/rocksdb/rocksdb_compaction_room.h"
#include "engine/storage/rocksdb/rocksdb_space.h"
#include "engine/storage/rocksdb/rocksdb_statistics.h"
#include "engine/storage/rocksdb/rows/rocksdb_batch.h"
#include "engine/storage/rocksdb/rows/rocksdb_families.h"
#include "engine/storage/rocksdb/rows/rocksdb_scan.h"
#include "engine/storage/rocksdb/rows/rocksdb_snapshot.h"
#include "engine/sync/mutex.h"

namespace holdfast {
namespace {

// Checks that commits come one at a time. Each commit changes state that depends on the commits before, such
// as the mark, without a lock.
class OneAtATime {
 public:
  explicit OneAtATime(std::atomic<bool>& committing) : committing_(committing) {
    HOLDFAST_CHECK(!committing_.exchange(true, std::memory_order_acquire), "commits come one at a time");
  }
  ~OneAtATime() { committing_.store(false, std::memory_order_release); }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

 private:
  std::atomic<bool>& committing_;
};

class RocksdbStore final : public Store {
 public:
  // `env` is what the database runs on. `lock` is taken if RocksDB itself takes no lock.
  RocksdbStore(std::unique_ptr<rocksdb::Env> env, Database database,
               rocksdb::ColumnFamilyOptions application_options, std::shared_ptr<FailStop> fail_stop,
               std::shared_ptr<ManifestWatch> manifest_watch, std::shared_ptr<LogWatch> log_watch,
               std::unique_ptr<Ballast> ballast, bool compactions_are_deferred, DirectoryLock lock)
      : env_(std::move(env)),
        continuity_(std::move(database.continuity)),
        db_(std::move(database.db)),
        families_(*db_, database.handles),
        application_options_(std::move(application_options)),
        fail_stop_(std::move(fail_stop)),
        space_(*db_, families_, application_options_, std::move(ballast), compactions_are_deferred),
        lock_(std::move(lock)),
        manifest_watch_(std::move(manifest_watch)),
        mark_(*db_, manifest_watch_, std::move(log_watch),
              lock_.taken() ? DurableMark() : DurableMark(db_->GetName())) {}
  RocksdbStore(const RocksdbStore&) = delete;
  RocksdbStore& operator=(const RocksdbStore&) = delete;

  std::unique_ptr<Batch> new_batch() override { return std::make_unique<RocksdbBatch>(families_); }

  std::vector<Family> application_families() const override { return families_.application_families(); }
  Result<void> create_family(Family family) override;
  Result<void> drop_family(Family family) override;

  CommitResult commit(Batch& batch, Durability durability) override;
  Result<std::optional<std::string>> get(Family family, std::string_view key) const override;
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override;
  std::unique_ptr<Scan> scan_down(Family family, std::string_view begin, std::string_view end) const override;
  std::unique_ptr<Reader> snapshot() const override;
  Result<std::uint64_t> free_space() const override { return space_.free(); }
  StoreStatistics statistics() const override { return read_statistics(*db_, families_); }
  std::uint64_t approximate_bytes(Family family, std::string_view begin, std::string_view end) const override;
  Result<void> compact(Family family, std::string_view begin, std::string_view end,
                       std::atomic<bool>* cancel) override;
  Result<BackupInfo> backup(const std::filesystem::path& directory, const BackupOptions& options,
                            std::uint64_t keep_free, const std::atomic<bool>& cancel) override;
  Result<void> close() override;

 private:
  Result<void> changed_family(const rocksdb::Status& status, std::string_view doing);
  void start_deferred_compactions();

  const std::unique_ptr<rocksdb::Env> env_;          // outlives db_
  const std::unique_ptr<LogContinuity> continuity_;  // as in Database
  std::unique_ptr<rocksdb::DB> db_;                  // null once closed
  RocksdbFamilies families_;
  const rocksdb::ColumnFamilyOptions application_options_;
  sync::Mutex creating_family_;  // as take_backup() says
  // Held from a write to the log until mark_ knows it. A new family writes a row that may begin a log; in
  // between, that log would be taken for one that the commit began.
  sync::Mutex writing_log_;
  std::shared_ptr<FailStop> fail_stop_;
  RocksdbSpace space_;
  std::atomic<bool> committing_ = false;
  DirectoryLock lock_;
  std::shared_ptr<ManifestWatch> manifest_watch_;
  MarkKeeper mark_;
};

// Returns the number of a batch's first write once the batch is written. For an empty batch it is the number
// of the next write.
std::uint64_t first_write(const rocksdb::WriteBatch& written) {
  return load_little<std::uint64_t>(written.Data(), 0);
}
// Returns the number of a batch's last write; 0 if it has none.
std::uint64_t last_write(const rocksdb::WriteBatch& written) {
  return written.Count() == 0 ? 0 : first_write(written) + written.Count() - 1;
}

CommitResult RocksdbStore::commit(Batch& batch, Durability durability) {
  const OneAtATime only(committing_);
  if (fail_stop_->failed()) {
    return {CommitOutcome::kFailed, "the store stopped after an earlier failure: " + fail_stop_->reason()};
  }
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kFsync;
  rocksdb::WriteBatch& changes = static_cast<RocksdbBatch&>(batch).changes();
  space_.before_write(changes.GetDataSize());
  const rocksdb::Status status = [&] {
    const sync::Lock lock(writing_log_);
    rocksdb::Status written = db_->Write(options, &changes);
    if (written.ok()) mark_.note_written(first_write(changes));
    return written;
  }();
  space_.after_write();
  if (status.ok()) {
    if (options.sync) {
      mark_.note_durable(last_write(changes));
    } else {
      mark_.note_buffered();
    }
    start_deferred_compactions();
    return {};
  }
  CommitResult result = failed_commit(status);
  fail_stop_->fail(result.message);
  return result;
}

// A family that is dropped meanwhile has nothing to compact. Any other failure may or may not be in the
// manifest, as in changed_family().
void RocksdbStore::start_deferred_compactions() {
  const auto started = space_.start_deferred_compactions();
  if (!started) return;
  manifest_watch_->note();
  if (!started->ok() && !started->IsColumnFamilyDropped())
    fail_stop_->fail(storage_error(*started, "letting compactions start").message);
}

Result<void> RocksdbStore::create_family(Family family) {
  const sync::Lock lock(creating_family_);
  return changed_family(families_.create(family, application_options_, writing_log_), "creating a family");
}

Result<void> RocksdbStore::drop_family(Family family) {
  return changed_family(families_.drop(family), "dropping a family");
}

// A change that failed may or may not be in the manifest, so it is as bad as a failed write.
Result<void> RocksdbStore::changed_family(const rocksdb::Status& status, std::string_view doing) {
  manifest_watch_->note();
  if (status.ok()) return {};
  const Error error = storage_error(status, doing);
  fail_stop_->fail(error.message);
  return tl::unexpected(error);
}

Result<std::optional<std::string>> RocksdbStore::get(Family family, std::string_view key) const {
  return read_row(*db_, {}, families_, family, key);
}

std::unique_ptr<Scan> RocksdbStore::scan(Family family, std::string_view begin, std::string_view end) const {
  return scan_rows(*db_, {}, families_, family, begin, end, RocksdbScan::Order::kUp);
}

std::unique_ptr<Scan> RocksdbStore::scan_down(Family family, std::string_view begin,
                                              std::string_view end) const {
  return scan_rows(*db_, {}, families_, family, begin, end, RocksdbScan::Order::kDown);
}

std::unique_ptr<Reader> RocksdbStore::snapshot() const {
  return std::make_unique<RocksdbSnapshot>(*db_, families_);
}

std::uint64_t RocksdbStore::approximate_bytes(Family family, std::string_view begin,
                                              std::string_view end) const {
  const auto handle = families_.find(family);
  if (!handle) return 0;
  const rocksdb::Range range(begin, end);
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = false;
  std::uint64_t bytes = 0;
  const auto status = db_->GetApproximateSizes(options, handle.get(), &range, 1, &bytes);
  return status.ok() ? bytes : 0;
}

Result<void> RocksdbStore::compact(Family family, std::string_view begin, std::string_view end,
                                   std::atomic<bool>* cancel) {
  if (fail_stop_->failed()) return fail(ErrorCode::kStorageFailed, fail_stop_->reason());
  const auto handle = families_.find(family);
  if (!handle) return {};
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  // RocksDB checks this flag for the last time before it opens a table for range deletions alone, so the
  // assertion that close() avoids cannot fail here.
  options.canceled = cancel;
  // The last level must be rewritten too, or it keeps what was removed since it was written.
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  const rocksdb::Slice from = begin.empty() ? rocksdb::Slice() : rocksdb::Slice(begin);
  const rocksdb::Slice to(end);
  const auto status = db_->CompactRange(options, handle.get(), &from, &to);
  if (status.ok() || (cancel != nullptr && *cancel)) return {};
  return tl::unexpected(storage_error(status, "compacting " + family_name(family)));
}

Result<BackupInfo> RocksdbStore::backup(const std::filesystem::path& directory, const BackupOptions& options,
                                        std::uint64_t keep_free, const std::atomic<bool>& cancel) {
  if (fail_stop_->failed()) return fail(ErrorCode::kStorageFailed, fail_stop_->reason());
  return take_backup(*db_, creating_family_, directory, options, keep_free, cancel);
}

Result<void> RocksdbStore::close() {
  // A log that failed is not touched again: the state of its file is unknown, and RocksDB asserts as much. A
  // store that only reads has no log.
  const rocksdb::Status synced =
      fail_stop_->failed() || lock_.taken() ? rocksdb::Status::OK() : db_->SyncWAL();
  families_.release();
  // Waits for compactions that run. One that is stopped while it has only range deletions to write ends the
  // process, by an assertion of RocksDB 7.8.3 (SubcompactionState::SmallestUserKey) that Debian leaves in.
  db_->PauseBackgroundWork().PermitUncheckedError();
  // This comes after the last compaction, so that the mark knows the whole manifest.
  if (synced.ok() && !fail_stop_->failed()) mark_.note_durable(db_->GetLatestSequenceNumber());
  const rocksdb::Status closed = db_->Close();
  db_.reset();
  if (fail_stop_->failed()) {
    return fail(ErrorCode::kStorageFailed, "closing after a failure: " + fail_stop_->reason());
  }
  if (!synced.ok()) return tl::unexpected(storage_error(synced, "syncing the log"));
  if (!closed.ok()) return tl::unexpected(storage_error(closed, "closing"));
  return {};
}

}  // namespace

Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& dir,
                                                  const RocksdbStoreOptions& options) {
  if (auto ok = start_rocksdb_threads(); !ok) return tl::unexpected(ok.error());
  const auto home = prepare_directory(dir, options);
  if (!home) return tl::unexpected(home.error());
  DirectoryLock lock;
  if (options.read_only) {
    if (auto locked = lock.take(home->path, dir); !locked) return tl::unexpected(locked.error());
  }
  auto fail_stop = std::make_shared<FailStop>();
  auto manifest_watch = std::make_shared<ManifestWatch>();
  FamilyPlan plan = plan_families(options);
  const rocksdb::ColumnFamilyOptions application = plan.application;
  auto database_opts = database_options(options, home->path, {fail_stop, manifest_watch});
  auto log_watch = std::make_shared<LogWatch>();
  auto env = rocksdb::NewCompositeEnv(
      file_system_of(*home, options.read_only, database_opts.env->GetFileSystem(), fail_stop, log_watch));
  database_opts.env = env.get();
  auto ballast = std::make_unique<Ballast>(home->path, options.read_only ? 0 : options.ballast_bytes);
  const bool is_short = !options.read_only && make_room_if_short(*home, *env, *ballast);
  if (is_short) DeferredCompactions::defer(plan);
  auto database = open_database(dir, *home, plan, database_opts, options.read_only);
  if (!database) return tl::unexpected(database.error());
  return std::make_unique<RocksdbStore>(std::move(env), std::move(*database), application,
                                        std::move(fail_stop), std::move(manifest_watch), std::move(log_watch),
                                        std::move(ballast), is_short, std::move(lock));
}

}  // namespace holdfast
