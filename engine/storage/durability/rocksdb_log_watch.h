// Which write each write-ahead log begins with.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/storage/durability/durable_mark.h"
#include "engine/sync/mutex.h"

namespace holdfast {

// RocksDB begins a new log whenever it flushes, in threads of its own, and says nothing of it. Its file
// system sees which log a commit is the first to be written to, and the commit knows its number. Thread-safe.
class LogWatch {
 public:
  // Of the file system: for the first time, bytes went to the log, or it is to be deleted.
  void on_first_bytes(std::uint64_t log);
  void on_deletion(std::uint64_t log);

  // After each commit, before the next one is written: RocksDB writes to a log within a commit alone, but for
  // an empty record in the first log of an opening. `first`: the number of the commit's first write. Whether
  // the logs have changed since the last call.
  bool note_commit(std::uint64_t first);

  // Those that a commit was written to, by their numbers, but for those that were deleted.
  std::vector<LogBegin> logs() const;

 private:
  mutable sync::Mutex mutex_;
  // The log that has bytes, and of which no commit is known; 0: none.
  std::uint64_t begun_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, std::uint64_t> first_ HOLDFAST_GUARDED_BY(mutex_);  // of each log, its first write
  std::atomic<bool> changed_ = false;
};

// Tells `watch` what happens to the logs. Thread-safe.
class LogWatchingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  LogWatchingFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<LogWatch> watch)
      : FileSystemWrapper(target), watch_(std::move(watch)) {}

  const char* Name() const override { return "holdfast.LogWatchingFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;

 private:
  const std::shared_ptr<LogWatch> watch_;
};

}  // namespace holdfast
