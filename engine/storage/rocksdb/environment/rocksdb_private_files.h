// On this file system new files and directories belong to their owner alone, whatever the umask.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace holdfast {

// RocksDB makes files that everybody may read, less what the umask takes away, and the umask belongs to the
// process. So this file system makes each file before RocksDB opens it, empty and with mode 0600, which
// RocksDB leaves as it is: at no time can others open it. A crash in between leaves a file with nothing in
// it, a state that RocksDB would pass through itself a moment later. A file that is there already keeps its
// mode.
//
// Any thread may use it. It makes the files on the machine's own file system, so `target` must be that one or
// hand on to it.
class PrivateFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit PrivateFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target)
      : FileSystemWrapper(target) {}

  const char* Name() const override { return "holdfast.PrivateFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus CreateDir(const std::string& name, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& name, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus LockFile(const std::string& name, const rocksdb::IOOptions& options,
                             rocksdb::FileLock** lock, rocksdb::IODebugContext* context) override;
};

// Returns the machine's own environment with a PrivateFileSystem.
rocksdb::Env& private_env();

}  // namespace holdfast
