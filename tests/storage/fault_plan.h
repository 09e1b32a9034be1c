// Says which operations of a file system fail, and when.
#pragma once

#include <rocksdb/io_status.h>

#include <cstdint>
#include <mutex>

namespace holdfast::testing {

// A FileOperation is what a file system is asked to do. The values are bits, so that several can be named.
enum class FileOperation : std::uint32_t {
  kCreate = 1,
  kAppend = 2,
  kTruncate = 4,
  kSync = 8,  // syncs of files and of directories
  kClose = 16,
  kRename = 32,  // renames and links
  kDelete = 64,
  kMakeDirectory = 128,
  kAny = 255,
  // kOpen and kRead change nothing.
  kOpen = 256,  // opens files and directories for reading
  kRead = 512,
};

// Says when the next operations fail.
class FaultPlan {
 public:
  explicit FaultPlan(FileOperation kind = FileOperation::kAny) : kind_(kind) {}

  // Restricts the plan: only these operations are counted, and fail.
  void confine_to(FileOperation kind) {
    const std::scoped_lock lock(mutex_);
    kind_ = kind;
  }
  // Makes the `nth` operation from now on (1 is the next one) end in `error`, and all after it too.
  void fail_from(std::uint64_t nth, const rocksdb::IOStatus& error) { set(nth, error, false); }
  // Makes only the `nth` operation fail.
  void fail_only(std::uint64_t nth, const rocksdb::IOStatus& error) { set(nth, error, true); }
  void fail_none() { set(0, rocksdb::IOStatus::OK(), false); }

  // Returns what the operation ends in; ok means that it may go ahead.
  rocksdb::IOStatus next(FileOperation operation = FileOperation::kAny) {
    const std::scoped_lock lock(mutex_);
    if ((static_cast<std::uint32_t>(operation) & static_cast<std::uint32_t>(kind_)) == 0)
      return rocksdb::IOStatus::OK();
    ++count_;
    if (remaining_ == 0) return rocksdb::IOStatus::OK();
    if (remaining_ > 1) {
      --remaining_;
      return rocksdb::IOStatus::OK();
    }
    if (once_) remaining_ = 0;
    ++failed_;
    firing_ = true;
    return error_;
  }

  // Returns how many operations there were.
  std::uint64_t count() const {
    const std::scoped_lock lock(mutex_);
    return count_;
  }
  // Returns how many of them failed.
  std::uint64_t failed() const {
    const std::scoped_lock lock(mutex_);
    return failed_;
  }
  // Returns whether the failures that were asked for have started.
  bool is_firing() const {
    const std::scoped_lock lock(mutex_);
    return firing_;
  }

 private:
  void set(std::uint64_t nth, const rocksdb::IOStatus& error, bool once) {
    const std::scoped_lock lock(mutex_);
    error_ = error;
    remaining_ = nth;
    once_ = once;
    firing_ = false;
  }

  mutable std::mutex mutex_;
  FileOperation kind_;
  rocksdb::IOStatus error_;
  std::uint64_t remaining_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t failed_ = 0;
  bool once_ = false;
  bool firing_ = false;
};

struct FilePlans {
  FaultPlan append;
  FaultPlan sync;
};

// Returns the first failure of two plans. Both count the operation.
inline rocksdb::IOStatus next_of(FaultPlan& one, FaultPlan& other, FileOperation operation) {
  rocksdb::IOStatus first = one.next(operation);
  rocksdb::IOStatus second = other.next(operation);
  return first.ok() ? second : first;
}

}  // namespace holdfast::testing
