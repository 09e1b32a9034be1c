// Tests what only the RocksDB store has: a directory, and files that others may damage or hold.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/encoding/keys.h"
#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/files/little_endian.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "tests/storage/store_steps.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class RocksdbStoreTest : public ::testing::Test {
 protected:
  fs::path path(std::string_view name = "data") const { return dir_ / name; }
  Result<std::unique_ptr<Store>> open() { return open_rocksdb_store(path()); }

  // Makes ten commits, "0" to "9", of 1 KiB each.
  void write_ten() {
    const auto store = must(open());
    for (int i = 0; i < 10; ++i) put(*store, Family::kCatalog, std::to_string(i), std::string(1024, 'v'));
  }

  // Returns the log that contains the commits.
  fs::path log() const {
    fs::path largest;
    for (const auto& file : fs::directory_iterator(path())) {
      if (file.path().extension() != ".log") continue;
      if (largest.empty() || file.file_size() > fs::file_size(largest)) largest = file.path();
    }
    return largest;
  }

  // Returns the one table into which everything is compacted.
  fs::path compacted_table() {
    must(must(open())->compact(Family::kCatalog, "", "~"));
    fs::path table;
    for (const auto& file : fs::directory_iterator(path())) {
      if (file.path().extension() == ".sst") table = file.path();
    }
    return table;
  }

  void flip_byte(std::uintmax_t offset) const {
    std::fstream file(log(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const auto byte = static_cast<char>(file.get() ^ 0x40);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }

 private:
  TempDir dir_;
};

TEST_F(RocksdbStoreTest, CreatesNestedDirectories) {
  const auto store = must(open_rocksdb_store(path("a") / "b" / "c"));
  EXPECT_THAT(put(*store, Family::kCatalog, "k", "v"), IsCommitted());
  EXPECT_TRUE(fs::exists(path("a") / "b" / "c" / "CURRENT"));
}

TEST_F(RocksdbStoreTest, DoesNotCreateUnlessAsked) {
  EXPECT_THAT(open_rocksdb_store(path(), {.create_if_missing = false}),
              FailsNaming(ErrorCode::kInvalidArgument, path().string()));
  EXPECT_FALSE(fs::exists(path()));
  fs::create_directory(path());
  EXPECT_THAT(open_rocksdb_store(path(), {.create_if_missing = false}),
              FailsNaming(ErrorCode::kInvalidArgument, path().string()));
  EXPECT_TRUE(fs::is_empty(path()));
}

TEST_F(RocksdbStoreTest, RefusesAPathThatIsNotADirectory) {
  EXPECT_THAT(open_rocksdb_store(""), FailsWith(ErrorCode::kInvalidArgument));
  std::ofstream(path()) << "a file";
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kStorageFailed, path().string()));
  EXPECT_THAT(open_rocksdb_store(path() / "below"), FailsWith(ErrorCode::kStorageFailed));
}

TEST_F(RocksdbStoreTest, IsLockedUnderEveryName) {
  const auto store = must(open());
  fs::create_symlink(path(), path("link"));
  for (const auto& name : {path(), path("link"), path() / "", path() / ".." / "data", fs::relative(path())}) {
    EXPECT_THAT(open_rocksdb_store(name), FailsNaming(ErrorCode::kLocked, name.string())) << name;
  }
}

TEST_F(RocksdbStoreTest, IsWhereTheSystemFindsItsPath) {
  fs::create_directories(path("a") / "deep");
  fs::create_directory_symlink(path("a") / "deep", path("link"));
  must(must(open_rocksdb_store(path("link") / ".." / "data"))->close());
  EXPECT_TRUE(fs::exists(path("a") / "data" / "CURRENT"));
  EXPECT_FALSE(fs::exists(path()));
  must(must(open_rocksdb_store(path("new") / ".." / "data"))->close());
  EXPECT_TRUE(fs::exists(path() / "CURRENT"));
}

TEST_F(RocksdbStoreTest, IsLockedByAnotherProcess) {
  must(must(open())->close());
  std::array<int, 2> locked{};
  std::array<int, 2> done{};
  ASSERT_EQ(::pipe(locked.data()), 0);
  ASSERT_EQ(::pipe(done.data()), 0);
  const std::string lock_file = (path() / "LOCK").string();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // The child calls only what is safe after a fork of a process with threads.
    ::close(done[1]);
    const int file = ::open(lock_file.c_str(), O_RDWR);
    struct flock whole_file = {};
    whole_file.l_type = F_WRLCK;
    whole_file.l_whence = SEEK_SET;
    char byte = ::fcntl(file, F_SETLK, &whole_file) == 0 ? '1' : '0';
    const bool told = ::write(locked[1], &byte, 1) == 1;
    ::_exit(told && ::read(done[0], &byte, 1) == 0 ? 0 : 1);
  }
  char byte = 0;
  EXPECT_EQ(::read(locked[0], &byte, 1), 1);
  EXPECT_EQ(byte, '1');
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kLocked, path().string()));
  ::close(done[1]);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int fd : {locked[0], locked[1], done[0]}) ::close(fd);
  EXPECT_THAT(open(), Succeeds());
}

TEST_F(RocksdbStoreTest, DropsAnIncompleteLastRecord) {
  write_ten();
  fs::resize_file(log(), fs::file_size(log()) - 500);
  fs::remove(path() / kMarkName);  // the mark would tell that the record was fsynced
  const auto store = must(open());
  EXPECT_EQ(rows(*store, Family::kCatalog).size(), 9U);
  EXPECT_EQ(get(*store, Family::kCatalog, "9"), std::nullopt);
  EXPECT_THAT(put(*store, Family::kCatalog, "9", "v"), IsCommitted());
}

TEST_F(RocksdbStoreTest, RefusesDamageBeforeTheLastRecord) {
  write_ten();
  flip_byte(fs::file_size(log()) / 2);
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kCorruption, path().string()));
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kCorruption, log().filename().string()));
}

// A whole record with a wrong checksum was written and then damaged: it may have been acknowledged.
TEST_F(RocksdbStoreTest, RefusesDamageInAWholeLastRecord) {
  write_ten();
  flip_byte(fs::file_size(log()) - 500);
  EXPECT_THAT(open(), FailsWith(ErrorCode::kCorruption));
}

TEST_F(RocksdbStoreTest, DoesNotStartAnewOverWhatIsLeft) {
  write_ten();
  fs::remove(path() / "CURRENT");
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kCorruption, "CURRENT"));
}

TEST_F(RocksdbStoreTest, NamesTheFileThatNamesNone) {
  write_ten();
  std::ofstream(path() / "CURRENT") << "MANIFEST-999999\n";
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kCorruption, "CURRENT"));
}

// RocksDB 7.8 can read what is written here, whatever RocksDB writes by default.
TEST_F(RocksdbStoreTest, WritesTablesOfFormat5) {
  write_ten();
  const std::string table = read_bytes(compacted_table());
  // A table ends with the version of its format and a number that says that it is one.
  constexpr std::size_t kVersionFromEnd = 12;
  ASSERT_GT(table.size(), kVersionFromEnd);
  EXPECT_EQ(load_little<std::uint32_t>(table, table.size() - kVersionFromEnd), 5U);
}

// Each byte behind the data is damaged: either the directory opens, or the error names the table.
TEST_F(RocksdbStoreTest, NamesATableWhoseEndIsDamaged) {
  write_ten();
  const fs::path table = compacted_table();
  const std::string sound = read_bytes(table);
  std::size_t refused = 0;
  for (std::size_t at = sound.find("rocksdb."); at < sound.size(); at += 3) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::ofstream(table, std::ios::binary) << damaged;
    const auto store = open();
    if (store) continue;
    ++refused;
    EXPECT_THAT(store, FailsNaming(ErrorCode::kCorruption, table.filename().string())) << "byte " << at;
  }
  EXPECT_GT(refused, 0U);
}

TEST_F(RocksdbStoreTest, RefusesFamiliesOfANewerVersion) {
  write_ten();
  const rocksdb::Options options;
  std::vector<std::string> names;
  ASSERT_TRUE(rocksdb::DB::ListColumnFamilies(options, path().string(), &names).ok());
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.reserve(names.size() + 1);
  for (const auto& name : names) descriptors.emplace_back(name, options);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, path().string(), descriptors, &handles, &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  handles.emplace_back();
  ASSERT_TRUE(db->CreateColumnFamily(options, "of_tomorrow", &handles.back()).ok());
  for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
  ASSERT_TRUE(db->Close().ok());
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kFormatTooNew, "of_tomorrow"));
}

// The directory is as a crash during the very first open leaves it.
TEST_F(RocksdbStoreTest, CompletesAStoreWithoutAllFamilies) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, path().string(), &db).ok());
  delete db;
  EXPECT_THAT(open_rocksdb_store(path(), {.create_if_missing = false}),
              FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(put(*must(open()), Family::kCatalog, "k", "v"), IsCommitted());
  EXPECT_EQ(get(*must(open()), Family::kCatalog, "k"), "v");
}

// The memtable of this family looks for the place of a row beside the last similar row.
TEST_F(RocksdbStoreTest, KeepsTheIndexOfDeadLettersInOrder) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto store = must(open_rocksdb_store(path(std::to_string(seed))));
    std::map<std::string, std::string> model;
    const auto random_key = [&]() -> std::string {
      const QueueId queue{random.between(1, 2)};
      const Seq seq{random.below(50)};
      const std::string value = random.bytes(random.below(3));
      if (random.one_in(4)) return keys::count(queue, IndexKind::kCode, value);
      if (random.one_in(3)) {
        MessageId id;
        id.bytes[1] = static_cast<std::uint8_t>(random.below(40));
        return keys::id_row(queue, id, seq);
      }
      return keys::posting(queue, IndexKind::kCode, value,
                           {random.one_in(2), Timestamp(Duration(random.below(9))), seq});
    };
    for (int commit = 0; commit < 30; ++commit) {
      auto batch = store->new_batch();
      for (std::uint64_t rows = random.below(40); rows > 0; --rows) {
        const std::string key = random_key();
        if (random.one_in(3)) {
          batch->remove(Family::kDeadLetterIndex, key);
          model.erase(key);
        } else {
          model[key] = std::to_string(commit);
          batch->put(Family::kDeadLetterIndex, key, model[key]);
        }
      }
      if (random.one_in(4)) {
        const std::string begin = keys::queue_begin(QueueId{random.between(1, 2)});
        const std::string end = keys::queue_end(*keys::parse_queue(begin));
        batch->remove_range(Family::kDeadLetterIndex, begin, end);
        model.erase(model.lower_bound(begin), model.lower_bound(end));
      }
      ASSERT_THAT(store->commit(*batch, Durability::kBuffered), IsCommitted());
      if (random.one_in(10)) {
        store.reset();
        store = must(open_rocksdb_store(path(std::to_string(seed))));
      }
      ASSERT_EQ(rows(*store, Family::kDeadLetterIndex), Rows(model.begin(), model.end()));
    }
  }
}

TEST_F(RocksdbStoreTest, HasTheFamiliesOfTheDiskFormat) {
  must(must(open())->close());
  std::vector<std::string> names;
  ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, path().string(), &names).ok());
  EXPECT_THAT(names, ElementsAre("default", "catalog", "messages", "deliveries", "scheduled", "dead_letters",
                                 "dead_letter_history", "dead_letter_index", "dead_letter_ids", "dedup",
                                 "redrive_tasks", "journal"));
}

TEST_F(RocksdbStoreTest, LetsTheBallastGoForGoodIfNoneIsWantedAnyMore) {
  const auto open_with = [&](std::uint64_t ballast) {
    return must(open_rocksdb_store(path(), {.ballast_bytes = ballast}));
  };
  const fs::path ballast = path() / "ballast";
  {
    const auto store = open_with(1 << 20);
    EXPECT_THAT(store->free_space(), Succeeds());
    must(store->close());
  }
  if (!fs::exists(ballast)) GTEST_SKIP() << "this file system sets no blocks aside";
  must(must(open_rocksdb_store(path(), {.read_only = true}))->close());
  EXPECT_TRUE(fs::exists(ballast));
  must(open_with(0)->close());
  EXPECT_FALSE(fs::exists(ballast));
}

// On a device that is short of space a compaction would stop the store before anybody could free some.
// Closing waits for compactions that were due, so the tables that are there afterwards tell whether there
// were any.
TEST_F(RocksdbStoreTest, CompactsAfterAnOpeningThatWasShortOfSpaceOnlyOnceThereIsRoom) {
  constexpr std::uint64_t kMoreThanAnyDeviceHas = std::uint64_t{1} << 50;
  constexpr std::ptrdiff_t kOpenings = 8;  // twice as many tables as RocksDB compacts
  const auto open_short_of_space = [&] {
    return must(open_rocksdb_store(path(), {.ballast_bytes = kMoreThanAnyDeviceHas}));
  };
  const auto tables = [&] {
    return std::ranges::count_if(fs::directory_iterator(path()), [](const fs::directory_entry& file) {
      return file.path().extension() == ".sst";
    });
  };
  must(must(open())->close());
  for (std::ptrdiff_t i = 0; i < kOpenings; ++i) {
    const auto store = open_short_of_space();  // makes a table of what is in the log
    EXPECT_EQ(tables(), i);
    put(*store, Family::kCatalog, "key", std::to_string(i));
    must(store->close());
  }
  const auto store = open_short_of_space();
  EXPECT_EQ(tables(), kOpenings);
  EXPECT_THAT(store->free_space(), Succeeds());  // there is room enough for these small tables
  EXPECT_THAT(put(*store, Family::kCatalog, "key", "last"), IsCommitted());
  must(store->close());
  EXPECT_LT(tables(), kOpenings);
}

}  // namespace
}  // namespace holdfast::testing
