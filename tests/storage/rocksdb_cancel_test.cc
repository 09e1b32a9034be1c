// Compactions are cancelled at every point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>
#include <string>

#include "engine/storage/rocksdb/rocksdb_store.h"
#include "tests/storage/store_steps.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using ::testing::IsEmpty;

// What a compaction does to files: it opens tables to write, and reads in others. At one of these steps a
// flag is set.
class Steps {
 public:
  // Sets the flag at the `nth` step from now on.
  void cancel_at(int nth) {
    cancel = false;
    left_ = nth;
  }
  void step() {
    if (--left_ == 0) cancel = true;
  }
  std::atomic<bool> cancel = false;

 private:
  std::atomic<int> left_ = 0;
};

class SteppedReads final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  SteppedReads(std::unique_ptr<rocksdb::FSRandomAccessFile> file, Steps& steps)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), steps_(steps) {}

  rocksdb::IOStatus Read(std::uint64_t offset, std::size_t n, const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* context) const override {
    steps_.step();
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result, scratch, context);
  }

 private:
  Steps& steps_;
};

class SteppedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  SteppedFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "SteppedFileSystem"; }
  Steps& steps() { return steps_; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override {
    if (name.ends_with(".sst")) steps_.step();
    return FileSystemWrapper::NewWritableFile(name, options, result, context);
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* context) override {
    auto status = FileSystemWrapper::NewRandomAccessFile(name, options, result, context);
    if (status.ok()) *result = std::make_unique<SteppedReads>(std::move(*result), steps_);
    return status;
  }

 private:
  Steps steps_;
};

// RocksDB 7.8.3, built with its assertions, ends the process if a compaction fails that has only range
// deletions to write.
TEST(RocksdbCancel, MayBeAnywhereInACompactionOfWhatARangeRemoved) {
  const TempDir dir;
  const auto files = std::make_shared<SteppedFileSystem>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  const auto open = [&] { return must(open_rocksdb_store(dir.path(), {.env = env.get()})); };
  auto store = open();
  auto batch = store->new_batch();
  for (int i = 0; i < 1000; ++i) batch->put(Family::kMessages, std::to_string(i), std::string(1000, 'x'));
  ASSERT_THAT(store->commit(*batch, Durability::kBuffered), IsCommitted());
  must(store->compact(Family::kMessages, "", kTop));
  batch = store->new_batch();
  batch->remove_range(Family::kMessages, "", kTop);
  ASSERT_THAT(store->commit(*batch, Durability::kBuffered), IsCommitted());
  batch.reset();
  must(store->close());
  store = open();  // opening puts the removal into a table

  int cancelled = 0;
  for (int nth = 1;; ++nth) {
    files->steps().cancel_at(nth);
    must(store->compact(Family::kMessages, "", kTop, &files->steps().cancel));
    if (!files->steps().cancel) break;
    ++cancelled;
  }
  EXPECT_GT(cancelled, 0);
  EXPECT_THAT(rows(*store, Family::kMessages), IsEmpty());
  must(store->close());
}

}  // namespace
}  // namespace holdfast::testing
