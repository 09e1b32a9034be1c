// Space on a device that a file of the data directory holds, until there is no other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/sync/mutex.h"

namespace holdfast {

// Opening a store writes: what the log holds becomes tables before the log goes. On a device that something
// else has filled, the store could not be opened, nothing could be acked, and no space would return. The
// ballast is let go then, and only then: what a running store let go would go to whoever fills the device. It
// grows with the logs, for one group of commits is written to a log whole, and it shrinks with them. It is a
// file without contents that the device has set blocks aside for; where the file system sets none aside,
// there is no ballast. Thread-safe.
class Ballast {
 public:
  // Bytes of the logs as they are now. Asked under the ballast's lock, so that what is held goes by their
  // latest size, whoever looks at them at the same time.
  using SizeOfLogs = std::function<std::uint64_t()>;

  // Of the file in a data directory.
  static constexpr const char* kName = "ballast";

  // Takes and lets go of nothing. `bytes`: how much is held at least where there is room; 0: never any.
  Ballast(const std::filesystem::path& directory, std::uint64_t bytes);

  // Whether any is to be held.
  bool is_wanted() const { return bytes_ > 0; }
  // What is held of the device.
  std::uint64_t held() const;

  // Before the store is opened: lets go, if less is free beside it than its size, or than opening may write.
  // `free`: bytes that the device has. `logs`: bytes of the logs, which become tables.
  void let_go_if_short(std::uint64_t free, std::uint64_t logs);
  // While the store is open: holds what opening would want with the logs as they are, more than before only
  // if the device has four times as much, held and free together. Until written() the logs count as so many
  // `bytes` larger, which are about to go to them: for nobody who looks meanwhile may let go of what is held
  // for those.
  void before_write(std::uint64_t free, const SizeOfLogs& logs, std::uint64_t bytes);
  void written();
  // At other times, from any thread: makes it as large as logs of a usual size want, or as small again as the
  // logs have become. Whether what is held has changed.
  bool look(std::uint64_t free, const SizeOfLogs& logs);
  // What opening would want with logs of so many bytes beyond what is held and beyond what it wants with logs
  // of a usual size, which the engine's reserve is for.
  std::uint64_t lacking(std::uint64_t logs) const;

  // The tables that become of logs, a compaction of them, which may begin before the logs are gone, and
  // RocksDB's lists of all these.
  static std::uint64_t wanted_by(std::uint64_t logs) { return 2 * logs + logs / 4; }

 private:
  static constexpr std::uint64_t kAmple = 4;

  std::uint64_t wanted(std::uint64_t logs) const;
  bool keep(std::uint64_t free, std::uint64_t logs) HOLDFAST_REQUIRES(mutex_);
  bool grow(std::uint64_t to) HOLDFAST_REQUIRES(mutex_);
  bool shrink(std::uint64_t to) HOLDFAST_REQUIRES(mutex_);

  const std::filesystem::path file_;
  const std::uint64_t bytes_;
  mutable sync::Mutex mutex_;
  std::uint64_t held_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::uint64_t being_written_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // to the logs
  bool refused_ HOLDFAST_GUARDED_BY(mutex_) = false;             // by the device, since the store was opened
};

}  // namespace holdfast
