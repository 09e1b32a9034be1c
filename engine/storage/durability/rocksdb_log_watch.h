// Knows which write each write-ahead log begins with.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/storage/durability/durable_mark.h"
#include "engine/sync/mutex.h"

namespace holdfast {

// RocksDB begins a new log whenever it flushes, in threads of its own, and does not tell. The file system
// sees when the first bytes go to a log, and the commit that wrote them knows its number. Thread-safe.
class LogWatch {
 public:
  // The file system calls these when bytes go to a log for the first time, and before a log is deleted.
  void on_first_bytes(std::uint64_t log);
  void on_deletion(std::uint64_t log);

  // Returns whether the logs have changed since the last call. It is called after each commit, before the
  // next one is written. `first` is the number of the commit's first write. Nothing else may write to a log
  // between the commit and this call, so the bytes that began a log are this commit's, or are older: RocksDB
  // writes an empty record to the first log after an opening, and a new family writes a row between two
  // commits.
  bool note_commit(std::uint64_t first);

  // Returns the logs that a commit was written to and that were not deleted, in the order of their numbers.
  std::vector<LogBegin> logs() const;

 private:
  mutable sync::Mutex mutex_;
  // `begun_` is the log that has bytes but no known commit yet; it is 0 if there is none.
  std::uint64_t begun_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, std::uint64_t> first_ HOLDFAST_GUARDED_BY(mutex_);  // the first write of each log
  std::atomic<bool> changed_ = false;
};

// Tells `watch` what happens to the logs of one directory. A backup has files of the same names elsewhere,
// which come and go on the same file system. Thread-safe.
class LogWatchingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `directory` is the database's, as RocksDB is given it.
  LogWatchingFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<LogWatch> watch,
                        const std::filesystem::path& directory);

  const char* Name() const override { return "holdfast.LogWatchingFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;

 private:
  // Returns 0 for a file that is not a log of the directory.
  std::uint64_t log_number(const std::filesystem::path& file) const;

  const std::shared_ptr<LogWatch> watch_;
  const std::filesystem::path directory_;
};

}  // namespace holdfast
