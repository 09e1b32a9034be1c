// What RocksDB says about its own work, in the file LOG of its directory.
#pragma once

#include <rocksdb/env.h>

#include <cstdarg>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "engine/sync/mutex.h"

namespace holdfast {

// RocksDB's own logger writes through the class that writes its tables, and that one asserts, in Debian's
// build, that nothing is written after a failure: a disk that keeps failing ended the process. What cannot be
// written here is left out, and no call fails.
//
// LOG is created by the first line, and is mode 0600. A line that would take it past kBytes begins a new one;
// the one before is kept as LOG.old. Lines below a warning, and the options that RocksDB lists at each
// opening (they are in its OPTIONS file), are left out.
class InfoLog final : public rocksdb::Logger {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr std::size_t kLineBytes = 4096;  // of a longer line the rest is left out

  explicit InfoLog(const std::filesystem::path& directory);
  InfoLog(const InfoLog&) = delete;
  InfoLog& operator=(const InfoLog&) = delete;
  ~InfoLog() override;

  using rocksdb::Logger::Logv;
  void Logv(const char* format, std::va_list arguments) override;
  void LogHeader(const char* /*format*/, std::va_list /*arguments*/) override {}
  std::size_t GetLogFileSize() const override;

 private:
  void write(std::string_view line);
  void open() HOLDFAST_REQUIRES(mutex_);
  void close() HOLDFAST_REQUIRES(mutex_);

  const std::filesystem::path file_;
  const std::filesystem::path old_file_;
  mutable sync::Mutex mutex_;
  int open_file_ HOLDFAST_GUARDED_BY(mutex_) = -1;
  std::size_t bytes_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // in the open file
};

}  // namespace holdfast
