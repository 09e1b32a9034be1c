#include "engine/storage/rocksdb/rocksdb_backup.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/stackable_db.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "engine/base/helpers/units.h"
#include "engine/storage/files/directories.h"
#include "engine/storage/rocksdb/environment/rocksdb_private_files.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"
#include "engine/storage/rocksdb/environment/rocksdb_threads.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

// This text says in the backup that it is Holdfast's.
constexpr const char* kMetadata = "holdfast";

std::string name_of(const fs::path& directory) { return "backup directory '" + directory.string() + "'"; }

rocksdb::BackupEngineOptions engine_options(const fs::path& directory) {
  rocksdb::BackupEngineOptions options(directory.string());
  // With this option, tables of different stores that meet in one directory have different names.
  options.share_files_with_checksum = true;
  return options;
}

BackupInfo to_info(const rocksdb::BackupInfo& from) {
  return {.number = from.backup_id,
          .taken_at = Timestamp(std::chrono::seconds(from.timestamp)),
          .bytes = from.size,
          .files = from.number_files};
}

tl::unexpected<Error> backup_failure(const rocksdb::Status& status, const fs::path& directory) {
  if (status.IsNoSpace())
    return fail(ErrorCode::kDiskFull, "no space is left on the device of " + name_of(directory));
  if (status.IsTryAgain())
    return fail(ErrorCode::kOverloaded, "cannot use " + name_of(directory) + ": " + status.ToString());
  return tl::unexpected(storage_error(status, "using " + name_of(directory)));
}

// Opens the directory only for reading, so that nothing is changed.
Result<std::unique_ptr<rocksdb::BackupEngineReadOnly>> open_to_read(const fs::path& directory) {
  std::error_code failure;
  if (!fs::is_directory(directory / "meta", failure)) {
    return fail(ErrorCode::kInvalidArgument, "there are no backups in '" + directory.string() + "'");
  }
  rocksdb::BackupEngineReadOnly* engine = nullptr;
  const auto status = or_no_thread([&] {
    return rocksdb::BackupEngineReadOnly::Open(engine_options(directory), &private_env(), &engine);
  });
  if (!status.ok()) return backup_failure(status, directory);
  return std::unique_ptr<rocksdb::BackupEngineReadOnly>(engine);
}

Result<std::vector<BackupInfo>> list(const rocksdb::BackupEngineReadOnly& engine, const fs::path& directory) {
  std::vector<rocksdb::BackupInfo> found;
  engine.GetBackupInfo(&found);
  std::vector<BackupInfo> result;
  for (const auto& info : found) {
    if (info.app_metadata != kMetadata) {
      return fail(ErrorCode::kInvalidArgument, name_of(directory) + " holds backups that are not Holdfast's");
    }
    result.push_back(to_info(info));
  }
  std::ranges::sort(result, {}, &BackupInfo::number);
  return result;
}

// Checks the newest backup. Who asks for no number must not get an older backup: what was sent since would be
// lost, and nobody told.
Result<void> check_newest(const rocksdb::BackupEngineReadOnly& engine, std::uint32_t newest_readable,
                          const fs::path& directory) {
  std::vector<rocksdb::BackupID> damaged;
  engine.GetCorruptedBackups(&damaged);
  const auto newest = std::ranges::max_element(damaged);
  if (newest == damaged.end() || *newest < newest_readable) return {};
  return fail(ErrorCode::kCorruption, name_of(directory) + ": its newest backup, number " +
                                          std::to_string(*newest) + ", cannot be read; ask for number " +
                                          std::to_string(newest_readable) + " to restore an older one");
}

// Returns whether the directory holds only the beginnings of a backup. BackupEngine makes "meta" as the last
// of its directories: a crash before that leaves the others, and no file.
bool is_barely_begun(const fs::path& directory) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory, failure)) {
    const std::string name = entry.path().filename().string();
    if (name != "private" && name != "shared" && name != "shared_checksum") return false;
    if (!fs::is_empty(entry.path(), failure) || failure) return false;
  }
  return !failure;
}

// Checks that the directory is empty or holds backups. BackupEngine makes a directory of backups out of any
// directory, and deletes files in it, so a directory that holds something else is refused.
Result<void> check_directory(const fs::path& directory) {
  std::error_code failure;
  if (directory.empty()) return fail(ErrorCode::kInvalidArgument, "the backup directory's name is empty");
  if (!fs::exists(directory, failure) || is_barely_begun(directory)) return {};
  if (fs::exists(directory / "meta", failure)) {
    auto engine = open_to_read(directory);
    if (!engine) return tl::unexpected(engine.error());
    const auto backups = list(**engine, directory);
    return backups ? Result<void>() : tl::unexpected(backups.error());
  }
  return fail(ErrorCode::kInvalidArgument, name_of(directory) + " holds something else than backups");
}

// Returns how much would be copied: the log, and the tables that no earlier backup has.
std::uint64_t bytes_to_copy(rocksdb::DB& db, const fs::path& directory) {
  // RocksDB names a table of a backup NUMBER_SESSION_SIZE.sst.
  std::set<std::pair<std::uint64_t, std::uint64_t>> kept;
  std::error_code failure;
  for (const fs::path& file : files_of(directory / "shared_checksum", failure)) {
    const std::string name = file.stem().string();
    const auto size_at = name.rfind('_');
    if (size_at == std::string::npos) continue;
    kept.emplace(std::strtoull(name.c_str(), nullptr, 10),
                 std::strtoull(name.c_str() + size_at + 1, nullptr, 10));
  }
  std::uint64_t bytes = 0;
  std::vector<rocksdb::LiveFileMetaData> tables;
  db.GetLiveFilesMetaData(&tables);
  for (const auto& table : tables) {
    if (!kept.contains({table.file_number, table.size})) bytes += table.size;
  }
  rocksdb::VectorLogPtr logs;
  if (db.GetSortedWalFiles(logs).ok()) {
    for (const auto& log : logs) bytes += log->SizeFileBytes();
  }
  return bytes;
}

// Checks the space. A device that runs full would stop the engine, if the engine is on it.
Result<void> check_space(rocksdb::DB& db, const fs::path& directory, std::uint64_t keep_free) {
  std::error_code failure;
  const fs::space_info space = fs::space(directory, failure);
  const std::uint64_t bytes = bytes_to_copy(db, directory);
  if (failure || keep_free == 0 || space.available >= bytes + keep_free) return {};
  return fail(ErrorCode::kDiskFull,
              "the backup would take about " + format_bytes(bytes) + ", the device of " + name_of(directory) +
                  " has " + format_bytes(space.available) + " free, and free_space_reserve keeps " +
                  format_bytes(keep_free) + " of it");
}

// Keeps families from being created during a backup. RocksDB takes the length of the manifest before that of
// the log. A family that was created in between would be missing in the backup, while its row in the catalog
// would be there.
class WithoutNewFamilies final : public rocksdb::StackableDB {
 public:
  // `db` stays the property of its owner.
  WithoutNewFamilies(rocksdb::DB& db, sync::Mutex& creating_family)
      : StackableDB(std::shared_ptr<rocksdb::DB>(&db, [](rocksdb::DB*) {})),
        creating_family_(creating_family) {}

  rocksdb::Status GetLiveFilesStorageInfo(const rocksdb::LiveFilesStorageInfoOptions& options,
                                          std::vector<rocksdb::LiveFileStorageInfo>* files) override {
    const sync::Lock lock(creating_family_);
    return StackableDB::GetLiveFilesStorageInfo(options, files);
  }

 private:
  sync::Mutex& creating_family_;
};

// BackupStopper limits no rate. RocksDB asks it before each piece that it copies or reads back, so it can
// tell RocksDB there to stop. RocksDB's progress_callback is not called while it reads back.
class BackupStopper final : public rocksdb::RateLimiter {
 public:
  explicit BackupStopper(const std::atomic<bool>& stop) : RateLimiter(Mode::kAllIo), stop_(stop) {}

  // Sets the engine that it stops. Before that, while the engine opens, it stops nothing.
  void attach(rocksdb::BackupEngine& engine) { engine_ = &engine; }

  using RateLimiter::Request;
  void Request(std::int64_t /*bytes*/, rocksdb::Env::IOPriority /*priority*/,
               rocksdb::Statistics* /*statistics*/, OpType /*type*/) override {
    if (stop_ && engine_ != nullptr) engine_->StopBackup();
  }
  // Returns the size of a piece.
  std::int64_t GetSingleBurstBytes() const override { return std::int64_t{1} << 20; }

  void SetBytesPerSecond(std::int64_t /*bytes_per_second*/) override {}
  std::int64_t GetBytesPerSecond() const override { return 0; }
  std::int64_t GetTotalBytesThrough(rocksdb::Env::IOPriority /*priority*/) const override { return 0; }
  std::int64_t GetTotalRequests(rocksdb::Env::IOPriority /*priority*/) const override { return 0; }

 private:
  const std::atomic<bool>& stop_;
  rocksdb::BackupEngine* engine_ = nullptr;
};

// Cleans up after a backup that was stopped. RocksDB itself removes what it has copied of an incomplete
// backup, at the latest with the next backup. `number` is a complete backup that was being read back, or 0.
tl::unexpected<Error> broken_off(rocksdb::BackupEngine& engine, rocksdb::BackupID number) {
  if (number != 0) engine.DeleteBackup(number).PermitUncheckedError();
  return fail(ErrorCode::kClosed, "the engine is closing; the backup was broken off, and is not listed");
}

bool is_within(const fs::path& directory, const fs::path& other) {
  std::error_code failure;
  const fs::path inner = resolve(directory, failure);
  const fs::path outer = resolve(other, failure);
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

}  // namespace

Result<BackupInfo> take_backup(rocksdb::DB& db, sync::Mutex& creating_family, const fs::path& directory,
                               const BackupOptions& options, std::uint64_t keep_free,
                               const std::atomic<bool>& cancel) {
  if (auto ok = check_directory(directory); !ok) return tl::unexpected(ok.error());
  if (is_within(directory, db.GetName()))
    return fail(ErrorCode::kInvalidArgument, name_of(directory) + " is in the data directory");
  std::error_code failure;
  if (failure = create_durably(directory); failure) {
    return fail(ErrorCode::kInvalidArgument,
                "cannot create " + name_of(directory) + ": " + failure.message());
  }
  if (auto ok = check_space(db, directory, keep_free); !ok) return tl::unexpected(ok.error());
  const auto stopper = std::make_shared<BackupStopper>(cancel);
  rocksdb::BackupEngineOptions stoppable = engine_options(directory);
  stoppable.backup_rate_limiter = stopper;
  rocksdb::BackupEngine* opened = nullptr;
  rocksdb::Status status =
      or_no_thread([&] { return rocksdb::BackupEngine::Open(stoppable, db.GetEnv(), &opened); });
  if (!status.ok()) return backup_failure(status, directory);
  const std::unique_ptr<rocksdb::BackupEngine> engine(opened);
  stopper->attach(*engine);

  // The log is copied as it is, so that no flush is needed and every table can be shared.
  rocksdb::CreateBackupOptions create;
  create.flush_before_backup = false;
  rocksdb::BackupID number = 0;
  WithoutNewFamilies backed_up(db, creating_family);
  status = engine->CreateNewBackupWithMetadata(create, &backed_up, kMetadata, &number);
  if (status.ok()) status = engine->VerifyBackup(number, options.verify);
  if (status.IsIncomplete() && cancel) return broken_off(*engine, number);
  if (status.ok() && options.keep > 0) status = engine->PurgeOldBackups(options.keep);
  rocksdb::BackupInfo info;
  if (status.ok()) status = engine->GetBackupInfo(number, &info);
  if (!status.ok()) return backup_failure(status, directory);
  return to_info(info);
}

Result<std::vector<BackupInfo>> read_backups(const fs::path& directory) {
  auto engine = open_to_read(directory);
  if (!engine) return tl::unexpected(engine.error());
  return list(**engine, directory);
}

Result<BackupInfo> copy_backup(const fs::path& directory, std::optional<std::uint32_t> number,
                               const fs::path& target) {
  auto engine = open_to_read(directory);
  if (!engine) return tl::unexpected(engine.error());
  const auto backups = list(**engine, directory);
  if (!backups) return tl::unexpected(backups.error());
  const auto chosen = number ? std::ranges::find(*backups, *number, &BackupInfo::number)
                             : backups->end() - (backups->empty() ? 0 : 1);
  if (chosen == backups->end()) {
    return fail(ErrorCode::kInvalidArgument,
                name_of(directory) + " holds no " +
                    (number ? "readable backup number " + std::to_string(*number) : "readable backup"));
  }
  if (!number) {
    if (auto ok = check_newest(**engine, chosen->number, directory); !ok) return tl::unexpected(ok.error());
  }
  const auto status = (*engine)->RestoreDBFromBackup(rocksdb::RestoreOptions(), chosen->number,
                                                     target.string(), target.string());
  if (status.ok()) return *chosen;
  // RocksDB does not say which file is damaged, but a check does.
  const auto found = (*engine)->VerifyBackup(chosen->number, true);
  return backup_failure(found.ok() ? status : found, directory);
}

}  // namespace holdfast
