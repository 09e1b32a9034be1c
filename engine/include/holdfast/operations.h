// Running an engine: its health, numbers, backups, and the checks of what it has stored.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/queue.h"
#include "holdfast/time.h"

namespace holdfast {

// Whether an engine does its work.
struct Health {
  // The failed write or fsync after which every call is refused until the engine is reopened.
  Result<void> writes;
  // Whether sends are accepted: free_bytes is not below the reserve.
  bool has_space = true;
  // On the device of the data directory, without what the next compactions need beyond the reserve. Empty if
  // the file system does not say.
  std::optional<std::uint64_t> free_bytes;
  std::uint64_t reserve_bytes = 0;  // EngineOptions::free_space_reserve
};

// What RocksDB says of itself, summed over the column families.
struct StoreStatistics {
  std::uint64_t table_bytes = 0;      // of the table files, old versions that are still in use included
  std::uint64_t live_data_bytes = 0;  // an estimate of what a full compaction would leave
  std::uint64_t log_bytes = 0;        // of the write-ahead log
  std::uint64_t memtable_bytes = 0;
  std::uint64_t block_cache_bytes = 0;
  std::uint64_t block_cache_capacity = 0;
  std::uint64_t pending_compaction_bytes = 0;  // an estimate
  std::uint64_t running_flushes = 0;
  std::uint64_t running_compactions = 0;
  bool writes_delayed = false;  // slowed down, because compaction falls behind
  bool writes_stopped = false;  // waiting for it

  friend bool operator==(const StoreStatistics&, const StoreStatistics&) = default;
};

struct BackupOptions {
  // Keeps only this many newest backups in the directory, this one included. 0: all.
  std::uint32_t keep = 0;
  // Reads the backup's files back, those that it shares with older ones too, and compares their checksums.
  // Without it only their sizes are compared. Restore always compares checksums.
  bool verify = false;
};

struct RestoreOptions {
  std::optional<std::uint32_t> number = {};  // which backup; default: the newest, readable or not
};

// One backup in a directory of backups.
struct BackupInfo {
  std::uint32_t number = 0;  // ascending; names it to restore
  Timestamp taken_at{};      // to the second
  std::uint64_t bytes = 0;   // of all its files, those that it shares with other backups included
  std::uint32_t files = 0;

  friend bool operator==(const BackupInfo&, const BackupInfo&) = default;
};

}  // namespace holdfast
