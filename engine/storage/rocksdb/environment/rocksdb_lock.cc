#include "engine/storage/rocksdb/environment/rocksdb_lock.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/storage/rocksdb/environment/rocksdb_private_files.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"

namespace holdfast {

namespace {

bool is_read_only(const std::filesystem::path& directory) {
  return ::access(directory.c_str(), W_OK) != 0 && errno == EROFS;
}

}  // namespace

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : taken_(std::exchange(other.taken_, false)), lock_(std::exchange(other.lock_, nullptr)) {}

DirectoryLock::~DirectoryLock() {
  if (lock_ != nullptr) private_env().UnlockFile(lock_).PermitUncheckedError();
}

Result<void> DirectoryLock::take(const std::filesystem::path& directory, const std::filesystem::path& name) {
  const auto status = private_env().LockFile((directory / "LOCK").string(), &lock_);
  taken_ = status.ok();
  if (taken_) return {};
  // Looking for the holder would drop the lock if this process has it.
  if (is_held_by_this_process(status) || !is_read_only(directory))
    return tl::unexpected(open_error(status, name));
  if (const auto holder = lock_holder(directory)) return tl::unexpected(already_open(name, *holder));
  taken_ = true;
  return {};
}

}  // namespace holdfast
