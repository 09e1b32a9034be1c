// Tests what storage/store.h promises, for every implementation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "tests/storage/store_home.h"
#include "tests/storage/store_steps.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;

class StoreConformance : public ::testing::TestWithParam<const char*> {
 protected:
  StoreConformance() : home_(make_home(GetParam())), store_(must(home_->open())) {}

  Store& store() { return *store_; }
  StoreHome& home() { return *home_; }

  void drop() { store_.reset(); }
  void reopen() {
    drop();
    store_ = must(home_->open());
  }

 private:
  std::unique_ptr<StoreHome> home_;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformance, ::testing::Values("rocksdb", "memory"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(StoreConformance, GivesBackWhatWasPut) {
  EXPECT_THAT(put(store(), Family::kCatalog, "k", "v"), IsCommitted());
  EXPECT_THAT(get(store(), Family::kCatalog, "k"), Optional(std::string("v")));
}

TEST_P(StoreConformance, AMissingKeyIsAnEmptyOptional) {
  put(store(), Family::kCatalog, "k", "v");
  EXPECT_EQ(get(store(), Family::kCatalog, "j"), std::nullopt);
  EXPECT_EQ(get(store(), Family::kMessages, "k"), std::nullopt);
}

TEST_P(StoreConformance, AnEmptyValueIsNotAMissingKey) {
  put(store(), Family::kCatalog, "k", "");
  EXPECT_THAT(get(store(), Family::kCatalog, "k"), Optional(std::string()));
}

TEST_P(StoreConformance, KeepsFamiliesApart) {
  auto batch = store().new_batch();
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    batch->put(static_cast<Family>(i), "k", family_name(static_cast<Family>(i)));
  }
  EXPECT_THAT(store().commit(*batch, Durability::kBuffered), IsCommitted());
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    EXPECT_THAT(rows(store(), family), ElementsAre(Pair("k", std::string(family_name(family)))));
  }
}

TEST(ApplicationFamilies, AreThoseWhoseNumbersThereAre) {
  for (const Family family : {application_family(0), application_family(17), Family{UINT64_MAX}})
    EXPECT_EQ(parse_application_family(family_name(family)), family);
  // From 2^64 - 256 on, a number would wrap around to the families before the application's.
  for (const char* name : {"catalog", "app-", "app-x", "app-1x", "app--1", "app-18446744073709551360",
                           "app-18446744073709551615", "app-18446744073709551616"})
    EXPECT_FALSE(parse_application_family(name)) << name;
}

TEST_P(StoreConformance, ChangesOfABatchHappenInOrder) {
  auto batch = store().new_batch();
  batch->put(Family::kCatalog, "a", "1");
  batch->put(Family::kCatalog, "a", "2");
  batch->put(Family::kCatalog, "b", "1");
  batch->remove(Family::kCatalog, "b");
  batch->put(Family::kCatalog, "c", "1");
  batch->remove_range(Family::kCatalog, "c", "d");
  batch->put(Family::kCatalog, "c", "2");
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rows(store(), Family::kCatalog), ElementsAre(Pair("a", "2"), Pair("c", "2")));
}

TEST_P(StoreConformance, ABatchIsThereInWholeForEveryReader) {
  std::atomic<bool> done = false;
  std::atomic<bool> torn = false;
  auto check = [&] {
    while (!done) {
      const Rows seen = rows(store(), Family::kCatalog);
      if (!seen.empty() && (seen.size() != 2 || seen[0].second != seen[1].second)) torn = true;
    }
  };
  std::thread reader(check);
  auto batch = store().new_batch();
  for (int i = 0; i < 2000; ++i) {
    batch->clear();
    batch->put(Family::kCatalog, "a", std::to_string(i));
    batch->put(Family::kCatalog, "b", std::to_string(i));
    store().commit(*batch, Durability::kBuffered);
  }
  done = true;
  reader.join();
  EXPECT_FALSE(torn);
}

TEST_P(StoreConformance, AClearedBatchStartsAfresh) {
  auto batch = store().new_batch();
  EXPECT_TRUE(batch->empty());
  const auto empty_size = batch->byte_size();
  batch->put(Family::kCatalog, "a", std::string(100, 'x'));
  EXPECT_FALSE(batch->empty());
  EXPECT_GE(batch->byte_size(), empty_size + 101);
  batch->clear();
  EXPECT_TRUE(batch->empty());
  EXPECT_EQ(batch->byte_size(), empty_size);
  batch->put(Family::kCatalog, "b", "1");
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rows(store(), Family::kCatalog), ElementsAre(Pair("b", "1")));
}

TEST_P(StoreConformance, CommitsAnEmptyBatch) {
  auto batch = store().new_batch();
  EXPECT_THAT(store().commit(*batch, Durability::kBuffered), IsCommitted());
  EXPECT_THAT(store().commit(*batch, Durability::kFsync), IsCommitted());
}

TEST_P(StoreConformance, WhatIsPutOnceIsRemovedOnce) {
  auto batch = store().new_batch();
  batch->put_once(Family::kMessages, "a", "1");
  batch->put_once(Family::kMessages, "b", "2");
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rows(store(), Family::kMessages), ElementsAre(Pair("a", "1"), Pair("b", "2")));
  batch->clear();
  batch->remove_once(Family::kMessages, "a");
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rows(store(), Family::kMessages), ElementsAre(Pair("b", "2")));
  EXPECT_EQ(get(store(), Family::kMessages, "a"), std::nullopt);
}

TEST_P(StoreConformance, WhatIsPutOnceMayGoInTheSameBatchOrInARange) {
  auto batch = store().new_batch();
  batch->put_once(Family::kMessages, "a", "1");
  batch->remove_once(Family::kMessages, "a");
  batch->put_once(Family::kMessages, "b", "2");
  store().commit(*batch, Durability::kBuffered);
  batch->clear();
  batch->remove_range(Family::kMessages, "a", "c");
  batch->remove_once(Family::kMessages, "b");
  store().commit(*batch, Durability::kBuffered);
  reopen();
  EXPECT_THAT(rows(store(), Family::kMessages), IsEmpty());
}

TEST_P(StoreConformance, RemovesAHalfOpenRange) {
  auto batch = store().new_batch();
  for (const char* key : {"a", "b", "c", "d"}) batch->put(Family::kCatalog, key, "v");
  batch->put(Family::kMessages, "b", "v");
  store().commit(*batch, Durability::kBuffered);
  batch->clear();
  batch->remove_range(Family::kCatalog, "b", "d");
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rows(store(), Family::kCatalog), ElementsAre(Pair("a", "v"), Pair("d", "v")));
  EXPECT_EQ(get(store(), Family::kCatalog, "b"), std::nullopt);
  EXPECT_THAT(rows(store(), Family::kMessages), ElementsAre(Pair("b", "v")));
}

TEST_P(StoreConformance, AnEmptyOrInvertedRangeRemovesNothing) {
  auto batch = store().new_batch();
  batch->put(Family::kCatalog, "b", "v");
  batch->remove_range(Family::kCatalog, "b", "b");
  batch->remove_range(Family::kCatalog, "c", "a");
  EXPECT_THAT(store().commit(*batch, Durability::kFsync), IsCommitted());
  EXPECT_THAT(rows(store(), Family::kCatalog), ElementsAre(Pair("b", "v")));
}

TEST_P(StoreConformance, RemovingWhatIsNotThereIsFine) {
  auto batch = store().new_batch();
  batch->remove(Family::kCatalog, "a");
  EXPECT_THAT(store().commit(*batch, Durability::kFsync), IsCommitted());
  EXPECT_THAT(rows(store(), Family::kCatalog), IsEmpty());
}

TEST_P(StoreConformance, ScansAHalfOpenRangeInOrder) {
  auto batch = store().new_batch();
  for (const char* key : {"d", "b", "a", "c", "bb"}) batch->put(Family::kCatalog, key, key);
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rows(store(), Family::kCatalog, "b", "d"),
              ElementsAre(Pair("b", "b"), Pair("bb", "bb"), Pair("c", "c")));
  EXPECT_THAT(rows(store(), Family::kCatalog, "ba", "c"), ElementsAre(Pair("bb", "bb")));
  EXPECT_THAT(rows(store(), Family::kCatalog, "e", "f"), IsEmpty());
  EXPECT_THAT(rows(store(), Family::kCatalog, "b", "b"), IsEmpty());
  EXPECT_THAT(rows(store(), Family::kCatalog, "d", "b"), IsEmpty());
  EXPECT_THAT(rows(store(), Family::kMessages), IsEmpty());
}

TEST_P(StoreConformance, KeysAreBytesAndOrderedAsSuch) {
  const std::string zero("\0", 1);
  const std::string zero_zero("\0\0", 2);
  const std::string high("\x80");
  const std::string top("\xff");
  auto batch = store().new_batch();
  for (const auto& key : {top, zero_zero, high, std::string("\x7f"), zero})
    batch->put(Family::kCatalog, key, key);
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rows(store(), Family::kCatalog),
              ElementsAre(Pair(zero, zero), Pair(zero_zero, zero_zero), Pair("\x7f", "\x7f"),
                          Pair(high, high), Pair(top, top)));
  EXPECT_THAT(rows(store(), Family::kCatalog, zero_zero, high),
              ElementsAre(Pair(zero_zero, zero_zero), Pair("\x7f", "\x7f")));
  EXPECT_THAT(get(store(), Family::kCatalog, zero), Optional(zero));
}

TEST_P(StoreConformance, AScanSeesTheStoreAsItBegan) {
  auto batch = store().new_batch();
  for (const char* key : {"a", "b", "c"}) batch->put(Family::kCatalog, key, "old");
  store().commit(*batch, Durability::kBuffered);
  const auto scan = store().scan(Family::kCatalog, "", kTop);
  batch->clear();
  batch->put(Family::kCatalog, "aa", "new");
  batch->put(Family::kCatalog, "b", "new");
  batch->remove_range(Family::kCatalog, "c", "d");
  store().commit(*batch, Durability::kBuffered);
  EXPECT_THAT(rest(*scan), ElementsAre(Pair("a", "old"), Pair("b", "old"), Pair("c", "old")));
  EXPECT_THAT(rows(store(), Family::kCatalog),
              ElementsAre(Pair("a", "old"), Pair("aa", "new"), Pair("b", "new")));
}

TEST_P(StoreConformance, KeepsBigValues) {
  const std::string big(std::size_t{9} << 20, '\x5a');
  auto batch = store().new_batch();
  batch->put_once(Family::kMessages, "big", big);
  EXPECT_THAT(store().commit(*batch, Durability::kFsync), IsCommitted());
  EXPECT_TRUE(get(store(), Family::kMessages, "big") == big);
  reopen();
  EXPECT_TRUE(get(store(), Family::kMessages, "big") == big);
}

TEST_P(StoreConformance, ScansInBothDirections) {
  for (const char* key : {"a", "b", "c", "d"}) put(store(), Family::kCatalog, key, "1");
  put(store(), Family::kMessages, "bb", "1");
  const auto keys = [](Scan& scan) {
    std::string result;
    for (const auto& [key, value] : rest(scan)) result += key;
    return result;
  };
  EXPECT_EQ(keys(*store().scan(Family::kCatalog, "b", "d")), "bc");
  EXPECT_EQ(keys(*store().scan_down(Family::kCatalog, "b", "d")), "cb");
  EXPECT_EQ(keys(*store().scan_down(Family::kCatalog, "", kTop)), "dcba");
  EXPECT_EQ(keys(*store().scan_down(Family::kCatalog, "bb", "c")), "");
  EXPECT_EQ(keys(*store().scan_down(Family::kCatalog, "c", "b")), "");
}

TEST_P(StoreConformance, CommitsOutliveClosing) {
  put(store(), Family::kCatalog, "fsync", "1", Durability::kFsync);
  put(store(), Family::kCatalog, "buffered", "2", Durability::kBuffered);
  EXPECT_THAT(store().close(), Succeeds());
  reopen();
  EXPECT_THAT(rows(store(), Family::kCatalog), ElementsAre(Pair("buffered", "2"), Pair("fsync", "1")));
}

TEST_P(StoreConformance, CommitsOutliveAStoreThatWasNotClosed) {
  put(store(), Family::kCatalog, "fsync", "1", Durability::kFsync);
  put(store(), Family::kCatalog, "buffered", "2", Durability::kBuffered);
  reopen();
  EXPECT_THAT(rows(store(), Family::kCatalog), ElementsAre(Pair("buffered", "2"), Pair("fsync", "1")));
}

TEST_P(StoreConformance, RemovalsOutliveTheStore) {
  auto batch = store().new_batch();
  batch->put_once(Family::kMessages, "a", "1");
  batch->put(Family::kCatalog, "a", "1");
  batch->put(Family::kCatalog, "b", "1");
  store().commit(*batch, Durability::kBuffered);
  reopen();
  batch = store().new_batch();
  batch->remove_once(Family::kMessages, "a");
  batch->remove(Family::kCatalog, "a");
  batch->remove_range(Family::kCatalog, "b", "c");
  store().commit(*batch, Durability::kBuffered);
  reopen();
  EXPECT_THAT(rows(store(), Family::kMessages), IsEmpty());
  EXPECT_THAT(rows(store(), Family::kCatalog), IsEmpty());
}

constexpr Family kOwn{static_cast<std::uint64_t>(kFirstApplicationFamily) + 7};

TEST_P(StoreConformance, AnApplicationsFamilyComesAndGoes) {
  EXPECT_THAT(store().application_families(), IsEmpty());
  EXPECT_THAT(store().create_family(kFirstApplicationFamily), Succeeds());
  EXPECT_THAT(store().create_family(kOwn), Succeeds());
  EXPECT_THAT(store().application_families(), ElementsAre(kFirstApplicationFamily, kOwn));
  auto batch = store().new_batch();
  batch->put(Family::kCatalog, "k", "built in");
  batch->put(kFirstApplicationFamily, "k", "first");
  batch->put(kOwn, "k", "own");
  batch->put(kOwn, "l", "own");
  EXPECT_THAT(store().commit(*batch, Durability::kBuffered), IsCommitted());
  reopen();
  EXPECT_THAT(store().application_families(), ElementsAre(kFirstApplicationFamily, kOwn));
  EXPECT_THAT(get(store(), kFirstApplicationFamily, "k"), Optional(std::string("first")));
  {
    const auto scan = store().scan(kOwn, "", kTop);
    const auto snapshot = store().snapshot();
    EXPECT_THAT(store().drop_family(kOwn), Succeeds());
    EXPECT_THAT(snapshot->application_families(), ElementsAre(kFirstApplicationFamily, kOwn));
    EXPECT_THAT(rest(*scan), ElementsAre(Pair("k", "own"), Pair("l", "own")));
  }
  EXPECT_THAT(store().application_families(), ElementsAre(kFirstApplicationFamily));
  EXPECT_EQ(get(store(), kOwn, "k"), std::nullopt);
  EXPECT_THAT(rows(store(), kOwn), IsEmpty());
  EXPECT_THAT(rows(store(), kFirstApplicationFamily), ElementsAre(Pair("k", "first")));
}

TEST_P(StoreConformance, AFamilyThatIsCreatedAgainIsEmpty) {
  EXPECT_THAT(store().create_family(kOwn), Succeeds());
  put(store(), kOwn, "k", "old", Durability::kBuffered);
  EXPECT_THAT(store().drop_family(kOwn), Succeeds());
  reopen();
  EXPECT_THAT(store().application_families(), IsEmpty());
  EXPECT_THAT(store().create_family(kOwn), Succeeds());
  EXPECT_THAT(rows(store(), kOwn), IsEmpty());
  put(store(), kOwn, "k", "new", Durability::kBuffered);
  reopen();
  EXPECT_THAT(rows(store(), kOwn), ElementsAre(Pair("k", "new")));
}

TEST_P(StoreConformance, HasOneOpenStoreAtATime) {
  EXPECT_THAT(home().open(), FailsWith(ErrorCode::kLocked));
  EXPECT_THAT(put(store(), Family::kCatalog, "a", "1"), IsCommitted());
  EXPECT_THAT(store().close(), Succeeds());
  const auto second = must(home().open());
  drop();
  EXPECT_THAT(home().open(), FailsWith(ErrorCode::kLocked));
  EXPECT_THAT(rows(*second, Family::kCatalog), ElementsAre(Pair("a", "1")));
}

}  // namespace
}  // namespace holdfast::testing
