#include "engine/storage/rocksdb/environment/rocksdb_status.h"

#include <fcntl.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <unistd.h>

#include <string>

#include "engine/storage/files/directories.h"

namespace holdfast {
namespace {

// Returns whether the lock is held. RocksDB reports that as an ordinary I/O error; only its text tells it
// from a full disk.
bool is_lock_held(const rocksdb::Status& status) {
  return status.IsIOError() &&
         (is_held_by_this_process(status) || status.ToString().find("While lock file") != std::string::npos);
}

std::string named(const std::filesystem::path& dir) { return "data directory '" + dir.string() + "'"; }

bool has_unknown_families(const rocksdb::Status& status) {
  return status.IsInvalidArgument() &&
         status.ToString().find("olumn families not opened") != std::string::npos;
}

// Returns whether the status means that the files are not what RocksDB wrote. Damage shows in many ways: a
// file that is named but gone, a version or a compression that RocksDB never wrote.
bool is_damage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsNotSupported() || status.IsInvalidArgument() ||
         status.IsNotFound() || status.IsPathNotFound() ||
         (status.IsIOError() && status.ToString().find("No such file") != std::string::npos);
}

std::string describe(const rocksdb::Status& status) {
  return (status.IsNoSpace() ? "no space is left on the device: " : "") + status.ToString();
}

bool opens(const std::filesystem::path& table) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  return reader.Open(table.string()).ok();
}

template <class Predicate>
std::string names_of(const std::filesystem::path& dir, std::string_view extension,
                     const Predicate& is_meant) {
  std::string names;
  std::error_code error;
  for (const auto& file : files_of(dir, error)) {
    if (file.extension() == extension && is_meant(file))
      names += (names.empty() ? "" : ", ") + file.filename().string();
  }
  return names;
}

// Names the damaged files that RocksDB does not name: CURRENT, if it names a manifest that is not there;
// tables whose properties are damaged, for which RocksDB blames the manifest; and the write-ahead logs.
std::string unnamed_files(const rocksdb::Status& status, const std::filesystem::path& dir) {
  const std::string said = status.ToString();
  const bool of_manifest = said.find("MANIFEST") != std::string::npos;
  if (of_manifest && said.find("No such file") != std::string::npos) return " (the file CURRENT names it)";
  if (!status.IsCorruption() || said.find(".sst") != std::string::npos) return {};
  if (of_manifest) {
    const std::string tables = names_of(dir, ".sst", [](const auto& table) { return !opens(table); });
    return tables.empty() ? "" : " (these tables do not open: " + tables + ")";
  }
  const std::string logs = names_of(dir, ".log", [](const auto&) { return true; });
  return logs.empty() ? "" : " (in the write-ahead log: " + logs + ")";
}

}  // namespace

bool is_held_by_this_process(const rocksdb::Status& status) {
  return status.ToString().find("lock hold by current process") != std::string::npos;
}

// RocksDB's lock is a lock of fcntl.
std::optional<std::string> lock_holder(const std::filesystem::path& dir) {
  const int file = ::open((dir / "LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  const bool held = ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(file);
  if (!held) return std::nullopt;
  return lock.l_pid > 0 ? "process " + std::to_string(lock.l_pid) : "another process";
}

Error already_open(const std::filesystem::path& dir, const std::string& holder) {
  return {ErrorCode::kLocked, named(dir) + " is already open in " + holder};
}

Error open_error(const rocksdb::Status& status, const std::filesystem::path& dir) {
  if (is_lock_held(status))
    return already_open(
        dir, is_held_by_this_process(status) ? "this process" : lock_holder(dir).value_or("another process"));
  const std::string where = named(dir);
  if (has_unknown_families(status)) {
    return {ErrorCode::kFormatTooNew, where + " was written by a newer Holdfast: " + status.ToString()};
  }
  const auto code = is_damage(status) ? ErrorCode::kCorruption : ErrorCode::kStorageFailed;
  return {code, "cannot open " + where + ": " + describe(status) + unnamed_files(status, dir)};
}

Error storage_error(const rocksdb::Status& status, std::string_view doing) {
  const auto code = is_damage(status) ? ErrorCode::kCorruption : ErrorCode::kStorageFailed;
  return {code, std::string(doing) + " failed: " + describe(status)};
}

// A batch is known not to be there only if it was turned away before the log was touched. After an I/O error
// the whole record may have reached the file: the error can come from the fsync, or after the last byte.
CommitResult failed_commit(const rocksdb::Status& status) {
  const bool turned_away =
      status.IsInvalidArgument() || status.IsNotSupported() || status.IsShutdownInProgress();
  return {turned_away ? CommitOutcome::kFailed : CommitOutcome::kUnknown,
          "writing to the log failed: " + describe(status)};
}

}  // namespace holdfast
