#include "bench/harness/temp_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

constexpr std::string_view kPrefix = "holdfast-bench-";

void remove_left(const std::filesystem::path& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const DirectoryLock lock(entry.path(), DirectoryLock::Take::kTry);
    if (lock.is_held()) std::filesystem::remove_all(entry.path(), ignored);
  }
}

std::filesystem::path make_unique_in(const std::filesystem::path& parent) {
  std::string name = (parent / kPrefix).string() + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw BenchError("cannot make a directory in " + parent.string());
  return name;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory, Take take)
    : file_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ < 0) return;
  if (::flock(file_, take == Take::kTry ? LOCK_EX | LOCK_NB : LOCK_EX) == 0) return;
  ::close(file_);
  file_ = -1;
}

DirectoryLock::~DirectoryLock() {
  if (is_held()) ::close(file_);
}

TempDir::TempDir(const std::filesystem::path& parent) {
  std::error_code ignored;
  std::filesystem::create_directories(parent, ignored);
  // Meanwhile no other process takes the new directory, which is not locked yet, for one that was left.
  const DirectoryLock lock(parent, DirectoryLock::Take::kWait);
  remove_left(parent);
  path_ = make_unique_in(parent);
  lock_.emplace(path_, DirectoryLock::Take::kTry);
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace holdfast::bench
