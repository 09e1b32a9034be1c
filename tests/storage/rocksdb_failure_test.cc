// The RocksDB store on a file system that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/storage/rocksdb/rocksdb_store.h"
#include "tests/storage/faulty_file_system.h"
#include "tests/storage/store_steps.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class RocksdbFailure : public ::testing::Test {
 protected:
  std::unique_ptr<Store> open(std::size_t write_buffer_bytes = std::size_t{128} << 20) {
    return must(open_or_fail(write_buffer_bytes));
  }
  Result<std::unique_ptr<Store>> open_or_fail(std::size_t write_buffer_bytes = std::size_t{128} << 20) {
    return open_rocksdb_store(dir_.path(), {.write_buffer_bytes = write_buffer_bytes, .env = env_.get()});
  }
  std::unique_ptr<Store> open_on_a_sound_disk() { return must(open_rocksdb_store(dir_.path())); }
  FaultyFileSystem& disk() { return *disk_; }

 private:
  TempDir dir_;
  std::shared_ptr<FaultyFileSystem> disk_ = std::make_shared<FaultyFileSystem>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
};

TEST_F(RocksdbFailure, AFailedFsyncIsUnknownAndStopsTheStore) {
  auto store = open();
  disk().logs().sync.fail_from(2, rocksdb::IOStatus::IOError("injected"));
  EXPECT_THAT(put(*store, Family::kCatalog, "a", "1"), IsCommitted());
  EXPECT_THAT(put(*store, Family::kCatalog, "b", "2"), EndedAs(CommitOutcome::kUnknown));
  disk().logs().sync.fail_from(0, rocksdb::IOStatus::OK());
  EXPECT_THAT(put(*store, Family::kCatalog, "c", "3"), EndedAs(CommitOutcome::kFailed));
  EXPECT_THAT(put(*store, Family::kCatalog, "d", "4", Durability::kBuffered),
              EndedAs(CommitOutcome::kFailed));
  EXPECT_THAT(rows(*store, Family::kCatalog), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(store->close(), FailsNaming(ErrorCode::kStorageFailed, "injected"));
  store.reset();

  store = open_on_a_sound_disk();
  EXPECT_EQ(get(*store, Family::kCatalog, "a"), "1");
  EXPECT_EQ(get(*store, Family::kCatalog, "c"), std::nullopt);
  EXPECT_EQ(get(*store, Family::kCatalog, "d"), std::nullopt);
}

TEST_F(RocksdbFailure, AFullDiskIsNamedAndStopsTheStore) {
  auto store = open();
  disk().logs().append.fail_from(3, rocksdb::IOStatus::NoSpace("injected"));
  EXPECT_THAT(put(*store, Family::kCatalog, "a", "1", Durability::kBuffered), IsCommitted());
  EXPECT_THAT(put(*store, Family::kCatalog, "b", "2", Durability::kBuffered), IsCommitted());
  const CommitResult full = put(*store, Family::kCatalog, "c", "3", Durability::kBuffered);
  EXPECT_THAT(full, EndedAs(CommitOutcome::kUnknown));
  EXPECT_THAT(full.message, HasSubstr("no space is left"));
  disk().logs().append.fail_from(0, rocksdb::IOStatus::OK());
  EXPECT_THAT(put(*store, Family::kCatalog, "d", "4"), EndedAs(CommitOutcome::kFailed));
  store.reset();

  // Half of the record is on disk. It is the torn tail that recovery drops.
  store = open_on_a_sound_disk();
  EXPECT_THAT(rows(*store, Family::kCatalog), ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_THAT(put(*store, Family::kCatalog, "d", "4"), IsCommitted());
}

TEST_F(RocksdbFailure, DroppingAFailedStoreLosesNothingThatWasSynced) {
  auto store = open();
  put(*store, Family::kCatalog, "a", "1");
  disk().logs().append.fail_from(1, rocksdb::IOStatus::IOError("injected"));
  EXPECT_THAT(put(*store, Family::kCatalog, "b", "2"), EndedAs(CommitOutcome::kUnknown));
  store.reset();
  EXPECT_EQ(get(*open_on_a_sound_disk(), Family::kCatalog, "a"), "1");
}

// A failing read must look neither like damage nor like a newer format: it may work the next time.
TEST_F(RocksdbFailure, AFailedReadWhileOpeningIsNamed) {
  {
    auto store = open();
    EXPECT_TRUE(store->create_family(application_family(1)));
    put(*store, Family::kCatalog, "a", "1");
  }
  std::uint64_t refusals = 0;
  for (std::uint64_t nth = 1;; ++nth) {
    disk().reads().fail_only(nth, rocksdb::IOStatus::IOError("injected"));
    const std::uint64_t before = disk().reads().count();
    auto store = open_or_fail();
    disk().reads().fail_none();
    if (store) {
      EXPECT_EQ(get(**store, Family::kCatalog, "a"), "1");
    } else {
      EXPECT_THAT(store, FailsNaming(ErrorCode::kStorageFailed, "injected")) << "read " << nth;
      ++refusals;
    }
    if (disk().reads().count() - before < nth) break;
  }
  EXPECT_GT(refusals, 0U);
}

// The table files are written in the background, after the commits. A store that cannot write them must not
// go on.
TEST_F(RocksdbFailure, AFailedFlushStopsTheStore) {
  auto store = open(std::size_t{1} << 20);
  disk().tables().append.fail_from(1, rocksdb::IOStatus::NoSpace("injected"));
  const std::string value(std::size_t{16} << 10, 'x');
  std::size_t committed = 0;
  CommitResult result;
  do {
    result = put(*store, Family::kCatalog, std::to_string(committed), value, Durability::kBuffered);
    committed += result.outcome == CommitOutcome::kCommitted ? 1U : 0U;
  } while (result.outcome == CommitOutcome::kCommitted && committed < 100'000);
  EXPECT_NE(result.outcome, CommitOutcome::kCommitted);
  EXPECT_THAT(result.message, HasSubstr("injected"));
  disk().tables().append.fail_from(0, rocksdb::IOStatus::OK());
  EXPECT_THAT(put(*store, Family::kCatalog, "x", "1"), EndedAs(CommitOutcome::kFailed));
  store.reset();
  EXPECT_GE(rows(*open_on_a_sound_disk(), Family::kCatalog).size(), committed);
}

// RocksDB 7.8.3, built with its assertions, ends the process if a compaction that drops everything that it
// reads cannot write its table, which is empty.
TEST_F(RocksdbFailure, AFailedCompactionOfWhatARangeRemovedStopsTheStore) {
  for (const auto& error : {rocksdb::IOStatus::IOError("injected"), rocksdb::IOStatus::NoSpace("injected")}) {
    for (FaultPlan* plan : {&disk().tables().append, &disk().tables().sync}) {
      auto store = open();
      put(*store, Family::kCatalog, "a", "1");
      put(*store, Family::kMessages, "a", "1");
      ASSERT_TRUE(store->compact(Family::kMessages, "", kTop, nullptr));
      const auto batch = store->new_batch();
      batch->remove_range(Family::kMessages, "", kTop);
      ASSERT_THAT(store->commit(*batch, Durability::kFsync), IsCommitted());
      ASSERT_TRUE(store->close());
      store = open();  // opening puts the removal into a table
      plan->fail_from(1, error);
      EXPECT_THAT(store->compact(Family::kMessages, "", kTop, nullptr), FailsWith(ErrorCode::kStorageFailed));
      const CommitResult refused = put(*store, Family::kCatalog, "b", "2");
      EXPECT_THAT(refused, EndedAs(CommitOutcome::kFailed));
      EXPECT_THAT(refused.message, HasSubstr("injected"));
      EXPECT_THAT(store->close(), FailsNaming(ErrorCode::kStorageFailed, "injected"));
      plan->fail_none();
      store = open_on_a_sound_disk();
      EXPECT_THAT(rows(*store, Family::kCatalog), ElementsAre(Pair("a", "1")));
      EXPECT_THAT(rows(*store, Family::kMessages), IsEmpty());
    }
  }
}

// Nothing that a compaction has read may be deleted before what it has written is on disk.
TEST_F(RocksdbFailure, AFailedCompactionLosesNothing) {
  auto store = open();
  for (int i = 0; i < 100; ++i) put(*store, Family::kMessages, std::to_string(i), std::string(1000, 'x'));
  ASSERT_TRUE(store->compact(Family::kMessages, "", kTop, nullptr));
  const auto before = rows(*store, Family::kMessages);
  disk().tables().append.fail_from(1, rocksdb::IOStatus::IOError("injected"));
  EXPECT_THAT(store->compact(Family::kMessages, "", kTop, nullptr), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_EQ(rows(*store, Family::kMessages), before);
  store.reset();
  disk().tables().append.fail_none();
  EXPECT_EQ(rows(*open_on_a_sound_disk(), Family::kMessages), before);
}

}  // namespace
}  // namespace holdfast::testing
