#include "engine/storage/rocksdb/environment/rocksdb_lock.h"

#include <utility>

#include "engine/storage/rocksdb/environment/rocksdb_private_files.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"

namespace holdfast {

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}

DirectoryLock::~DirectoryLock() {
  if (lock_ != nullptr) private_env().UnlockFile(lock_).PermitUncheckedError();
}

Result<void> DirectoryLock::take(const std::filesystem::path& directory, const std::filesystem::path& name) {
  const auto status = private_env().LockFile((directory / "LOCK").string(), &lock_);
  if (status.ok()) return {};
  return tl::unexpected(open_error(status, name));
}

}  // namespace holdfast
