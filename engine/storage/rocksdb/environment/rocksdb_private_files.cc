#include "engine/storage/rocksdb/environment/rocksdb_private_files.h"

#include <sys/stat.h>
#include <unistd.h>

namespace holdfast {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

// Makes an empty file that nobody else may open, unless there is a file, and returns whether it did. If no
// file can be made, RocksDB reports why. No descriptor is opened: closing it would drop a lock on the file
// that another thread has taken meanwhile.
bool make_private(const std::string& name) {
  return ::mknod(name.c_str(), S_IFREG | S_IRUSR | S_IWUSR, 0) == 0;
}

}  // namespace

IOStatus PrivateFileSystem::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSWritableFile>* result,
                                            IODebugContext* context) {
  const bool is_new = make_private(name);
  IOStatus status = FileSystemWrapper::NewWritableFile(name, options, result, context);
  if (!status.ok() && is_new) ::unlink(name.c_str());  // a file that could not be opened must not stay
  return status;
}

// The directory is empty at first, and what comes into it is private by itself.
IOStatus PrivateFileSystem::CreateDir(const std::string& name, const IOOptions& options,
                                      IODebugContext* context) {
  IOStatus status = FileSystemWrapper::CreateDir(name, options, context);
  if (status.ok()) ::chmod(name.c_str(), S_IRWXU);
  return status;
}

IOStatus PrivateFileSystem::CreateDirIfMissing(const std::string& name, const IOOptions& options,
                                               IODebugContext* context) {
  ::mkdir(name.c_str(), S_IRWXU);
  return FileSystemWrapper::CreateDirIfMissing(name, options, context);
}

IOStatus PrivateFileSystem::LockFile(const std::string& name, const IOOptions& options,
                                     rocksdb::FileLock** lock, IODebugContext* context) {
  make_private(name);  // it stays: somebody else may have locked it since
  return FileSystemWrapper::LockFile(name, options, lock, context);
}

rocksdb::Env& private_env() {
  static const std::unique_ptr<rocksdb::Env> env =
      rocksdb::NewCompositeEnv(std::make_shared<PrivateFileSystem>(rocksdb::FileSystem::Default()));
  return *env;
}

}  // namespace holdfast
