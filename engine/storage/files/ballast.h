// The ballast is a file in the data directory that holds space on the device until no other space is left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/sync/mutex.h"

namespace holdfast {

// Opening a store writes: what the log holds becomes tables before the log goes. On a device that something
// else has filled, the store could not be opened, nothing could be acked, and no space would return. The
// ballast is let go then, and only then: space that a running store let go could be taken by what fills the
// device. The ballast grows with the logs, for one group of commits is written to a log whole, and it shrinks
// with them. But logs of a usual size come and go with every flush, so what the ballast holds for these stays
// while the device has room: to set it aside anew each time costs a write per block on some file systems. It
// is a file without contents that the device has set blocks aside for; on a file system that cannot do this,
// there is no ballast. Thread-safe.
class Ballast {
 public:
  // Returns the bytes of the logs as they are now. The ballast asks under its lock, so that the space it
  // holds follows the latest size even if several threads look at the same time.
  using SizeOfLogs = std::function<std::uint64_t()>;

  // This is the name of the file in a data directory.
  static constexpr const char* kName = "ballast";

  // Takes and lets go of no space yet. `bytes` is how much is held at least if there is room; with 0 no
  // ballast is ever held.
  Ballast(const std::filesystem::path& directory, std::uint64_t bytes);

  // Returns whether any ballast is to be held.
  bool is_wanted() const { return bytes_ > 0; }
  // Returns how many bytes of the device the ballast holds.
  std::uint64_t held() const;

  // Lets the ballast go before the store is opened, if none is wanted any more.
  void let_go();
  // Lets the ballast go before the store is opened, if the device has less space besides it than its
  // configured size, or less than the opening may write. `free` is the device's free space, and `logs` the
  // size of the logs that become tables, both in bytes. Returns whether it is so, also if no ballast is held.
  bool let_go_if_short(std::uint64_t free, std::uint64_t logs);
  // Makes the ballast as large as an opening would want with the logs after a write. It is called while the
  // store is open, before `bytes` go to the logs. It grows only if the device has four times as much, held
  // and free together. Until written() is called, the logs count as larger by `bytes`, so that no other
  // thread lets go of what is held for them meanwhile.
  void before_write(std::uint64_t free, const SizeOfLogs& logs, std::uint64_t bytes);
  void written();
  // Makes the ballast at least as large as configured; if it is larger than may last, it follows the size of
  // the logs. It is called at other times, from any thread. Returns whether its size has changed.
  bool look(std::uint64_t free, const SizeOfLogs& logs);
  // Returns how much an opening with `logs` bytes of logs would want beyond what is held, and beyond what it
  // wants with logs of a usual size. The engine's reserve covers logs of a usual size.
  std::uint64_t lacking(std::uint64_t logs) const;

  // Returns how much an opening may write with so many bytes of logs: the tables that they become, a
  // compaction of these tables, which may begin before the logs are gone, and RocksDB's lists of all these
  // files.
  static std::uint64_t wanted_by(std::uint64_t logs) { return 2 * logs + logs / 4; }

 private:
  static constexpr std::uint64_t kAmple = 4;

  std::uint64_t wanted(std::uint64_t logs) const;
  // Returns what an opening wants with logs of a usual size, as large as the write buffer.
  std::uint64_t wanted_with_usual_logs() const { return bytes_ + bytes_ / 2; }
  bool is_ample(std::uint64_t free, std::uint64_t bytes) const HOLDFAST_REQUIRES(mutex_);
  std::uint64_t lasting(std::uint64_t free) const HOLDFAST_REQUIRES(mutex_);
  bool keep(std::uint64_t free, std::uint64_t logs) HOLDFAST_REQUIRES(mutex_);
  void remove() HOLDFAST_REQUIRES(mutex_);
  bool grow(std::uint64_t to) HOLDFAST_REQUIRES(mutex_);
  bool shrink(std::uint64_t to) HOLDFAST_REQUIRES(mutex_);

  const std::filesystem::path file_;
  const std::uint64_t bytes_;
  mutable sync::Mutex mutex_;
  std::uint64_t held_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // `being_written_` counts the bytes that are announced and may not be in the logs yet.
  std::uint64_t being_written_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // The device has refused since the store was opened.
  bool refused_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast
