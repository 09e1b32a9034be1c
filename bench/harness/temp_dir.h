// A directory for a benchmark's data, removed at the end.
#pragma once

#include <filesystem>
#include <optional>

namespace holdfast::bench {

// Holds the lock of a directory, which ends with this object or with the process. Programs that the process
// starts do not inherit it.
class DirectoryLock {
 public:
  enum class Take { kWait, kTry };

  DirectoryLock(const std::filesystem::path& directory, Take take);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  bool is_held() const { return file_ >= 0; }

 private:
  int file_;
};

// The constructor also removes the directories in `parent` of processes that were killed: nobody holds their
// locks.
class TempDir {
 public:
  explicit TempDir(const std::filesystem::path& parent);
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<DirectoryLock> lock_;
};

}  // namespace holdfast::bench
