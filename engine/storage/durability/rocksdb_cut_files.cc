#include "engine/storage/durability/rocksdb_cut_files.h"

#include <utility>

#include "engine/base/helpers/check.h"

namespace holdfast {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// A CutFile is any file except a compaction's table.
class CutFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  CutFile(std::unique_ptr<rocksdb::FSWritableFile> file, const CutFileSystem& files)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    IOStatus status = files_.check();
    return status.ok() ? FSWritableFileOwnerWrapper::Append(data, options, context) : status;
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& info,
                  IODebugContext* context) override {
    IOStatus status = files_.check();
    return status.ok() ? FSWritableFileOwnerWrapper::Append(data, options, info, context) : status;
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* context) override {
    IOStatus status = files_.check();
    return status.ok() ? FSWritableFileOwnerWrapper::Truncate(size, options, context) : status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    IOStatus status = files_.check();
    return status.ok() ? FSWritableFileOwnerWrapper::Sync(options, context) : status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    IOStatus status = files_.check();
    return status.ok() ? FSWritableFileOwnerWrapper::Fsync(options, context) : status;
  }

 private:
  const CutFileSystem& files_;
};

// All calls of a CompactionTable succeed; the first that fails underneath cuts the file system.
class CompactionTable final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  CompactionTable(std::unique_ptr<rocksdb::FSWritableFile> file, CutFileSystem& files)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* context) override {
    return attempt([&] { return FSWritableFileOwnerWrapper::Append(data, options, context); });
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo& info,
                  IODebugContext* context) override {
    return attempt([&] { return FSWritableFileOwnerWrapper::Append(data, options, info, context); });
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* context) override {
    return attempt([&] { return FSWritableFileOwnerWrapper::Truncate(size, options, context); });
  }
  IOStatus Flush(const IOOptions& options, IODebugContext* context) override {
    return attempt([&] { return FSWritableFileOwnerWrapper::Flush(options, context); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return attempt([&] { return FSWritableFileOwnerWrapper::Sync(options, context); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return attempt([&] { return FSWritableFileOwnerWrapper::Fsync(options, context); });
  }
  IOStatus RangeSync(std::uint64_t offset, std::uint64_t bytes, const IOOptions& options,
                     IODebugContext* context) override {
    return attempt([&] { return FSWritableFileOwnerWrapper::RangeSync(offset, bytes, options, context); });
  }
  IOStatus Close(const IOOptions& options, IODebugContext* context) override {
    IOStatus status = FSWritableFileOwnerWrapper::Close(options, context);
    return attempt([&] { return std::move(status); });
  }

 private:
  template <class Operation>
  IOStatus attempt(const Operation& operation) {
    if (!files_.check().ok()) return IOStatus::OK();
    if (const IOStatus status = operation(); !status.ok()) files_.cut(status);
    return IOStatus::OK();
  }

  CutFileSystem& files_;
};

class CutDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  CutDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, const CutFileSystem& files)
      : FSDirectoryWrapper(std::move(directory)), files_(files) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    IOStatus status = files_.check();
    return status.ok() ? FSDirectoryWrapper::Fsync(options, context) : status;
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* context,
                               const rocksdb::DirFsyncOptions& how) override {
    IOStatus status = files_.check();
    return status.ok() ? FSDirectoryWrapper::FsyncWithDirOptions(options, context, how) : status;
  }

 private:
  const CutFileSystem& files_;
};

IOStatus CutFileSystem::check() const {
  if (!cut_.load(std::memory_order_acquire)) return IOStatus::OK();
  return IOStatus::IOError("the store stopped after a table could not be written: " + fail_stop_->reason());
}

void CutFileSystem::cut(const IOStatus& why) {
  HOLDFAST_CHECK(!why.ok(), "only a failure ends the writing");
  fail_stop_->fail(why.ToString());
  HOLDFAST_CHECK(fail_stop_->failed(), "a store whose writing ends has stopped");
  cut_.store(true, std::memory_order_release);
}

IOStatus CutFileSystem::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* result,
                                        IODebugContext* context) {
  const bool of_compaction = fail_stop_->take_compaction_table(name);
  IOStatus status = check();
  if (status.ok()) status = FileSystemWrapper::NewWritableFile(name, options, result, context);
  if (!status.ok()) return status;
  if (of_compaction) {
    *result = std::make_unique<CompactionTable>(std::move(*result), *this);
  } else {
    *result = std::make_unique<CutFile>(std::move(*result), *this);
  }
  return status;
}

IOStatus CutFileSystem::NewDirectory(const std::string& name, const IOOptions& options,
                                     std::unique_ptr<rocksdb::FSDirectory>* result, IODebugContext* context) {
  IOStatus status = FileSystemWrapper::NewDirectory(name, options, result, context);
  if (status.ok()) *result = std::make_unique<CutDirectory>(std::move(*result), *this);
  return status;
}

IOStatus CutFileSystem::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                   IODebugContext* context) {
  IOStatus status = check();
  return status.ok() ? FileSystemWrapper::RenameFile(from, to, options, context) : status;
}

IOStatus CutFileSystem::LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                                 IODebugContext* context) {
  IOStatus status = check();
  return status.ok() ? FileSystemWrapper::LinkFile(from, to, options, context) : status;
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the returned status owns its text
}

IOStatus CutFileSystem::DeleteFile(const std::string& name, const IOOptions& options,
                                   IODebugContext* context) {
  IOStatus status = check();
  return status.ok() ? FileSystemWrapper::DeleteFile(name, options, context) : status;
}

}  // namespace holdfast
