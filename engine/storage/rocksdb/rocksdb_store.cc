#include "engine/storage/rocksdb/rocksdb_store.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/log_continuity.h"
#include "engine/storage/durability/manifest_watch.h"
#include "engine/storage/durability/rocksdb_cut_files.h"
#include "engine/storage/durability/rocksdb_durability.h"
#include "engine/storage/durability/rocksdb_fail_stop.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/durability/rocksdb_log_watch.h"
#include "engine/storage/durability/rocksdb_manifest.h"
#include "engine/storage/durability/rocksdb_manifest_view.h"
#include "engine/storage/files/ballast.h"
#include "engine/storage/files/directories.h"
#include "engine/storage/files/little_endian.h"
#include "engine/storage/rocksdb/rocksdb_backup.h"
#include "engine/storage/rocksdb/rocksdb_batch.h"
#include "engine/storage/rocksdb/rocksdb_compaction_room.h"
#include "engine/storage/rocksdb/rocksdb_directory.h"
#include "engine/storage/rocksdb/rocksdb_families.h"
#include "engine/storage/rocksdb/rocksdb_lock.h"
#include "engine/storage/rocksdb/rocksdb_options.h"
#include "engine/storage/rocksdb/rocksdb_private_files.h"
#include "engine/storage/rocksdb/rocksdb_scan.h"
#include "engine/storage/rocksdb/rocksdb_snapshot.h"
#include "engine/storage/rocksdb/rocksdb_statistics.h"
#include "engine/storage/rocksdb/rocksdb_status.h"
#include "engine/storage/rocksdb/rocksdb_threads.h"
#include "engine/sync/mutex.h"

namespace holdfast {
namespace {

// The database and the handles that RocksdbFamilies wants.
struct Database {
  std::unique_ptr<LogContinuity> continuity;  // belongs to the options of the database and outlives it
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;

  void close() {
    for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
    handles.clear();
    db.reset();
  }
};

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
        ballast_(std::move(ballast)),
        deferred_compactions_(compactions_are_deferred),
        lock_(std::move(lock)),
        manifest_watch_(std::move(manifest_watch)),
        log_watch_(std::move(log_watch)),
        mark_(lock_.taken() ? DurableMark() : DurableMark(db_->GetName())) {
    // What recovery has found in the log is in tables, which are synced.
    note_durable(db_->GetLatestSequenceNumber());
    mark_.sync();
  }
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
  Result<std::uint64_t> free_space() const override;
  StoreStatistics statistics() const override;
  std::uint64_t approximate_bytes(Family family, std::string_view begin, std::string_view end) const override;
  Result<void> compact(Family family, std::string_view begin, std::string_view end,
                       std::atomic<bool>* cancel) override;
  Result<BackupInfo> backup(const std::filesystem::path& directory, const BackupOptions& options,
                            std::uint64_t keep_free, const std::atomic<bool>& cancel) override;
  Result<void> close() override;

 private:
  Result<void> changed_family(const rocksdb::Status& status, std::string_view doing);
  void start_deferred_compactions();
  void note_durable(std::uint64_t sequence);
  void note_manifest();
  bool mind_ballast(std::uint64_t bytes);

  const std::unique_ptr<rocksdb::Env> env_;          // outlives db_
  const std::unique_ptr<LogContinuity> continuity_;  // as in Database
  std::unique_ptr<rocksdb::DB> db_;                  // null once closed
  RocksdbFamilies families_;
  const rocksdb::ColumnFamilyOptions application_options_;
  sync::Mutex creating_family_;  // as take_backup() says
  // Held from a write to the log until log_watch_ knows it. A new family writes a row that may begin a log;
  // in between, that log would be taken for one that the commit began.
  sync::Mutex writing_log_;
  std::shared_ptr<FailStop> fail_stop_;
  const std::unique_ptr<Ballast> ballast_;
  mutable DeferredCompactions deferred_compactions_;
  std::atomic<bool> committing_ = false;
  std::uint64_t logged_ = 0;  // bytes since the ballast was last compared with the logs
  DirectoryLock lock_;
  std::shared_ptr<ManifestWatch> manifest_watch_;
  std::shared_ptr<LogWatch> log_watch_;
  DurableMark mark_;
  DurableState durable_;  // what the mark says
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

std::uint64_t bytes_of_logs(const std::filesystem::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : files_of(directory, error)) {
    const auto size = file.extension() == ".log" ? std::filesystem::file_size(file, error) : 0;
    if (!error) bytes += size;
  }
  return bytes;
}

// Tells the ballast that `bytes` are about to go to the log, if it is time. The logs are as large as the
// write buffer and the last commit, or larger while what they hold is being flushed, so their size is looked
// up after each half of a write buffer. Returns whether the ballast must be told when the bytes are written.
bool RocksdbStore::mind_ballast(std::uint64_t bytes) {
  const std::uint64_t write_buffer = application_options_.target_file_size_base;
  logged_ += bytes;
  if (logged_ <= write_buffer / 2) return false;
  logged_ = 0;
  std::uint64_t free = 0;
  if (!db_->GetEnv()->GetFreeSpace(db_->GetName(), &free).ok()) return false;
  ballast_->before_write(
      free, [this] { return bytes_of_logs(db_->GetName()); }, bytes);
  return true;
}

CommitResult RocksdbStore::commit(Batch& batch, Durability durability) {
  const OneAtATime only(committing_);
  if (fail_stop_->failed()) {
    return {CommitOutcome::kFailed, "the store stopped after an earlier failure: " + fail_stop_->reason()};
  }
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kFsync;
  rocksdb::WriteBatch& changes = static_cast<RocksdbBatch&>(batch).changes();
  const bool is_announced = mind_ballast(changes.GetDataSize());
  bool logs_changed = false;
  const rocksdb::Status status = [&] {
    const sync::Lock lock(writing_log_);
    rocksdb::Status written = db_->Write(options, &changes);
    if (written.ok()) logs_changed = log_watch_->note_commit(first_write(changes));
    return written;
  }();
  if (is_announced) ballast_->written();
  if (status.ok()) {
    if (logs_changed) durable_.logs = log_watch_->logs();
    if (options.sync) {
      note_durable(last_write(changes));
    } else if (logs_changed) {
      mark_.write(durable_);
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
  const auto started = deferred_compactions_.start_if_room(*db_, families_);
  if (!started) return;
  manifest_watch_->note();
  if (!started->ok() && !started->IsColumnFamilyDropped())
    fail_stop_->fail(storage_error(*started, "letting compactions start").message);
}

void RocksdbStore::note_durable(std::uint64_t sequence) {
  if (manifest_watch_->take()) note_manifest();
  durable_.sequence = std::max(durable_.sequence, sequence);
  mark_.write(durable_);
}

// RocksDB counts the bytes of the manifest that it has synced. The file may be longer for a moment.
void RocksdbStore::note_manifest() {
  constexpr std::string_view kManifest = "/MANIFEST-";
  std::vector<std::string> files;
  std::uint64_t bytes = 0;
  if (!db_->GetLiveFiles(files, &bytes, false).ok()) return;
  for (const std::string& file : files) {
    if (!file.starts_with(kManifest)) continue;
    durable_.manifest = file_number(file.substr(1));
    durable_.manifest_bytes = bytes;
  }
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

Result<std::uint64_t> RocksdbStore::free_space() const {
  std::uint64_t bytes = 0;
  const auto ask = [&] { return db_->GetEnv()->GetFreeSpace(db_->GetName(), &bytes); };
  rocksdb::Status status = ask();
  std::optional<std::uint64_t> logs;  // listed once, by the first caller
  const auto size_of_logs = [&] {
    if (!logs) logs = bytes_of_logs(db_->GetName());
    return *logs;
  };
  if (status.ok() && ballast_->look(bytes, size_of_logs)) status = ask();
  if (!status.ok()) return tl::unexpected(storage_error(status, "asking for free space"));
  // What a compaction has read may stay until another one has ended, which was asked for and chose its tables
  // earlier. The engine's reserve has room for as much as the first level may have.
  const std::uint64_t reserved = application_options_.max_bytes_for_level_base;
  const std::uint64_t one = compaction_room(*db_, families_, application_options_.max_compaction_bytes);
  deferred_compactions_.note_space(bytes, one);
  const std::uint64_t room = 2 * one;
  return bytes - std::min(bytes, room - std::min(room, reserved) +
                                     (ballast_->is_wanted() ? ballast_->lacking(size_of_logs()) : 0));
}

StoreStatistics RocksdbStore::statistics() const { return read_statistics(*db_, families_); }

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
  if (synced.ok() && !fail_stop_->failed()) note_durable(db_->GetLatestSequenceNumber());
  const rocksdb::Status closed = db_->Close();
  db_.reset();
  if (fail_stop_->failed()) {
    return fail(ErrorCode::kStorageFailed, "closing after a failure: " + fail_stop_->reason());
  }
  if (!synced.ok()) return tl::unexpected(storage_error(synced, "syncing the log"));
  if (!closed.ok()) return tl::unexpected(storage_error(closed, "closing"));
  return {};
}

// The families to open: the built-in ones, and those of the application that are there.
struct FamiliesToOpen {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  rocksdb::Status listed;    // whether all of them were found
  bool has_catalog = false;  // create_new() makes the catalog first

  // Explains the status of an opening. RocksDB refuses to leave families out, which would look like a newer
  // format.
  rocksdb::Status explain(const rocksdb::Status& opened) const {
    return opened.IsInvalidArgument() && !listed.ok() ? listed : opened;
  }
};

FamiliesToOpen families_in(const Home& home, const FamilyPlan& plan, const rocksdb::DBOptions& options) {
  FamiliesToOpen result{.families = plan.built_in, .listed = {}};
  std::vector<std::string> names;
  result.listed = rocksdb::DB::ListColumnFamilies(options, home.path.string(), &names);
  for (const std::string& name : names) {
    if (parse_application_family(name)) result.families.emplace_back(name, plan.application);
    if (name == family_name(Family::kCatalog)) result.has_catalog = true;
  }
  return result;
}

// Returns whether RocksDB's own default family has a row. Holdfast puts none into it.
Result<bool> has_default_rows(const std::filesystem::path& dir, const Home& home, const FamilyPlan& plan,
                              const rocksdb::DBOptions& options) {
  rocksdb::DB* opened = nullptr;
  auto status =
      rocksdb::DB::OpenForReadOnly({options, plan.built_in.front().options}, home.path.string(), &opened);
  const std::unique_ptr<rocksdb::DB> db(opened);
  bool any = false;
  if (status.ok()) {
    const std::unique_ptr<rocksdb::Iterator> rows(db->NewIterator({}));
    rows->SeekToFirst();
    any = rows->Valid();
    status = rows->status();
  }
  if (!status.ok()) return tl::unexpected(open_error(status, dir));
  return any;
}

// Checks that the database is Holdfast's. A database without the catalog is left by a crash of the very first
// opening, or belongs to another program and must stay as it is. If the families are not known, opening fails
// and says why.
Result<void> check_ours(const std::filesystem::path& dir, const Home& home, const FamiliesToOpen& there,
                        const FamilyPlan& plan, const rocksdb::DBOptions& options, bool has_mark) {
  if (!there.listed.ok() || there.has_catalog) return {};
  if (!options.create_if_missing) {
    // A mark without families in the manifest means that the store has lost them: opening reports what is
    // missing.
    return has_mark ? Result<void>() : no_store_in(dir);
  }
  const auto others = has_default_rows(dir, home, plan, options);
  if (!others) return tl::unexpected(others.error());
  if (!*others) return {};
  return fail(ErrorCode::kInvalidArgument,
              "data directory '" + dir.string() + "' holds the RocksDB database of another program");
}

// An existing directory, and what is known of it before it is opened.
struct Existing {
  const std::filesystem::path& dir;
  const Home& home;
  const FamiliesToOpen& there;
  const std::optional<DurableState>& mark;
  std::uint64_t first_needed = 0;  // as first_needed_write() returns it
};

rocksdb::Status open_to_read(const Existing& existing, rocksdb::DBOptions options, Database& result) {
  const auto& [dir, home, there, mark, first_needed] = existing;
  result.continuity = std::make_unique<LogContinuity>(first_needed);
  options.wal_filter = result.continuity.get();
  rocksdb::DB* db = nullptr;
  const auto status =
      rocksdb::DB::OpenForReadOnly(options, home.path.string(), there.families, &result.handles, &db);
  result.db.reset(db);
  return there.explain(status);
}

rocksdb::Status open_to_write(const Existing& existing, rocksdb::DBOptions options, Database& result) {
  const auto& [dir, home, there, mark, first_needed] = existing;
  result.continuity = std::make_unique<LogContinuity>(first_needed);
  options.wal_filter = result.continuity.get();
  rocksdb::DB* db = nullptr;
  const auto status = rocksdb::DB::Open(options, home.path.string(), there.families, &result.handles, &db);
  result.db.reset(db);
  return there.explain(status);
}

// Creates all families together, which takes half of the fsyncs that creating them one by one takes.
rocksdb::Status create_new(const Home& home, const FamilyPlan& plan, const rocksdb::DBOptions& options,
                           Database& result) {
  const auto first_new = plan.built_in.begin() + 1;
  rocksdb::DB* db = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, home.path.string(), {plan.built_in.begin(), first_new},
                                             &result.handles, &db);
  result.db.reset(db);
  if (!status.ok()) return status;
  std::vector<rocksdb::ColumnFamilyHandle*> created;
  status = db->CreateColumnFamilies({first_new, plan.built_in.end()}, &created);
  result.handles.insert(result.handles.end(), created.begin(), created.end());
  if (status.ok()) return status;
  for (auto* handle : result.handles) db->DestroyColumnFamilyHandle(handle);
  return status;
}

// Finds the number of the last write. Recovery looks at the logs and changes nothing. The manifest tells
// which write was the last one when the manifest changed, which may be only in a log. So the manifest's
// number does not count if the logs must have the mark's write. Recovery reads each log from the first one
// that is needed on, so the logs have all writes from the first one that the mark knows to be needed or, if
// it knows none, from the first one in them.
rocksdb::Status find_last_write(const Existing& existing, const rocksdb::DBOptions& options,
                                std::uint64_t& last) {
  Database database;
  auto status = open_to_read(existing, options, database);
  if (!status.ok()) return status;
  const LogContinuity& logged = *database.continuity;
  const std::uint64_t first = existing.first_needed > 0 ? existing.first_needed : logged.first();
  const bool must_be_logged = first > 0 && first <= existing.mark->sequence;
  last = must_be_logged ? std::max(logged.last(), first - 1) : database.db->GetLatestSequenceNumber();
  database.close();
  return status;
}

// Checks the mark before anything is written: recovery would give new writes the numbers of those that are
// missing. If the log does not end with the mark's write, the write may be in a table, which only recovery
// tells.
Result<void> check_mark(const Existing& existing, const rocksdb::DBOptions& options) {
  const auto& [dir, home, there, mark, first_needed] = existing;
  if (!mark) return {};
  if (!has_manifest(current_manifest(home.path), *mark)) return manifest_is_older(dir, home.path, *mark);
  if (auto whole = manifest_is_whole(dir, home.path, *mark); !whole) return whole;
  if (auto whole = logs_begin_whole(dir, home.path); !whole) return whole;
  if (last_logged(home.path) >= mark->sequence) return {};
  std::uint64_t last = 0;
  const auto status = find_last_write(existing, options, last);
  if (!status.ok() || last >= mark->sequence) return {};  // opening reports what is wrong
  return writes_are_missing(dir, home.path, last, *mark);
}

// Returns options for a log that recovery refuses, so that everything before its first gap is recovered, if
// nothing that was synced is behind the gap. A power loss leaves gaps of zeros, and only in data that was not
// synced. The mark may be older then, and say less than was synced; what was synced is there all the same. If
// no power was lost, the mark says everything that was synced.
std::optional<rocksdb::DBOptions> options_after_power_loss(const Existing& existing,
                                                           rocksdb::DBOptions options) {
  if (!existing.mark || !logs_lost_power(existing.home.path)) return std::nullopt;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  std::uint64_t last = 0;
  const auto status = find_last_write(existing, options, last);
  if (!status.ok() || last < existing.mark->sequence) return std::nullopt;
  return options;
}

Result<Database> open_existing(const Existing& existing, const rocksdb::DBOptions& options, bool read_only) {
  if (auto held = check_mark(existing, options); !held) return tl::unexpected(held.error());
  Database database;
  const auto open = read_only ? open_to_read : open_to_write;
  auto status = open(existing, options, database);
  if (status.IsCorruption()) {
    if (const auto after = options_after_power_loss(existing, options))
      status = open(existing, *after, database);
  }
  if (status.ok()) return database;
  if (const std::uint64_t missing = database.continuity->missing(); status.IsCorruption() && missing > 0)
    return writes_are_missing_before_others(existing.dir, existing.home.path, missing);
  return tl::unexpected(open_error(status, existing.dir));
}

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

// Returns the file system to open the directory on. What is opened only to be read is not changed, so the
// manifest keeps an end that RocksDB must not see.
std::shared_ptr<rocksdb::FileSystem> files_of(const Home& home, const RocksdbStoreOptions& options,
                                              const std::shared_ptr<rocksdb::FileSystem>& target) {
  const auto files = std::make_shared<PrivateFileSystem>(target);
  const auto mark = options.read_only ? read_mark(home.path) : std::nullopt;
  if (!mark) return files;
  return std::make_shared<ManifestView>(files, current_manifest(home.path),
                                        counting_manifest_bytes(home.path, *mark));
}

// Lets the ballast go if space is short or none is wanted any more, and returns whether space is short. A
// process that has the directory open takes care of its ballast itself; opening then reports that it is open.
bool make_room_if_short(const Home& home, rocksdb::Env& env, Ballast& ballast) {
  DirectoryLock lock;
  std::uint64_t free = 0;
  if (home.is_new || !lock.take(home.path, home.path)) return false;
  if (!ballast.is_wanted()) {
    ballast.let_go();
    return false;
  }
  return env.GetFreeSpace(home.path.string(), &free).ok() &&
         ballast.let_go_if_short(free, bytes_of_logs(home.path));
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
  const auto files = files_of(*home, options, database_opts.env->GetFileSystem());
  auto log_watch = std::make_shared<LogWatch>();
  auto env = rocksdb::NewCompositeEnv(std::make_shared<CutFileSystem>(
      std::make_shared<LogWatchingFileSystem>(files, log_watch, home->path), fail_stop));
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
