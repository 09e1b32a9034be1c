// This file system stops all writes when a compaction cannot write one of its tables.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>
#include <string>

#include "engine/storage/durability/rocksdb_fail_stop.h"

namespace holdfast {

// A compaction that drops all that it reads still writes a table, an empty one. If that write fails, RocksDB
// 7.8.3 looks up the smallest key of the empty table. Debian builds RocksDB with assertions, so an assertion
// then ends the process. A purged queue and a disk that fails or is full are enough for that. So a compaction
// is not told that its table failed. Instead the store stops, and from then on nothing on this file system is
// created, written, renamed or deleted. The manifest cannot take the table in, and what the compaction read
// stays as it was.
//
// Any thread may use it.
class CutFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  CutFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<FailStop> fail_stop)
      : FileSystemWrapper(target), fail_stop_(std::move(fail_stop)) {}

  const char* Name() const override { return "holdfast.CutFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;

 private:
  friend class CutFile;
  friend class CutDirectory;
  friend class CompactionTable;

  // Returns ok until cut() is called, and then an error that says why.
  rocksdb::IOStatus check() const;
  void cut(const rocksdb::IOStatus& why);

  const std::shared_ptr<FailStop> fail_stop_;
  std::atomic<bool> cut_ = false;
};

}  // namespace holdfast
