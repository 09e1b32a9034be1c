// Running an engine or a server: its health, the numbers of its store, backups, verification, draining.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/queue.h"
#include "holdfast/time.h"

namespace holdfast {

// Health says whether an engine does its work.
struct Health {
  // `writes` has the error of a write or fsync that failed. After one, every call is refused until the engine
  // is opened again.
  Result<void> writes;
  // True: sends are accepted, since free_bytes is not below reserve_bytes.
  bool has_space = true;
  // This many bytes are free on the device of the data directory, without what the next compactions need
  // beyond the reserve. Empty if the file system does not say.
  std::optional<std::uint64_t> free_bytes;
  std::uint64_t reserve_bytes = 0;  // EngineOptions::free_space_reserve
};

// StoreStatistics has what RocksDB reports about itself, summed over the column families.
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
  // This many of the newest backups are kept in the directory, this one included; older ones are deleted. 0:
  // all.
  std::uint32_t keep = 0;
  // True: the files of the backup are read back, also those that it shares with older backups, and their
  // checksums are compared. False: only their sizes are compared. A restore always compares checksums.
  bool verify = false;
};

struct RestoreOptions {
  std::optional<std::uint32_t> number = {};  // which backup; default: the newest, even if it is unreadable
};

// A BackupInfo describes one backup in a directory of backups.
struct BackupInfo {
  std::uint32_t number = 0;  // names the backup in a restore; numbers ascend
  Timestamp taken_at{};      // in whole seconds
  std::uint64_t bytes = 0;   // the size of its files, including those that it shares with other backups
  std::uint32_t files = 0;

  friend bool operator==(const BackupInfo&, const BackupInfo&) = default;
};

// --- what verify found wrong, and what salvage could not bring over ---

// A finding is one thing that is wrong with what is stored.
struct Finding {
  std::string kind;   // a stable word for programs; docs/operations.md lists all of them
  std::string where;  // "messages: queue 'orders' (id 1), seq 5"
  std::string what;   // what is wrong, for a person

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct VerifyReport {
  static constexpr std::size_t kFindingsListed = 1000;

  // `findings` has the first kFindingsListed findings. Those about unreadable data come first, since they may
  // be the cause of all others.
  std::vector<Finding> findings;
  std::uint64_t found = 0;     // the number of all findings, also of those that are not listed
  std::uint64_t queues = 0;    // queues that verify looked at
  std::uint64_t chunks = 0;    // chunks that verify looked at
  std::uint64_t messages = 0;  // messages that verify looked at

  bool sound() const { return found == 0; }
  friend bool operator==(const VerifyReport&, const VerifyReport&) = default;
};

struct SalvageReport {
  // `losses` lists what was lost or had to be made up: a file, a range of rows, a number of messages. The
  // list has at most VerifyReport::kFindingsListed entries, and unreadable data comes first.
  std::vector<Finding> losses;
  std::uint64_t found = 0;          // the number of all losses, also of those that are not listed
  std::uint64_t queues = 0;         // queues that were brought over
  std::uint64_t messages = 0;       // messages that were brought over
  std::uint64_t dead_letters = 0;   // how many of these messages are dead letters
  std::uint64_t messages_lost = 0;  // messages that checkpoints and delivery states counted and that are gone

  friend bool operator==(const SalvageReport&, const SalvageReport&) = default;
};

// --- draining: taking a server out of service while its clients finish the work that they have ---

struct DrainOptions {
  // For this long, clients may still settle the deliveries that they hold: 0..limits::kDelayMax.
  Duration timeout = std::chrono::seconds(30);
  // True: the server ends when the drain is over. False: it stays drained until Client::resume.
  bool exit = true;

  friend bool operator==(const DrainOptions&, const DrainOptions&) = default;
};

struct DrainStatus {
  // False: the server works normally, and of the other fields only in_flight has a meaning.
  bool draining = false;
  bool exits = false;  // whether the server ends when the drain is over (DrainOptions::exit)
  bool over = false;   // no delivery is in flight any more, or the time is up
  // `in_flight` counts deliveries that clients got over connections that they still have, that nobody has
  // settled and whose leases have not run out.
  std::uint64_t in_flight = 0;
  Duration left{};  // what is left of DrainOptions::timeout
  // The server has ended, and this is its last answer: its data directory, its addresses and its pid file are
  // free.
  bool ended = false;

  friend bool operator==(const DrainStatus&, const DrainStatus&) = default;
};

}  // namespace holdfast
