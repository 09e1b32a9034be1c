// Space on a device that a file of the data directory holds, until there is no other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>

namespace holdfast {

// Opening a store writes: what the log holds becomes tables before the log goes. On a device that something
// else has filled, the store could not be opened, nothing could be acked, and no space would return. The
// ballast is let go then, and only then: what a running store let go would go to whoever fills the device. It
// is a file without contents that the device has set blocks aside for; where the file system sets none aside,
// there is no ballast. Thread-safe.
class Ballast {
 public:
  // Of the file in a data directory.
  static constexpr const char* kName = "ballast";

  // Takes and lets go of nothing. `bytes`: how much is held where there is room; 0: never any.
  Ballast(const std::filesystem::path& directory, std::uint64_t bytes);

  // What is held of the device.
  std::uint64_t held() const;

  // Before the store is opened: lets go, if less is free beside it than its size, or than opening may write.
  // `free`: bytes that the device has. `logs`: bytes of the logs, which become tables.
  void let_go_if_short(std::uint64_t free, std::uint64_t logs);
  // Takes what is not held, if the device has room for four times as much. Whether it did.
  bool take_if_ample(std::uint64_t free);

 private:
  static constexpr std::uint64_t kAmple = 4;

  const std::filesystem::path file_;
  const std::uint64_t bytes_;
  mutable std::mutex mutex_;
  std::uint64_t held_ = 0;
  bool refused_ = false;  // by the device, since the store was opened
};

}  // namespace holdfast
