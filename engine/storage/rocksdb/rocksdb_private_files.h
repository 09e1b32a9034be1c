// A file system on which new files and directories are their owner's alone, whatever the umask.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace holdfast {

// RocksDB makes files for everybody to read, less what the umask takes, and the umask is the process's, not
// ours. So each is there before RocksDB opens it, empty and with mode 0600, which RocksDB leaves as it is: at
// no time can others open it. That is one more state for a crash to find only where RocksDB makes it as well,
// a moment later: a file with nothing in it. A file that is there already keeps its mode.
//
// Thread-safe. It makes the files on the machine's own file system: `target` is that, or hands on to it.
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

// The machine's own, with such a file system.
rocksdb::Env& private_env();

}  // namespace holdfast
