// Backups of a RocksDB store. A directory of backups shares the files that did not change between them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/error.h"
#include "holdfast/operations.h"

namespace rocksdb {
class DB;
}

namespace holdfast {

// Takes a backup as Store::backup says. Only one may run at a time in a directory. `creating_family` is the
// lock that is held while a family is created; the backup holds it while RocksDB lists the files of the
// backup, and not while the files are copied.
Result<BackupInfo> take_backup(rocksdb::DB& db, sync::Mutex& creating_family,
                               const std::filesystem::path& directory, const BackupOptions& options,
                               std::uint64_t keep_free, const std::atomic<bool>& cancel);

// Returns the backups of a directory, oldest first. kInvalidArgument if the directory holds no backups.
Result<std::vector<BackupInfo>> read_backups(const std::filesystem::path& directory);

// Copies the files of a backup, by default the newest, to `target`, which must be empty, and checks their
// checksums. kInvalidArgument if there is no such backup. kCorruption if the backup is damaged, also if the
// newest is asked for and only older ones can be read.
Result<BackupInfo> copy_backup(const std::filesystem::path& directory, std::optional<std::uint32_t> number,
                               const std::filesystem::path& target);

}  // namespace holdfast
