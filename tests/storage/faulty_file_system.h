// A RocksDB file system whose writes and syncs fail on demand.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::testing {

// When the next operations of one kind fail.
class FaultPlan {
 public:
  // The `nth` operation from now on (1: the next one) ends in `error`, as do all that follow.
  void fail_from(std::uint64_t nth, const rocksdb::IOStatus& error) {
    error_ = error;
    remaining_ = nth;
  }
  // ok: the operation may go ahead.
  rocksdb::IOStatus next() {
    if (remaining_ == 0) return rocksdb::IOStatus::OK();
    if (remaining_ > 1) {
      --remaining_;
      return rocksdb::IOStatus::OK();
    }
    return error_;
  }

 private:
  rocksdb::IOStatus error_;
  std::atomic<std::uint64_t> remaining_ = 0;
};

struct FilePlans {
  FaultPlan append;
  FaultPlan sync;
};

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, FilePlans& plans)
      : FSWritableFileOwnerWrapper(std::move(file)), plans_(plans) {}

  using FSWritableFileOwnerWrapper::Append;
  // A failing append leaves half of its bytes behind, as a full disk does.
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = plans_.append.next();
    if (status.ok()) return FSWritableFileOwnerWrapper::Append(data, options, context);
    const rocksdb::Slice half(data.data(), data.size() / 2);
    FSWritableFileOwnerWrapper::Append(half, options, context).PermitUncheckedError();
    return status;
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = plans_.sync.next();
    return status.ok() ? FSWritableFileOwnerWrapper::Sync(options, context) : status;
  }

 private:
  FilePlans& plans_;
};

// Must outlive the stores on it.
class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FaultyFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "FaultyFileSystem"; }

  // Of the write-ahead log and of the table files.
  FilePlans& logs() { return logs_; }
  FilePlans& tables() { return tables_; }

  // What the device says is free. nullopt, the default: the truth.
  void set_free_space(std::optional<std::uint64_t> bytes) { free_space_ = bytes.value_or(kTruth); }

  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 std::uint64_t* free, rocksdb::IODebugContext* context) override {
    if (free_space_ == kTruth) return FileSystemWrapper::GetFreeSpace(path, options, free, context);
    *free = free_space_;
    return rocksdb::IOStatus::OK();
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override {
    auto status = FileSystemWrapper::NewWritableFile(name, options, result, context);
    if (!status.ok()) return status;
    if (name.ends_with(".log")) *result = std::make_unique<FaultyFile>(std::move(*result), logs_);
    if (name.ends_with(".sst")) *result = std::make_unique<FaultyFile>(std::move(*result), tables_);
    return status;
  }

 private:
  static constexpr std::uint64_t kTruth = UINT64_MAX;

  FilePlans logs_;
  FilePlans tables_;
  std::atomic<std::uint64_t> free_space_ = kTruth;
};

}  // namespace holdfast::testing
