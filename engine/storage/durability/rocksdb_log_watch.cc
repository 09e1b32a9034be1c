#include "engine/storage/durability/rocksdb_log_watch.h"

#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/rocksdb_log.h"

namespace holdfast {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class WatchedLog final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedLog(std::unique_ptr<rocksdb::FSWritableFile> file, std::uint64_t number,
             std::shared_ptr<LogWatch> watch)
      : FSWritableFileOwnerWrapper(std::move(file)), number_(number), watch_(std::move(watch)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    tell();
    return FSWritableFileOwnerWrapper::Append(data, options, context);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& info,
                  IODebugContext* context) override {
    tell();
    return FSWritableFileOwnerWrapper::Append(data, options, info, context);
  }

 private:
  void tell() {
    if (!std::exchange(told_, true)) watch_->on_first_bytes(number_);
  }

  const std::uint64_t number_;
  const std::shared_ptr<LogWatch> watch_;
  bool told_ = false;
};

}  // namespace

// A path that ends with a separator has another parent than its files have.
LogWatchingFileSystem::LogWatchingFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target,
                                             std::shared_ptr<LogWatch> watch,
                                             const std::filesystem::path& directory)
    : FileSystemWrapper(target),
      watch_(std::move(watch)),
      directory_((directory / "log").lexically_normal().parent_path()) {}

std::uint64_t LogWatchingFileSystem::log_number(const std::filesystem::path& file) const {
  const bool is_log = file.extension() == ".log" && file.lexically_normal().parent_path() == directory_;
  return is_log ? file_number(file) : 0;
}

void LogWatch::on_first_bytes(std::uint64_t log) {
  HOLDFAST_CHECK(log != 0, "a log that bytes go to has a number");
  const sync::Lock lock(mutex_);
  begun_ = log;
  changed_.store(true, std::memory_order_release);
}

void LogWatch::on_deletion(std::uint64_t log) {
  const sync::Lock lock(mutex_);
  if (first_.erase(log) > 0) changed_.store(true, std::memory_order_release);
}

bool LogWatch::note_commit(std::uint64_t first) {
  if (!changed_.load(std::memory_order_acquire)) return false;
  const sync::Lock lock(mutex_);
  changed_.store(false, std::memory_order_relaxed);
  HOLDFAST_CHECK(begun_ == 0 || first_.empty() || first_.rbegin()->first < begun_,
                 "a log that begins later has a higher number");
  if (begun_ != 0) first_.emplace(std::exchange(begun_, 0), first);
  return true;
}

std::vector<LogBegin> LogWatch::logs() const {
  const sync::Lock lock(mutex_);
  std::vector<LogBegin> logs;
  for (const auto& [log, first] : first_) logs.push_back({log, first});
  return logs;
}

IOStatus LogWatchingFileSystem::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                                std::unique_ptr<rocksdb::FSWritableFile>* result,
                                                IODebugContext* context) {
  IOStatus status = FileSystemWrapper::NewWritableFile(name, options, result, context);
  const std::uint64_t log = log_number(name);
  if (status.ok() && log > 0) *result = std::make_unique<WatchedLog>(std::move(*result), log, watch_);
  return status;
}

IOStatus LogWatchingFileSystem::DeleteFile(const std::string& name, const IOOptions& options,
                                           IODebugContext* context) {
  if (const std::uint64_t log = log_number(name); log > 0) watch_->on_deletion(log);
  return FileSystemWrapper::DeleteFile(name, options, context);
}

}  // namespace holdfast
