// The info log has what RocksDB says about its own work, in the file LOG of its directory.
#pragma once

#include <rocksdb/env.h>

#include <cstdarg>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "engine/sync/mutex.h"

namespace holdfast {

// RocksDB's own logger writes through the class that writes its tables. In Debian's build that class asserts
// that nothing is written after a failure, so a disk that kept failing ended the process. This log leaves out
// what it cannot write, and no call fails.
//
// The first line creates LOG, with mode 0600. A line that would take the file past kBytes begins a new one,
// and the earlier file is kept as LOG.old. Lines below a warning are left out, and so are the options that
// RocksDB lists at each opening, which are in its OPTIONS file.
class InfoLog final : public rocksdb::Logger {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr std::size_t kLineBytes = 4096;  // the rest of a longer line is left out

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
  std::size_t bytes_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // the size of the open file
};

}  // namespace holdfast
