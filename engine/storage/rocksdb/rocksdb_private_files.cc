#include "engine/storage/rocksdb/rocksdb_private_files.h"

#include <sys/stat.h>
#include <unistd.h>

namespace holdfast {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

// Makes an empty file that nobody else may open, if there is none; says whether it did. What is wrong where
// there can be none, RocksDB says. No descriptor is opened: closing it would take a lock on the file away
// that another thread has got meanwhile.
bool make_private(const std::string& name) {
  return ::mknod(name.c_str(), S_IFREG | S_IRUSR | S_IWUSR, 0) == 0;
}

}  // namespace

IOStatus PrivateFileSystem::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSWritableFile>* result,
                                            IODebugContext* context) {
  const bool is_new = make_private(name);
  IOStatus status = FileSystemWrapper::NewWritableFile(name, options, result, context);
  if (!status.ok() && is_new) ::unlink(name.c_str());  // what could not be created is not there
  return status;
}

// Nothing is in it yet, and what will be is private by itself.
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
  make_private(name);  // and stays: somebody else may have locked it since
  return FileSystemWrapper::LockFile(name, options, lock, context);
}

rocksdb::Env& private_env() {
  static const std::unique_ptr<rocksdb::Env> env =
      rocksdb::NewCompositeEnv(std::make_shared<PrivateFileSystem>(rocksdb::FileSystem::Default()));
  return *env;
}

}  // namespace holdfast
