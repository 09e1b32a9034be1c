// The lock of a data directory is for programs that read the directory without opening it for writing.
#pragma once

#include <filesystem>

#include "holdfast/error.h"

namespace rocksdb {
class FileLock;
}

namespace holdfast {

class DirectoryLock {
 public:
  DirectoryLock() = default;
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

  // Takes the lock. `name` is what the error calls the directory. kLocked if somebody holds the lock. Where
  // the file system is read-only, no lock can be taken and none is needed, since nobody can write there.
  // A process that writes through another mount of it holds the lock.
  Result<void> take(const std::filesystem::path& directory, const std::filesystem::path& name);
  bool taken() const { return taken_; }

 private:
  bool taken_ = false;
  rocksdb::FileLock* lock_ = nullptr;  // null on a read-only file system
};

}  // namespace holdfast
