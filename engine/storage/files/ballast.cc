#include "engine/storage/files/ballast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast {
namespace {

constexpr std::uint64_t kBlock = 512;  // the unit of st_blocks, whatever the file system's block is

// Returns the bytes that the device has set aside. Some file systems also count blocks of their own.
std::uint64_t bytes_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return std::min(static_cast<std::uint64_t>(status.st_blocks) * kBlock,
                  static_cast<std::uint64_t>(status.st_size));
}

// Returns whether the device has set aside the blocks of a file of `to` bytes, of which it has set aside
// `held`. A commit waits for it, and some file systems look at each block that they are asked for. So only
// the new blocks are asked for, unless the old ones have holes.
bool allocate(const std::filesystem::path& file, std::uint64_t held, std::uint64_t to) {
  constexpr mode_t kOwnerOnly = 0600;
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
  if (opened < 0) return false;
  struct stat status {};
  const bool is_whole = ::fstat(opened, &status) == 0 && static_cast<std::uint64_t>(status.st_size) == held;
  const std::uint64_t begin = is_whole ? held : 0;
  const bool done = ::fallocate(opened, 0, static_cast<off_t>(begin), static_cast<off_t>(to - begin)) == 0;
  ::close(opened);
  return done;
}

}  // namespace

Ballast::Ballast(const std::filesystem::path& directory, std::uint64_t bytes)
    : file_(directory / kName), bytes_(bytes), held_(bytes == 0 ? 0 : bytes_of(file_)) {}

std::uint64_t Ballast::held() const {
  const sync::Lock lock(mutex_);
  return held_;
}

std::uint64_t Ballast::wanted(std::uint64_t logs) const { return std::max(bytes_, wanted_by(logs)); }

// Returns whether the device has room for a ballast of so many bytes.
bool Ballast::is_ample(std::uint64_t free, std::uint64_t bytes) const {
  return free + held_ >= kAmple * bytes;
}

// Returns how large the ballast may stay when the logs are small again.
std::uint64_t Ballast::lasting(std::uint64_t free) const {
  const std::uint64_t with_usual_logs = wanted_with_usual_logs();
  return is_ample(free, with_usual_logs) ? with_usual_logs : bytes_;
}

void Ballast::let_go() {
  const sync::Lock lock(mutex_);
  remove();
}

void Ballast::remove() {
  (void)::unlink(file_.c_str());
  held_ = bytes_of(file_);
}

bool Ballast::let_go_if_short(std::uint64_t free, std::uint64_t logs) {
  const sync::Lock lock(mutex_);
  if (!is_wanted() || free >= wanted(logs)) return false;
  if (held_ > 0) remove();
  return true;
}

void Ballast::before_write(std::uint64_t free, const SizeOfLogs& logs, std::uint64_t bytes) {
  const sync::Lock lock(mutex_);
  being_written_ = bytes;
  (void)keep(free, logs() + being_written_);
}

void Ballast::written() {
  const sync::Lock lock(mutex_);
  being_written_ = 0;
}

bool Ballast::look(std::uint64_t free, const SizeOfLogs& logs) {
  const sync::Lock lock(mutex_);
  const bool may_shrink = held_ > lasting(free);
  return keep(free, may_shrink ? logs() + being_written_ : 0);
}

bool Ballast::keep(std::uint64_t free, std::uint64_t logs) {
  if (bytes_ == 0) return false;
  const std::uint64_t want = wanted(logs);
  if (want < held_) return shrink(std::max(want, lasting(free)));
  return want > held_ && is_ample(free, want) && grow(want);
}

std::uint64_t Ballast::lacking(std::uint64_t logs) const {
  const sync::Lock lock(mutex_);
  if (bytes_ == 0) return 0;
  const std::uint64_t want = wanted_by(logs);
  return want - std::min(want, std::max(held_, wanted_with_usual_logs()));
}

// Makes the file `to` bytes long, and returns whether it is. If the device has once refused even the smallest
// ballast, the function returns false without another try.
bool Ballast::grow(std::uint64_t to) {
  if (refused_) return false;
  const std::uint64_t before = held_;
  const bool done = allocate(file_, before, to);
  if (!done && before == 0) {
    (void)::unlink(file_.c_str());
    refused_ = true;
  } else if (!done) {
    (void)::truncate(file_.c_str(), static_cast<off_t>(before));
  }
  held_ = bytes_of(file_);
  return done;
}

bool Ballast::shrink(std::uint64_t to) {
  if (to >= held_ || ::truncate(file_.c_str(), static_cast<off_t>(to)) != 0) return false;
  held_ = bytes_of(file_);
  return true;
}

}  // namespace holdfast
