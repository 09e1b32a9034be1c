// Running an engine: its health, the numbers of its store, and backups.
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
  // The error of a write or fsync that failed. After one, every call is refused until the engine is opened
  // again.
  Result<void> writes;
  // Whether sends are accepted, since free_bytes is not below reserve_bytes.
  bool has_space = true;
  // The space that is free on the device of the data directory, without what the next compactions need beyond
  // the reserve. Empty if the file system does not say.
  std::optional<std::uint64_t> free_bytes;
  std::uint64_t reserve_bytes = 0;  // EngineOptions::free_space_reserve
};

// What RocksDB reports about itself, summed over the column families.
struct StoreStatistics {
  std::uint64_t table_bytes = 0;      // the table files, including old ones that are still in use
  std::uint64_t live_data_bytes = 0;  // an estimate of what a full compaction would leave
  std::uint64_t log_bytes = 0;        // the write-ahead log
  std::uint64_t memtable_bytes = 0;
  std::uint64_t block_cache_bytes = 0;
  std::uint64_t block_cache_capacity = 0;
  std::uint64_t pending_compaction_bytes = 0;  // an estimate
  std::uint64_t running_flushes = 0;
  std::uint64_t running_compactions = 0;
  bool writes_delayed = false;  // RocksDB slows writes down, since compaction falls behind
  bool writes_stopped = false;  // RocksDB lets writes wait for compaction

  friend bool operator==(const StoreStatistics&, const StoreStatistics&) = default;
};

struct BackupOptions {
  // How many of the newest backups to keep in the directory, this one included; older ones are deleted. 0:
  // all.
  std::uint32_t keep = 0;
  // True: read the files of the backup back, also those that it shares with older backups, and compare their
  // checksums. False: compare only their sizes. A restore always compares checksums.
  bool verify = false;
};

struct RestoreOptions {
  std::optional<std::uint32_t> number = {};  // which backup; default: the newest, even if it is unreadable
};

// One backup in a directory of backups.
struct BackupInfo {
  std::uint32_t number = 0;  // names the backup in a restore; numbers ascend
  Timestamp taken_at{};      // in whole seconds
  std::uint64_t bytes = 0;   // the size of its files, including those that it shares with other backups
  std::uint32_t files = 0;

  friend bool operator==(const BackupInfo&, const BackupInfo&) = default;
};

}  // namespace holdfast
