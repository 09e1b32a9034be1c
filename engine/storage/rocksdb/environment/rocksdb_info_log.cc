#include "engine/storage/rocksdb/environment/rocksdb_info_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace holdfast {
namespace {

using Line = std::array<char, InfoLog::kLineBytes>;

// Writes "2026-03-01T09:30:00.412Z " and returns its length.
std::size_t put_time(Line& line) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::gmtime_r(&now.tv_sec, &parts);
  const std::size_t length = std::strftime(line.data(), line.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const int more =
      std::snprintf(line.data() + length, line.size() - length, ".%03ldZ ", now.tv_nsec / 1'000'000);
  return length + static_cast<std::size_t>(std::max(0, more));
}

// Writes the text and returns the length of the whole line with its end.
std::size_t put_text(Line& line, std::size_t from, const char* format, std::va_list arguments) {
  const std::size_t room = line.size() - 1 - from;  // one byte is left for the end of the line
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the caller's is initialised
  const int wanted = std::vsnprintf(line.data() + from, room, format, arguments);
  std::size_t length = from + std::min(room - 1, static_cast<std::size_t>(std::max(0, wanted)));
  while (length > from && line[length - 1] == '\n') --length;
  line[length] = '\n';
  return length + 1;
}

}  // namespace

InfoLog::InfoLog(const std::filesystem::path& directory)
    : Logger(rocksdb::InfoLogLevel::WARN_LEVEL), file_(directory / "LOG"), old_file_(directory / "LOG.old") {}

InfoLog::~InfoLog() { close(); }

void InfoLog::Logv(const char* format, std::va_list arguments) {
  Line line;
  const std::size_t text = put_time(line);
  write({line.data(), put_text(line, text, format, arguments)});
}

std::size_t InfoLog::GetLogFileSize() const {
  const sync::Lock lock(mutex_);
  return bytes_;
}

void InfoLog::write(std::string_view line) {
  const sync::Lock lock(mutex_);
  if (open_file_ < 0) open();
  if (open_file_ >= 0 && bytes_ + line.size() > kBytes) {
    close();
    (void)std::rename(file_.c_str(), old_file_.c_str());
    open();
  }
  // If the old file could not be moved away, the file stays full and the line is dropped.
  if (open_file_ < 0 || bytes_ + line.size() > kBytes) return;
  const ssize_t written = ::write(open_file_, line.data(), line.size());
  bytes_ += static_cast<std::size_t>(std::max<ssize_t>(0, written));
}

void InfoLog::open() {
  constexpr mode_t kOwnerOnly = 0600;
  open_file_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
  struct stat status {};
  if (open_file_ >= 0 && ::fstat(open_file_, &status) == 0) bytes_ = static_cast<std::size_t>(status.st_size);
}

void InfoLog::close() {
  if (open_file_ >= 0) ::close(open_file_);
  open_file_ = -1;
  bytes_ = 0;
}

}  // namespace holdfast
