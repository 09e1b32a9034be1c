// Backups of a RocksDB store: a directory of them shares what did not change between them.
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

// See Store::backup. One at a time in a directory. `creating_family`: held while a family is created; taken
// for as long as RocksDB lists what belongs to the backup, not while that is copied.
Result<BackupInfo> take_backup(rocksdb::DB& db, sync::Mutex& creating_family,
                               const std::filesystem::path& directory, const BackupOptions& options,
                               std::uint64_t keep_free, const std::atomic<bool>& cancel);

// Oldest first. kInvalidArgument: there are none, because it is no directory of backups.
Result<std::vector<BackupInfo>> read_backups(const std::filesystem::path& directory);

// Copies the files of a backup (default: the newest) to `target`, which is empty, checking their checksums.
// kInvalidArgument: no such backup; kCorruption, also if the newest is meant and only older ones are
// readable.
Result<BackupInfo> copy_backup(const std::filesystem::path& directory, std::optional<std::uint32_t> number,
                               const std::filesystem::path& target);

}  // namespace holdfast
