// Backups of a RocksDB store: a directory of them shares what did not change between them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/operations.h"

namespace rocksdb {
class DB;
}

namespace holdfast {

// See Store::backup. One at a time in a directory.
Result<BackupInfo> take_backup(rocksdb::DB& db, const std::filesystem::path& directory,
                               const BackupOptions& options, std::uint64_t keep_free);

// Oldest first. kInvalidArgument: there are none, because it is no directory of backups.
Result<std::vector<BackupInfo>> read_backups(const std::filesystem::path& directory);

// Copies the files of a backup (default: the newest) to `target`, which is empty, checking their checksums.
// kInvalidArgument: no such backup; kCorruption.
Result<BackupInfo> copy_backup(const std::filesystem::path& directory, std::optional<std::uint32_t> number,
                               const std::filesystem::path& target);

}  // namespace holdfast
