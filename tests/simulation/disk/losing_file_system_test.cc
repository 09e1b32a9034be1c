// The file system that loses what a power loss may lose: what is synced stays, and anything else may go.
#include "tests/simulation/disk/losing_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/support/temp_dir.h"

namespace holdfast::simulation {
namespace {

namespace fs = std::filesystem;
using rocksdb::FSWritableFile;
using rocksdb::IOStatus;
using ::testing::UnorderedElementsAre;

// After so many power losses, everything has happened that a power loss may do.
constexpr int kRounds = 200;

class LosingFileSystemTest : public ::testing::Test {
 protected:
  LosingFileSystemTest() { fs::create_directory(directory_); }

  std::string path(const std::string& name) const { return directory_ / name; }

  std::unique_ptr<FSWritableFile> create(const std::string& name) {
    std::unique_ptr<FSWritableFile> file;
    EXPECT_TRUE(disk_.NewWritableFile(path(name), {}, &file, nullptr).ok());
    return file;
  }
  static void append(FSWritableFile& file, const std::string& bytes) {
    EXPECT_TRUE(file.Append(bytes, {}, nullptr).ok());
  }
  static void sync(FSWritableFile& file) { EXPECT_TRUE(file.Sync({}, nullptr).ok()); }
  void sync_directory() {
    std::unique_ptr<rocksdb::FSDirectory> opened;
    ASSERT_TRUE(disk_.NewDirectory(directory_, {}, &opened, nullptr).ok());
    EXPECT_TRUE(opened->Fsync({}, nullptr).ok());
  }
  // Writes a file, and syncs it and its directory.
  void write(const std::string& name, const std::string& bytes) {
    const auto file = create(name);
    append(*file, bytes);
    sync(*file);
    sync_directory();
  }
  void rename(const std::string& from, const std::string& to) {
    EXPECT_TRUE(disk_.RenameFile(path(from), path(to), {}, nullptr).ok());
  }
  void remove(const std::string& name) { EXPECT_TRUE(disk_.DeleteFile(path(name), {}, nullptr).ok()); }
  // Returns nothing if there is no such file.
  std::optional<std::string> read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void lose() { disk_.lose(random_); }

  testing::TempDir temp_;
  const fs::path directory_ = temp_ / "data";
  LosingFileSystem disk_;
  testing::Random random_{1};
};

TEST_F(LosingFileSystemTest, WhatIsSyncedStays) {
  for (int round = 0; round < kRounds; ++round) {
    write("file", "synced");
    lose();
    ASSERT_EQ(read("file"), "synced");
  }
  EXPECT_EQ(disk_.losses(), LosingFileSystem::Losses{});
}

TEST_F(LosingFileSystemTest, OfWhatIsNotSyncedAnyBeginningIsThereAndTheRestIsCutOffOrZeros) {
  std::set<std::string> seen;
  for (int round = 0; round < kRounds; ++round) {
    const auto file = create("file");
    append(*file, "synced");
    sync(*file);
    sync_directory();
    append(*file, "ab");
    lose();
    seen.insert(read("file").value());
  }
  using namespace std::string_literals;
  EXPECT_THAT(seen, UnorderedElementsAre("synced", "synceda", "syncedab", "synced\0\0"s, "synceda\0"s));
  const LosingFileSystem::Losses losses = disk_.losses();
  EXPECT_GT(losses.bytes, losses.torn_writes);
  EXPECT_GT(losses.torn_writes, 0);
  EXPECT_GT(losses.zeros, 0);
  EXPECT_EQ(losses.files, 0);
}

TEST_F(LosingFileSystemTest, AFileWhoseDirectoryWasNotSyncedMayBeGone) {
  std::uint64_t gone = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto file = create("file");
    append(*file, "synced");
    sync(*file);
    lose();
    const auto there = read("file");
    gone += there ? 0 : 1;
    if (there) {
      EXPECT_EQ(there, "synced");
    }
  }
  EXPECT_GT(gone, 0);
  EXPECT_LT(gone, kRounds);
  EXPECT_EQ(disk_.losses().files, gone);
}

TEST_F(LosingFileSystemTest, ARenameMayBeUndone) {
  std::uint64_t undone = 0;
  for (int round = 0; round < kRounds; ++round) {
    write("to", "old");
    write("from", "new");
    rename("from", "to");
    lose();
    const bool kept = read("to") == "new";
    undone += kept ? 0 : 1;
    EXPECT_EQ(read("to"), kept ? "new" : "old");
    EXPECT_EQ(read("from"), kept ? std::nullopt : std::optional<std::string>("new"));
  }
  EXPECT_GT(undone, 0);
  EXPECT_LT(undone, kRounds);
  EXPECT_EQ(disk_.losses().renames, undone);
}

TEST_F(LosingFileSystemTest, OfTwoRenamesTheLaterOneIsUndoneFirst) {
  std::set<std::pair<bool, bool>> kept;
  for (int round = 0; round < kRounds; ++round) {
    for (const char* name : {"first", "second"}) write(name, name);
    rename("first", "1");
    rename("second", "2");
    lose();
    kept.emplace(read("1").has_value(), read("2").has_value());
    fs::remove(path("1"));
    fs::remove(path("2"));
  }
  EXPECT_THAT(kept,
              UnorderedElementsAre(std::pair(false, false), std::pair(true, false), std::pair(true, true)));
}

TEST_F(LosingFileSystemTest, ADeletionMayBeUndone) {
  std::uint64_t undone = 0;
  for (int round = 0; round < kRounds; ++round) {
    write("file", "kept");
    remove("file");
    EXPECT_EQ(read("file"), std::nullopt);
    lose();
    const auto there = read("file");
    undone += there ? 1 : 0;
    if (there) {
      EXPECT_EQ(there, "kept");
    }
  }
  EXPECT_GT(undone, 0);
  EXPECT_LT(undone, kRounds);
  EXPECT_EQ(disk_.losses().deletions, undone);
}

TEST_F(LosingFileSystemTest, RenamesAndDeletionsWhoseDirectoryIsSyncedStay) {
  for (int round = 0; round < kRounds; ++round) {
    write("from", "new");
    write("gone", "old");
    rename("from", "to");
    remove("gone");
    sync_directory();
    lose();
    ASSERT_EQ(read("to"), "new");
    ASSERT_EQ(read("from"), std::nullopt);
    ASSERT_EQ(read("gone"), std::nullopt);
  }
  EXPECT_EQ(disk_.losses(), LosingFileSystem::Losses{});
}

// Linux takes the pages of a failed fsync for written, so the next fsync does not write them.
TEST_F(LosingFileSystemTest, ASyncAfterAFailedOneIsOnlyOfWhatCameLater) {
  std::set<std::string> seen;
  for (int round = 0; round < kRounds; ++round) {
    const auto file = create("file");
    append(*file, "a");
    sync(*file);
    sync_directory();
    append(*file, "b");
    disk_.syncs().fail_only(1, IOStatus::IOError("injected"));
    EXPECT_FALSE(file->Sync({}, nullptr).ok());
    append(*file, "c");
    sync(*file);
    EXPECT_EQ(read("file"), "abc") << "the page cache has it until then";
    lose();
    seen.insert(read("file").value());
  }
  using namespace std::string_literals;
  EXPECT_THAT(seen, UnorderedElementsAre("abc", "a\0c"s));
  EXPECT_GT(disk_.losses().given_up, 0);
  EXPECT_EQ(disk_.losses().bytes, 0);
}

TEST_F(LosingFileSystemTest, AFailedSyncAloneKeepsNothing) {
  std::set<std::string> seen;
  for (int round = 0; round < kRounds; ++round) {
    const auto file = create("file");
    sync_directory();
    append(*file, "b");
    disk_.syncs().fail_only(1, IOStatus::IOError("injected"));
    EXPECT_FALSE(file->Sync({}, nullptr).ok());
    lose();
    seen.insert(read("file").value());
  }
  using namespace std::string_literals;
  EXPECT_THAT(seen, UnorderedElementsAre("", "b", "\0"s));
}

TEST_F(LosingFileSystemTest, ADeadProcessWritesNothing) {
  write("file", "old");
  const auto file = create("open");
  disk_.freeze();
  std::unique_ptr<FSWritableFile> created;
  EXPECT_FALSE(file->Append("x", {}, nullptr).ok());
  EXPECT_FALSE(file->Sync({}, nullptr).ok());
  EXPECT_FALSE(disk_.NewWritableFile(path("new"), {}, &created, nullptr).ok());
  EXPECT_FALSE(disk_.RenameFile(path("file"), path("to"), {}, nullptr).ok());
  EXPECT_FALSE(disk_.DeleteFile(path("file"), {}, nullptr).ok());
  disk_.thaw();
  EXPECT_EQ(read("file"), "old");
  EXPECT_EQ(read("open"), "");
  append(*file, "x");
  EXPECT_EQ(read("open"), "x");
}

}  // namespace
}  // namespace holdfast::simulation
