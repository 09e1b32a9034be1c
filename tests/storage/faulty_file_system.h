// A RocksDB file system whose operations fail on demand.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/storage/fault_plan.h"

namespace holdfast::testing {

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, FilePlans& plans, FaultPlan& operations)
      : FSWritableFileOwnerWrapper(std::move(file)), plans_(plans), operations_(operations) {}

  using FSWritableFileOwnerWrapper::Append;
  // A failing append leaves half of its bytes behind, as a full disk does.
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = next_of(plans_.append, operations_, FileOperation::kAppend);
    if (status.ok()) return FSWritableFileOwnerWrapper::Append(data, options, context);
    const rocksdb::Slice half(data.data(), data.size() / 2);
    FSWritableFileOwnerWrapper::Append(half, options, context).PermitUncheckedError();
    return status;
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = next_of(plans_.sync, operations_, FileOperation::kSync);
    return status.ok() ? FSWritableFileOwnerWrapper::Sync(options, context) : status;
  }
  rocksdb::IOStatus Truncate(std::uint64_t size, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = operations_.next(FileOperation::kTruncate);
    return status.ok() ? FSWritableFileOwnerWrapper::Truncate(size, options, context) : status;
  }
  // A close that fails has closed the file all the same (close(2)).
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = operations_.next(FileOperation::kClose);
    rocksdb::IOStatus closed = FSWritableFileOwnerWrapper::Close(options, context);
    return status.ok() ? closed : status;
  }

 private:
  FilePlans& plans_;
  FaultPlan& operations_;
};

class FaultyDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  FaultyDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, FaultPlan& operations)
      : FSDirectoryWrapper(std::move(directory)), operations_(operations) {}

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = operations_.next(FileOperation::kSync);
    return status.ok() ? FSDirectoryWrapper::Fsync(options, context) : status;
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context,
                                        const rocksdb::DirFsyncOptions& how) override {
    rocksdb::IOStatus status = operations_.next(FileOperation::kSync);
    return status.ok() ? FSDirectoryWrapper::FsyncWithDirOptions(options, context, how) : status;
  }

 private:
  FaultPlan& operations_;
};

class FaultyRandomReads final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultyRandomReads(std::unique_ptr<rocksdb::FSRandomAccessFile> file, FaultPlan& reads)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), reads_(reads) {}

  rocksdb::IOStatus Read(std::uint64_t offset, std::size_t n, const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* context) const override {
    rocksdb::IOStatus status = reads_.next(FileOperation::kRead);
    return status.ok() ? FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result, scratch, context)
                       : status;
  }
  // Makes each read by itself, so that each can fail.
  rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest* requests, std::size_t count,
                              const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    // NOLINTNEXTLINE(bugprone-parent-virtual-call): the wrapper's would read past what fails
    return FSRandomAccessFile::MultiRead(requests, count, options, context);
  }

 private:
  FaultPlan& reads_;
};

class FaultySequentialReads final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  FaultySequentialReads(std::unique_ptr<rocksdb::FSSequentialFile> file, FaultPlan& reads)
      : FSSequentialFileOwnerWrapper(std::move(file)), reads_(reads) {}

  rocksdb::IOStatus Read(std::size_t n, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                         char* scratch, rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = reads_.next(FileOperation::kRead);
    return status.ok() ? FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, context) : status;
  }

 private:
  FaultPlan& reads_;
};

// The file system must outlive the stores on it.
class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(
      const std::shared_ptr<rocksdb::FileSystem>& target = rocksdb::FileSystem::Default())
      : FileSystemWrapper(target) {}

  const char* Name() const override { return "FaultyFileSystem"; }

  // The plans for the write-ahead log and for the table files.
  FilePlans& logs() { return logs_; }
  FilePlans& tables() { return tables_; }
  // The plan for everything that changes a file or a directory, syncs included. If it is confined to kOpen,
  // it is for what opens files.
  FaultPlan& operations() { return operations_; }
  // The plan for the reads of the bytes of all files.
  FaultPlan& reads() { return reads_; }

  // Sets how much the device says is free. With nullopt, the default, it tells the truth.
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
    auto status = operations_.next(FileOperation::kCreate);
    if (status.ok()) status = FileSystemWrapper::NewWritableFile(name, options, result, context);
    if (!status.ok()) return status;
    FilePlans& plans = name.ends_with(".log") ? logs_ : name.ends_with(".sst") ? tables_ : others_;
    *result = std::make_unique<FaultyFile>(std::move(*result), plans, operations_);
    return status;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kOpen);
    if (status.ok()) status = FileSystemWrapper::NewRandomAccessFile(name, options, result, context);
    if (status.ok()) *result = std::make_unique<FaultyRandomReads>(std::move(*result), reads_);
    return status;
  }
  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kOpen);
    if (status.ok()) status = FileSystemWrapper::NewSequentialFile(name, options, result, context);
    if (status.ok()) *result = std::make_unique<FaultySequentialReads>(std::move(*result), reads_);
    return status;
  }
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kOpen);
    if (status.ok()) status = FileSystemWrapper::NewDirectory(name, options, result, context);
    if (status.ok()) *result = std::make_unique<FaultyDirectory>(std::move(*result), operations_);
    return status;
  }
  // If RocksDB's own text log were used, it would be a file like any other. The wrapper would hand it past
  // this class.
  rocksdb::IOStatus NewLogger(const std::string& name, const rocksdb::IOOptions& options,
                              std::shared_ptr<rocksdb::Logger>* result,
                              rocksdb::IODebugContext* context) override {
    // NOLINTNEXTLINE(bugprone-parent-virtual-call): the wrapper's is what hands it past
    return FileSystem::NewLogger(name, options, result, context);
  }
  rocksdb::IOStatus GetChildren(const std::string& directory, const rocksdb::IOOptions& options,
                                std::vector<std::string>* result, rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kOpen);
    return status.ok() ? FileSystemWrapper::GetChildren(directory, options, result, context) : status;
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kRename);
    return status.ok() ? FileSystemWrapper::RenameFile(from, to, options, context) : status;
  }
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kRename);
    return status.ok() ? FileSystemWrapper::LinkFile(from, to, options, context) : status;
  }
  rocksdb::IOStatus CreateDirIfMissing(const std::string& name, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kMakeDirectory);
    return status.ok() ? FileSystemWrapper::CreateDirIfMissing(name, options, context) : status;
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override {
    auto status = operations_.next(FileOperation::kDelete);
    return status.ok() ? FileSystemWrapper::DeleteFile(name, options, context) : status;
  }

 private:
  static constexpr std::uint64_t kTruth = UINT64_MAX;

  FilePlans logs_;
  FilePlans tables_;
  FilePlans others_;
  FaultPlan operations_;
  FaultPlan reads_{FileOperation::kRead};
  std::atomic<std::uint64_t> free_space_ = kTruth;
};

}  // namespace holdfast::testing
