// The lock of a data directory, for those who read it without opening it for writing.
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

  // kLocked if somebody has it. `name`: what the error calls the directory.
  Result<void> take(const std::filesystem::path& directory, const std::filesystem::path& name);
  bool taken() const { return lock_ != nullptr; }

 private:
  rocksdb::FileLock* lock_ = nullptr;
};

}  // namespace holdfast
