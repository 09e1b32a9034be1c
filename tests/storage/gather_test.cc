// If a store was closed in good order, salvage gathers what the store itself would show. Removed rows stay
// removed, wherever they and their removal lie.
#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/salvage/gather.h"
#include "engine/salvage/manifest.h"
#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "tests/storage/store_steps.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;

const Family kApplications = application_family(0);

std::vector<Family> all_families() {
  std::vector<Family> families;
  for (std::size_t i = 0; i < kFamilyCount; ++i) families.push_back(static_cast<Family>(i));
  families.push_back(kApplications);
  return families;
}

class GatherTest : public ::testing::Test {
 protected:
  GatherTest() { must(open()->create_family(kApplications)); }

  std::unique_ptr<Store> open() { return must(open_rocksdb_store(dir_ / "data")); }

  // Returns the rows of each family, as salvage finds them.
  std::vector<Rows> gather() {
    fs::remove_all(dir_ / "scratch");
    std::vector<Finding> listed;
    std::uint64_t found = 0;
    verify::Findings losses(listed, found);
    const auto reader = must(salvage::gather_rows(dir_ / "data", dir_ / "scratch", losses));
    EXPECT_EQ(found, 0U) << listed.front().where << " " << listed.front().what;
    return rows_of(*reader);
  }
  static std::vector<Rows> rows_of(const Reader& reader) {
    std::vector<Rows> result;
    for (const Family family : all_families()) result.push_back(rest(*reader.scan(family, {}, kTop)));
    return result;
  }

  template <class Change>
  void change_all(Store& store, const Change& change) {
    auto batch = store.new_batch();
    for (const Family family : all_families()) change(*batch, family);
    ASSERT_THAT(store.commit(*batch, Durability::kBuffered), IsCommitted());
  }

  // Puts "a" to "e" into each family. If `settled` is true, the rows are in tables, without sequence numbers.
  void fill(bool settled) {
    const auto store = open();
    change_all(*store, [](Batch& batch, Family family) {
      for (const char* key : {"a", "b", "c", "d", "e"}) batch.put(family, key, "old");
    });
    for (const Family family : all_families()) {
      if (settled) must(store->compact(family, {}, kTop));
    }
    must(store->close());
  }

  // Removes "b" to "d", and puts "c" again.
  void remove_some() {
    const auto store = open();
    change_all(*store, [](Batch& batch, Family family) {
      batch.put(family, "d", "newer");
      batch.remove_range(family, "b", "e");
      batch.put(family, "c", "new");
    });
    must(store->close());
  }

  void reopen() { must(open()->close()); }

  void remove_manifests() {
    for (const auto& file : fs::directory_iterator(dir_ / "data")) {
      if (file.path().filename().string().starts_with("MANIFEST-")) fs::remove(file.path());
    }
  }

  TempDir dir_;
};

const std::vector<Rows> kLeft(all_families().size(), Rows{{"a", "old"}, {"c", "new"}, {"e", "old"}});

// A later version has a family that this one does not know.
TEST_F(GatherTest, WhatLiesInAFamilyOfANewerVersionIsNamedAsLost) {
  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  std::vector<std::string> names;
  ASSERT_TRUE(rocksdb::DB::ListColumnFamilies(options, (dir_ / "data").string(), &names).ok());
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const auto& name : names) descriptors.emplace_back(name, options);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, (dir_ / "data").string(), descriptors, &handles, &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  handles.emplace_back();
  ASSERT_TRUE(db->CreateColumnFamily(options, "of_tomorrow", &handles.back()).ok());
  ASSERT_TRUE(db->Put({}, handles.back(), "a", "in a table").ok());
  ASSERT_TRUE(db->Flush({}, handles.back()).ok());
  ASSERT_TRUE(db->Put({}, handles.back(), "b", "in the log").ok());
  for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
  ASSERT_TRUE(db->Close().ok());
  fs::remove(dir_ / "data" / kMarkName);  // it knows the manifest as it was before
  std::vector<Finding> listed;
  std::uint64_t found = 0;
  verify::Findings losses(listed, found);
  must(salvage::gather_rows(dir_ / "data", dir_ / "scratch", losses));
  EXPECT_THAT(listed,
              Contains(AllOf(Field(&Finding::kind, "file_lost"), Field(&Finding::where, EndsWith(".sst")),
                             Field(&Finding::what, HasSubstr("'of_tomorrow'")))));
  EXPECT_THAT(listed,
              Contains(AllOf(Field(&Finding::kind, "file_lost"), Field(&Finding::where, EndsWith(".log")))));
}

TEST_F(GatherTest, ARangeRemovalInTheLogRemovesWhatIsInTables) {
  fill(false);
  remove_some();
  EXPECT_EQ(gather(), kLeft);
}

TEST_F(GatherTest, ARangeRemovalInTheLogRemovesWhatWasCompacted) {
  fill(true);
  remove_some();
  EXPECT_EQ(gather(), kLeft);
}

TEST_F(GatherTest, ARangeRemovalInATableRemovesWhatWasCompacted) {
  fill(true);
  remove_some();
  reopen();
  EXPECT_EQ(gather(), kLeft);
}

// Without a manifest nothing tells whether a row without a number was written before or after a range
// removal. So the row stays.
TEST_F(GatherTest, WithoutAManifestWhatWasPutAgainStays) {
  fill(true);
  remove_some();
  remove_manifests();
  for (const Rows& rows : gather())
    EXPECT_EQ(rows, (Rows{{"a", "old"}, {"b", "old"}, {"c", "new"}, {"e", "old"}}));
}

// A range removal extends over several tables. A row is put where one of them begins, and is compacted with
// that table, so it has no number any more. The previous table still has the removal, which ends right there.
TEST_F(GatherTest, ARangeRemovalEndsWithItsTable) {
  Random random(7);
  const auto key = [](int i) { return std::to_string(100 + i); };
  const auto commit = [](Store& store, const auto& change) {
    auto batch = store.new_batch();
    change(*batch);
    ASSERT_THAT(store.commit(*batch, Durability::kBuffered), IsCommitted());
  };
  auto store = must(open_rocksdb_store(dir_ / "data", {.write_buffer_bytes = 64 << 10}));
  for (int i = 0; i < 24; ++i)
    commit(*store, [&](Batch& batch) { batch.put(Family::kMessages, key(i), random.bytes(8 << 10)); });
  must(store->compact(Family::kMessages, {}, kTop));
  {
    const auto reader = store->snapshot();  // the removal, and what it removes, are kept for the snapshot
    commit(*store, [&](Batch& batch) { batch.remove_range(Family::kMessages, key(5), key(20)); });
    must(store->compact(Family::kMessages, {}, kTop));
  }
  std::string begin;
  for (const auto& [number, table] : salvage::read_manifest(dir_ / "data").tables) {
    if (table.first > key(5) && table.first < key(20)) begin = table.first;
  }
  ASSERT_FALSE(begin.empty()) << "no table begins within the range";
  commit(*store, [&](Batch& batch) { batch.put(Family::kMessages, begin, "new"); });
  must(store->compact(Family::kMessages, begin, begin));
  const auto shown = rows_of(*store);
  must(store->close());
  store.reset();
  EXPECT_EQ(gather(), shown);
}

class RandomChanges {
 public:
  explicit RandomChanges(std::uint64_t seed) : random_(seed) {}

  void commit(Store& store) {
    auto batch = store.new_batch();
    for (auto n = random_.between(1, 20); n > 0; --n) change(*batch);
    ASSERT_THAT(store.commit(*batch, Durability::kBuffered), IsCommitted());
  }
  void compact(Store& store) {
    const std::string begin = random_.one_in(2) ? std::string() : key();
    must(store.compact(family(), begin, kTop));
  }
  bool one_in(std::uint64_t n) { return random_.one_in(n); }

 private:
  void change(Batch& batch) {
    const Family of = family();
    if (random_.one_in(6)) return batch.remove_range(of, key(), key());
    if (random_.one_in(4)) return batch.remove(of, key());
    batch.put(of, key(), std::to_string(++puts_));
  }
  Family family() {
    const auto families = all_families();
    return families[random_.below(families.size())];
  }
  std::string key() { return std::to_string(random_.between(10, 40)); }

  Random random_;
  std::uint64_t puts_ = 0;
};

TEST_F(GatherTest, OfRandomChangesItIsWhatTheStoreShows) {
  const auto first = environment_number("HOLDFAST_STORE_SEED", 1);
  const auto count = environment_count("HOLDFAST_STORE_SEEDS", 5);
  for (auto seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomChanges changes(seed);
    for (int life = 0; life < 6; ++life) {
      auto store = open();
      for (int step = 0; step < 30; ++step) {
        ASSERT_NO_FATAL_FAILURE(changes.commit(*store));
        if (changes.one_in(10)) changes.compact(*store);
      }
      const auto shown = rows_of(*store);
      must(store->close());
      store.reset();
      ASSERT_EQ(gather(), shown) << "life " << life;
    }
  }
}

}  // namespace
}  // namespace holdfast::testing
