// A small device for a test to fill, or to make read-only. It is a tmpfs, which only root may mount.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/support/temp_dir.h"

namespace holdfast::testing {

class SmallDevice {
 public:
  explicit SmallDevice(std::uint64_t bytes) {
    std::filesystem::create_directory(path());
    const std::string size = "size=" + std::to_string(bytes);
    if (::mount("tmpfs", path().c_str(), "tmpfs", 0, size.c_str()) != 0)
      why_not_ = std::generic_category().message(errno);
  }
  ~SmallDevice() {
    if (mounted()) ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallDevice(const SmallDevice&) = delete;
  SmallDevice& operator=(const SmallDevice&) = delete;

  bool mounted() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  std::filesystem::path path() const { return directory_ / "device"; }

  std::uint64_t free() const {
    struct statvfs status {};
    if (::statvfs(path().c_str(), &status) != 0) throw std::runtime_error("statvfs failed");
    return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
  }
  // Takes all free space except `leave` bytes, as another program might.
  void fill(std::uint64_t leave = 0) {
    const int file = ::open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    const off_t end = ::lseek(file, 0, SEEK_END);
    bool done = false;
    // Another writer may take space between the look and the allocation, so the loop tries again.
    do {
      const std::uint64_t there = free();
      done = there <= leave || ::fallocate(file, 0, end, static_cast<off_t>(there - leave)) == 0;
    } while (!done && errno == ENOSPC);
    ::close(file);
    if (!done) throw std::runtime_error("the device cannot be filled");
  }
  void make_read_only() {
    if (::mount(nullptr, path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0)
      throw std::runtime_error("the device cannot be made read-only");
  }
  // Frees the space that fill() took.
  void clear() { std::filesystem::remove(filler()); }

 private:
  std::filesystem::path filler() const { return path() / "somebody else's"; }

  TempDir directory_;
  std::string why_not_;
};

}  // namespace holdfast::testing
