#include "engine/storage/files/ballast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast {
namespace {

constexpr std::uint64_t kBlock = 512;  // of st_blocks, whatever the file system's are

std::uint64_t bytes_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<std::uint64_t>(status.st_blocks) * kBlock;
}

// Whether the device has set the blocks aside.
bool allocate(const std::filesystem::path& file, std::uint64_t bytes) {
  constexpr mode_t kOwnerOnly = 0600;
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
  if (opened < 0) return false;
  const bool done = ::fallocate(opened, 0, 0, static_cast<off_t>(bytes)) == 0;
  ::close(opened);
  return done;
}

}  // namespace

Ballast::Ballast(const std::filesystem::path& directory, std::uint64_t bytes)
    : file_(directory / kName), bytes_(bytes), held_(bytes == 0 ? 0 : bytes_of(file_)) {}

std::uint64_t Ballast::held() const {
  const std::scoped_lock lock(mutex_);
  return held_;
}

void Ballast::let_go_if_short(std::uint64_t free, std::uint64_t logs) {
  const std::scoped_lock lock(mutex_);
  // A log may be larger than the ballast: a group of commits is written to it whole.
  if (held_ == 0 || free >= std::max(bytes_, logs + logs / 4)) return;
  (void)::unlink(file_.c_str());
  held_ = bytes_of(file_);
}

bool Ballast::take_if_ample(std::uint64_t free) {
  const std::scoped_lock lock(mutex_);
  if (held_ >= bytes_ || refused_ || free < kAmple * bytes_) return false;
  refused_ = !allocate(file_, bytes_);
  if (refused_) (void)::unlink(file_.c_str());
  held_ = bytes_of(file_);
  return !refused_;
}

}  // namespace holdfast
