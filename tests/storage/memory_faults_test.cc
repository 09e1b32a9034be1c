// The faults of the memory store are seeded. They affect whole commits only, and the store does not go on
// after them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "engine/storage/memory/memory_store.h"
#include "tests/storage/store_steps.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::shared_ptr<MemoryDisk> new_disk(std::uint64_t seed = 1) { return std::make_shared<MemoryDisk>(seed); }

// Makes five commits that change the same row, of which the first `synced` are on disk. Then the machine
// dies.
Rows rows_after_crash(std::uint64_t seed, int synced) {
  const auto disk = new_disk(seed);
  auto store = must(open_memory_store(disk));
  for (int i = 1; i <= 5; ++i) {
    auto batch = store->new_batch();
    batch->put(Family::kCatalog, std::to_string(i), "v");
    batch->put(Family::kCatalog, "last", std::to_string(i));
    store->commit(*batch, i <= synced ? Durability::kFsync : Durability::kBuffered);
  }
  store.reset();
  disk->crash();
  return rows(*must(open_memory_store(disk)), Family::kCatalog);
}

TEST(MemoryCrash, KeepsAPrefixOfWholeCommits) {
  std::set<std::size_t> survivors;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Rows left = rows_after_crash(seed, 2);
    ASSERT_GE(left.size(), 3U);
    EXPECT_EQ(left.back(), std::pair(std::string("last"), std::to_string(left.size() - 1)));
    survivors.insert(left.size() - 1);
    EXPECT_EQ(left, rows_after_crash(seed, 2));
  }
  EXPECT_THAT(survivors, ElementsAre(2, 3, 4, 5));
}

TEST(MemoryCrash, LosesNothingThatWasSyncedOrClosed) {
  EXPECT_EQ(rows_after_crash(7, 5).size(), 6U);
  const auto disk = new_disk();
  const auto store = must(open_memory_store(disk));
  put(*store, Family::kCatalog, "a", "1", Durability::kBuffered);
  EXPECT_EQ(disk->unsynced_commits(), 1U);
  must(store->close());
  EXPECT_EQ(disk->unsynced_commits(), 0U);
  disk->crash();
  EXPECT_THAT(rows(*must(open_memory_store(disk)), Family::kCatalog), ElementsAre(Pair("a", "1")));
}

TEST(MemoryCrash, ALostKeyMayBePutOnceAgain) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto disk = new_disk(seed);
    auto store = must(open_memory_store(disk));
    auto batch = store->new_batch();
    batch->put_once(Family::kMessages, "a", "1");
    store->commit(*batch, Durability::kBuffered);
    store.reset();
    disk->crash();
    store = must(open_memory_store(disk));
    if (get(*store, Family::kMessages, "a")) continue;
    EXPECT_THAT(store->commit(*batch, Durability::kFsync), IsCommitted());
  }
}

TEST(MemoryFaults, AFailedCommitIsNotThereAndTheStoreStops) {
  const auto disk = new_disk();
  auto store = must(open_memory_store(disk));
  disk->fail_commit(2, CommitOutcome::kFailed);
  EXPECT_THAT(put(*store, Family::kCatalog, "a", "1"), IsCommitted());
  EXPECT_THAT(put(*store, Family::kCatalog, "b", "2"), EndedAs(CommitOutcome::kFailed));
  EXPECT_THAT(put(*store, Family::kCatalog, "c", "3"), EndedAs(CommitOutcome::kFailed));
  EXPECT_THAT(rows(*store, Family::kCatalog), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(store->close(), FailsWith(ErrorCode::kStorageFailed));
  store = must(open_memory_store(disk));
  EXPECT_THAT(rows(*store, Family::kCatalog), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(put(*store, Family::kCatalog, "c", "3"), IsCommitted());
}

TEST(MemoryFaults, AFencedStoreStaysFenced) {
  const auto disk = new_disk();
  auto store = must(open_memory_store(disk));
  disk->fail_commit(1, CommitOutcome::kFenced);
  EXPECT_THAT(put(*store, Family::kCatalog, "a", "1"), EndedAs(CommitOutcome::kFenced));
  EXPECT_THAT(put(*store, Family::kCatalog, "a", "1"), EndedAs(CommitOutcome::kFenced));
  store.reset();
  EXPECT_THAT(rows(*must(open_memory_store(disk)), Family::kCatalog), IsEmpty());
}

TEST(MemoryFaults, OnlyReopeningTellsAnUnknownOutcome) {
  std::set<std::size_t> found;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto disk = new_disk(seed);
    auto store = must(open_memory_store(disk));
    disk->fail_commit(1, CommitOutcome::kUnknown);
    EXPECT_THAT(put(*store, Family::kCatalog, "a", "1"), EndedAs(CommitOutcome::kUnknown));
    EXPECT_THAT(put(*store, Family::kCatalog, "b", "2"), EndedAs(CommitOutcome::kFailed));
    EXPECT_THAT(rows(*store, Family::kCatalog), IsEmpty());
    store.reset();
    found.insert(rows(*must(open_memory_store(disk)), Family::kCatalog).size());
  }
  EXPECT_THAT(found, ElementsAre(0, 1));
}

TEST(MemoryFaults, ReadsFailAsOrdered) {
  const auto disk = new_disk();
  const auto store = must(open_memory_store(disk));
  put(*store, Family::kCatalog, "a", "1");
  disk->fail_read(2, ErrorCode::kCorruption);
  disk->fail_read(3, ErrorCode::kStorageFailed);
  EXPECT_THAT(store->get(Family::kCatalog, "a"), Succeeds());
  EXPECT_THAT(store->get(Family::kCatalog, "a"), FailsWith(ErrorCode::kCorruption));
  const auto scan = store->scan(Family::kCatalog, "", kTop);
  while (scan->valid()) scan->next();
  EXPECT_THAT(scan->status(), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_THAT(rows(*store, Family::kCatalog), ElementsAre(Pair("a", "1")));
}

TEST(MemoryFaults, AFullDiskTakesRemovalsOnly) {
  const auto disk = new_disk();
  auto store = must(open_memory_store(disk));
  put(*store, Family::kCatalog, "a", "123");
  disk->set_capacity(3);
  auto batch = store->new_batch();
  batch->put(Family::kCatalog, "a", "1");
  EXPECT_THAT(store->commit(*batch, Durability::kFsync), IsCommitted());
  const CommitResult full = put(*store, Family::kCatalog, "b", "123");
  EXPECT_THAT(full, EndedAs(CommitOutcome::kFailed));
  EXPECT_THAT(full.message, HasSubstr("no space"));
  store.reset();
  EXPECT_THAT(rows(*must(open_memory_store(disk)), Family::kCatalog), ElementsAre(Pair("a", "1")));
}

class MemoryMisuse : public ::testing::Test {
 protected:
  void commit(auto... changes) {
    auto batch = store_->new_batch();
    (changes(*batch), ...);
    store_->commit(*batch, Durability::kBuffered);
  }

  static void put_once(Batch& batch) { batch.put_once(Family::kMessages, "\x01\xff", "v"); }
  static void remove_once(Batch& batch) { batch.remove_once(Family::kMessages, "\x01\xff"); }
  static void put(Batch& batch) { batch.put(Family::kMessages, "\x01\xff", "v"); }
  static void remove(Batch& batch) { batch.remove(Family::kMessages, "\x01\xff"); }
  static void remove_range(Batch& batch) { batch.remove_range(Family::kMessages, "\x01", "\x02"); }

 private:
  std::unique_ptr<Store> store_ = must(open_memory_store(new_disk()));
};

using MemoryMisuseDeathTest = MemoryMisuse;

TEST_F(MemoryMisuseDeathTest, OfAKeyPutOnceStopsTheProcess) {
  EXPECT_DEATH(commit(put_once, put_once), "put once is not put twice: family messages, key 01ff");
  EXPECT_DEATH(commit(put_once, put), "put twice");
  EXPECT_DEATH(commit(put, put_once), "put twice");
  EXPECT_DEATH(commit(put_once, remove_range, put_once), "put again");
  EXPECT_DEATH(commit(put_once, remove), "removed only with remove_once");
  EXPECT_DEATH(commit(put, put, remove_once), "was not put more than once");
  EXPECT_DEATH(commit(remove_once), "of a key that is there");
  EXPECT_DEATH(commit(put_once, remove_once, remove_once), "of a key that is there");
}

TEST(MemoryFaults, ACrashKeepsTheFamiliesAndForgetsRowsOfDroppedOnes) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  auto store = must(open_memory_store(disk));
  const Family other{static_cast<std::uint64_t>(kFirstApplicationFamily) + 1};
  must(store->create_family(kFirstApplicationFamily));
  must(store->create_family(other));
  put(*store, kFirstApplicationFamily, "k", "v", Durability::kBuffered);
  put(*store, other, "k", "v", Durability::kFsync);
  must(store->drop_family(kFirstApplicationFamily));
  store.reset();
  disk->crash();
  store = must(open_memory_store(disk));
  EXPECT_EQ(store->application_families(), std::vector{other});
  EXPECT_EQ(get(*store, other, "k"), "v");
}

}  // namespace
}  // namespace holdfast::testing
