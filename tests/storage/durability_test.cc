// Opens directories whose log, manifest or mark is not what it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_durability.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "tests/storage/store_steps.h"
#include "tests/support/copy_directory.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr auto kCatalog = Family::kCatalog;
constexpr auto kMessages = Family::kMessages;

class DurableMarkTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Store>> open(const std::string& name, bool read_only = false) {
    return open_rocksdb_store(temp_ / name, {.write_buffer_bytes = 4 << 20, .read_only = read_only});
  }
  // Copies a directory as a kill leaves it: everything that was written is there, whether it was synced or
  // not.
  void kill(const std::string& from, const std::string& to) {
    copy_directory(temp_ / from, temp_ / to);
    fs::remove(temp_ / to / "LOCK");
  }
  fs::path log(const std::string& name) { return logs_in(temp_ / name).back(); }
  void zero(const fs::path& file, std::uint64_t begin, std::uint64_t bytes) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(begin));
    const std::string zeros(bytes, '\0');
    out.write(zeros.data(), static_cast<std::streamsize>(bytes));
  }
  void flip_a_bit(const fs::path& file, std::uint64_t at, int bit) {
    std::fstream both(file, std::ios::in | std::ios::out | std::ios::binary);
    both.seekg(static_cast<std::streamoff>(at));
    const char flipped = static_cast<char>(both.get() ^ (1 << bit));
    both.seekp(static_cast<std::streamoff>(at));
    both.put(flipped);
  }
  void expect_refused(const std::string& name, const std::string& text) {
    EXPECT_THAT(open(name, true), FailsNaming(ErrorCode::kCorruption, text));
    EXPECT_THAT(open(name), FailsNaming(ErrorCode::kCorruption, text));
    EXPECT_THAT(open(name), FailsNaming(ErrorCode::kCorruption, text)) << "the second time";
  }

  TempDir temp_;
};

constexpr std::size_t kRow = 20'000;  // several pages of the log

TEST_F(DurableMarkTest, SaysWhatWasFsyncedAndNoMore) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  const std::uint64_t synced = last_logged(temp_ / "data");
  EXPECT_EQ(read_mark(temp_ / "data")->sequence, synced);
  EXPECT_THAT(put(*store, kCatalog, "b", "2", Durability::kBuffered), IsCommitted());
  EXPECT_EQ(read_mark(temp_ / "data")->sequence, synced);
  EXPECT_EQ(last_logged(temp_ / "data"), synced + 1);
  must(store->close());
  EXPECT_EQ(read_mark(temp_ / "data")->sequence, synced + 1) << "closing syncs";
}

TEST_F(DurableMarkTest, IsForItsOwnerAlone) {
  must(must(open("data"))->close());
  struct stat status {};
  ASSERT_EQ(::stat((temp_ / "data" / kMarkName).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);
}

// The log is cut to various lengths. The writes that were fsynced are there, or opening says how many are
// not.
TEST_F(DurableMarkTest, ALogThatEndsEarlyIsNamed) {
  auto store = must(open("data"));
  for (const char* key : {"a", "b", "c"}) EXPECT_THAT(put(*store, kCatalog, key, "1"), IsCommitted());
  const std::uint64_t size = fs::file_size(log("data"));
  kill("data", "emptied");
  kill("data", "deleted");
  kill("data", "cut");
  kill("data", "cut by a byte");
  kill("data", "whole");
  fs::resize_file(log("emptied"), 0);
  fs::remove(log("deleted"));
  fs::resize_file(log("cut"), size / 2);
  fs::resize_file(log("cut by a byte"), size - 1);
  expect_refused("emptied", "3 writes are missing");
  expect_refused("deleted", "no log is there");
  expect_refused("cut", "writes are missing");
  expect_refused("cut by a byte", "1 write is missing");
  EXPECT_THAT(rows(*must(open("whole")), kCatalog), SizeIs(3));
}

// A compaction comes after the last write, so the manifest knows its number.
TEST_F(DurableMarkTest, ALogThatEndsEarlyIsNamedThoughTheManifestIsYounger) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kMessages, "m", "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  for (const char* key : {"a", "b", "c"}) EXPECT_THAT(put(*store, kCatalog, key, "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  kill("data", "cut by a byte");
  kill("data", "whole");
  fs::resize_file(log("cut by a byte"), fs::file_size(log("cut by a byte")) - 1);
  expect_refused("cut by a byte", "1 write is missing");
  EXPECT_THAT(rows(*must(open("whole")), kCatalog), SizeIs(3));
}

// Recovery takes a record that seems to end behind the file for the torn end of the log.
TEST_F(DurableMarkTest, ALengthThatIsTooLargeIsNamedThoughCommitsFollow) {
  auto store = must(open("data"));
  std::vector<std::uint64_t> begins;
  for (const char* key : {"a", "b", "c", "d"}) {
    begins.push_back(fs::file_size(log("data")));
    EXPECT_THAT(put(*store, kCatalog, key, "1"), IsCommitted());
  }
  must(store->create_family(kFirstApplicationFamily));
  kill("data", "flipped");
  flip_a_bit(logs_in(temp_ / "flipped").front(), begins[1] + 5, 4);
  expect_refused("flipped", "3 writes are missing");
}

// Recovery goes on with the next log, and has no number that tells that writes are missing.
TEST_F(DurableMarkTest, ALengthThatIsTooLargeIsNamedAlsoWhereTheFirstOfSeveralLogsBegins) {
  auto store = must(open("data"));
  for (const char* key : {"a", "b", "c"}) EXPECT_THAT(put(*store, kCatalog, key, "1"), IsCommitted());
  EXPECT_THAT(put(*store, kMessages, "m", "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  EXPECT_THAT(put(*store, kMessages, "n", "1"), IsCommitted());
  ASSERT_GE(logs_in(temp_ / "data").size(), 2U);
  kill("data", "flipped");
  flip_a_bit(logs_in(temp_ / "flipped").front(), 5, 4);
  expect_refused("flipped", "is damaged where it begins");
}

// RocksDB silently skips a block that begins with zeros.
TEST_F(DurableMarkTest, ZerosAreNamedAlsoWhereTheFirstOfSeveralLogsBegins) {
  auto store = must(open("data"));
  for (const char* key : {"a", "b", "c"}) EXPECT_THAT(put(*store, kCatalog, key, "1"), IsCommitted());
  EXPECT_THAT(put(*store, kMessages, "m", "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  EXPECT_THAT(put(*store, kMessages, "n", "1"), IsCommitted());
  ASSERT_THAT(logs_in(temp_ / "data"), SizeIs(2));
  for (const char* name : {"zeroed", "one byte", "whole"}) kill("data", name);
  const fs::path first = logs_in(temp_ / "zeroed").front();
  zero(first, 0, fs::file_size(first));
  zero(logs_in(temp_ / "one byte").front(), 0, 7);
  expect_refused("zeroed", "write number 1 is missing");
  expect_refused("one byte", "damaged where it begins");
  EXPECT_THAT(rows(*must(open("whole")), kCatalog), SizeIs(3));
}

// A flush comes after the last write, so the manifest knows its number. It is a flush of another family, so
// the write is only in the log.
TEST_F(DurableMarkTest, ALastLogThatIsEmptyIsNamedThoughTheManifestIsYounger) {
  auto store = must(open("data"));
  for (const char* key : {"a", "b", "c"}) EXPECT_THAT(put(*store, kCatalog, key, "1"), IsCommitted());
  EXPECT_THAT(put(*store, kMessages, "m", "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  for (const char* name : {"deleted", "emptied", "zeroed", "whole"}) kill("data", name);
  const auto written = [this](const std::string& name) { return logs_in(temp_ / name).front(); };
  fs::remove(written("deleted"));
  fs::resize_file(written("emptied"), 0);
  zero(written("zeroed"), 0, fs::file_size(written("zeroed")));
  for (const char* name : {"deleted", "emptied", "zeroed"}) expect_refused(name, "log");
  EXPECT_THAT(rows(*must(open("whole")), kCatalog), SizeIs(3));
}

// If there are more logs than the mark has room for, it knows the first ones and the last one.
TEST_F(DurableMarkTest, KnowsWhereTheFirstAndTheLastOfManyLogsBegin) {
  constexpr std::size_t kLogs = 40;
  auto store = must(open("data"));
  const auto begin_logs = [&] {
    for (std::size_t i = 0; i < kLogs; ++i) {
      EXPECT_THAT(put(*store, kCatalog, "a" + std::to_string(i), "1"), IsCommitted());
      EXPECT_THAT(put(*store, kMessages, "m" + std::to_string(i), "1"), IsCommitted());
      must(store->compact(kMessages, "", kTop));
    }
    EXPECT_THAT(put(*store, kCatalog, "last", "1"), IsCommitted());
  };
  begin_logs();
  ASSERT_THAT(logs_in(temp_ / "data"), SizeIs(kLogs + 1));
  const auto known = read_mark(temp_ / "data")->logs;
  EXPECT_LT(known.size(), kLogs);
  EXPECT_EQ(known.front(), (LogBegin{file_number(logs_in(temp_ / "data").front()), 1}));
  EXPECT_EQ(known.back(), (LogBegin{file_number(log("data")), 2 * kLogs + 1}));
  for (const char* name : {"first", "last", "whole"}) kill("data", name);
  zero(logs_in(temp_ / "first").front(), 0, 30);
  fs::resize_file(log("last"), 0);
  expect_refused("first", "log");
  expect_refused("last", "1 write is missing");
  EXPECT_THAT(rows(*must(open("whole")), kCatalog), SizeIs(kLogs + 1));

  must(store->compact(kCatalog, "", kTop));
  begin_logs();
  kill("data", "flushed");
  EXPECT_GT(read_mark(temp_ / "flushed")->logs.front().first, 2 * kLogs + 1)
      << "what is needed no more is forgotten";
  EXPECT_THAT(rows(*must(open("flushed")), kCatalog), SizeIs(kLogs + 1));
}

// The mark is as an older version, which knew less, wrote it.
// A backup has copies of logs under their own names, and removes those of backups that are not kept.
TEST_F(DurableMarkTest, BackupsChangeNothingOfWhatItKnowsOfTheLogs) {
  auto store = must(open("data"));
  const auto back_up = [&] {
    const std::atomic<bool> never = false;
    must(store->backup(temp_ / "backups", {.keep = 1}, 0, never));
  };
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  const auto known = read_mark(temp_ / "data")->logs;
  ASSERT_THAT(known, SizeIs(1));
  back_up();
  EXPECT_THAT(put(*store, kCatalog, "b", "1"), IsCommitted());
  EXPECT_EQ(read_mark(temp_ / "data")->logs, known);
  back_up();
  back_up();
  EXPECT_THAT(put(*store, kCatalog, "c", "1"), IsCommitted());
  EXPECT_EQ(read_mark(temp_ / "data")->logs, known);
}

TEST_F(DurableMarkTest, AMarkWithoutLogsIsRead) {
  auto store = must(open("data"));
  for (const char* key : {"a", "b", "c"}) EXPECT_THAT(put(*store, kCatalog, key, "1"), IsCommitted());
  kill("data", "whole");
  ASSERT_THAT(read_mark(temp_ / "whole")->logs, SizeIs(1));
  zero(temp_ / "whole" / kMarkName, 36, 4096 - 36);
  EXPECT_EQ(read_mark(temp_ / "whole")->sequence, read_mark(temp_ / "data")->sequence);
  EXPECT_THAT(read_mark(temp_ / "whole")->logs, SizeIs(0));
  kill("whole", "emptied");
  fs::resize_file(log("emptied"), 0);
  expect_refused("emptied", "3 writes are missing");
  EXPECT_THAT(rows(*must(open("whole")), kCatalog), SizeIs(3));
}

// Nothing was fsynced into this log. After a power loss, some of its pages are there, but not the first one.
// What is left of buffered writes is a beginning, and not a part from the middle.
TEST_F(DurableMarkTest, WhatFollowsThePageThatAPowerLossTookFromTheBeginningOfALogIsDropped) {
  std::uint64_t head = 0;  // what a row takes in the log beside its value
  {
    auto store = must(open("measured"));
    EXPECT_THAT(put(*store, kCatalog, "b", std::string(kRow, 'b')), IsCommitted());
    head = fs::file_size(log("measured")) - kRow;
  }
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  must(store->compact(kCatalog, "", kTop));
  const std::string block(kLogBlock - head, 'b');
  EXPECT_THAT(put(*store, kCatalog, "b", block, Durability::kBuffered), IsCommitted());
  ASSERT_EQ(fs::file_size(log("data")), kLogBlock);
  EXPECT_THAT(put(*store, kCatalog, "c", "1", Durability::kBuffered), IsCommitted());
  for (const char* name : {"lost", "whole"}) kill("data", name);
  zero(log("lost"), 0, 4096);
  EXPECT_THAT(rows(*must(open("lost")), kCatalog), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(rows(*must(open("whole")), kCatalog), SizeIs(3));
}

TEST_F(DurableMarkTest, ALogThatEndsEarlyAfterCloseIsNamedAlsoOfWhatWasBuffered) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", "1", Durability::kBuffered), IsCommitted());
  must(store->close());
  store.reset();
  fs::resize_file(log("data"), 0);
  expect_refused("data", "1 write is missing");
}

// The missing log is closed, and needed because it has rows of another family that are in no table. The later
// log is whole.
TEST_F(DurableMarkTest, AnEarlierLogThatIsMissingIsNamed) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  EXPECT_THAT(put(*store, kMessages, "m", "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  EXPECT_THAT(put(*store, kCatalog, "b", "1"), IsCommitted());
  ASSERT_THAT(logs_in(temp_ / "data"), SizeIs(2));
  kill("data", "deleted");
  kill("data", "emptied");
  fs::remove(logs_in(temp_ / "deleted").front());
  fs::resize_file(logs_in(temp_ / "emptied").front(), 0);
  expect_refused("deleted", "log");
  expect_refused("emptied", "log");
}

TEST_F(DurableMarkTest, AManifestThatIsShorterOrOlderIsNamed) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kMessages, "m", "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  kill("data", "cut");
  for (const auto& entry : fs::directory_iterator(temp_ / "cut")) {
    if (entry.path().filename().string().starts_with("MANIFEST"))
      fs::resize_file(entry.path(), entry.file_size() - 1);
  }
  expect_refused("cut", "MANIFEST");
}

// If a record would begin with zeros, RocksDB takes the rest of the block for space that was set aside.
TEST_F(DurableMarkTest, AManifestWithAPartInZerosIsNamed) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kMessages, "m", "1"), IsCommitted());
  must(store->compact(kMessages, "", kTop));
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  const std::uint64_t synced = read_mark(temp_ / "data")->manifest_bytes;
  for (std::uint64_t at = 0; at + 16 < synced; at += 11) {
    SCOPED_TRACE("from byte " + std::to_string(at));
    kill("data", "zeroed");
    zero(current_manifest(temp_ / "zeroed"), at, 16);
    EXPECT_THAT(open("zeroed"), FailsWith(ErrorCode::kCorruption));
    fs::remove_all(temp_ / "zeroed");
  }
}

// Of a change to the manifest that was not synced, half of a page is there, and then zeros.
TEST_F(DurableMarkTest, WhatAPowerLossLeftOfAnUnsyncedChangeToTheManifestIsPassedOverAndCut) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  for (const char* name : {"unsynced", "synced"}) {
    kill("data", name);
    for (const auto& entry : fs::directory_iterator(temp_ / name)) {
      if (!entry.path().filename().string().starts_with("MANIFEST")) continue;
      const std::uint64_t size = entry.file_size();
      std::ofstream(entry.path(), std::ios::binary | std::ios::app)
          << "1234" << '\0' << '\4' << '\1' << "half";
      fs::resize_file(entry.path(), size + 2000);
      if (name == std::string("synced")) zero(entry.path(), size - 20, 20);
    }
  }
  const fs::path manifest = current_manifest(temp_ / "unsynced");
  const std::uint64_t with_the_rest = fs::file_size(manifest);
  EXPECT_THAT(rows(*must(open("unsynced", true)), kCatalog), SizeIs(1));
  EXPECT_EQ(fs::file_size(manifest), with_the_rest) << "opened only to be read";
  EXPECT_THAT(rows(*must(open("unsynced")), kCatalog), SizeIs(1));
  EXPECT_FALSE(fs::exists(manifest) && fs::file_size(manifest) >= with_the_rest);
  expect_refused("synced", "MANIFEST");
}

TEST_F(DurableMarkTest, WithoutOrWithABrokenMarkADirectoryOpensAndGetsOne) {
  {
    auto store = must(open("data"));
    EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
    must(store->close());
  }
  const fs::path mark = temp_ / "data" / kMarkName;
  for (const std::uint64_t size : {UINT64_MAX, std::uint64_t{0}, std::uint64_t{20}, std::uint64_t{4096}}) {
    size == UINT64_MAX ? static_cast<void>(fs::remove(mark)) : fs::resize_file(mark, size);
    if (size == 4096) zero(mark, 8, 4);
    const std::uint64_t last = last_logged(temp_ / "data");
    EXPECT_EQ(read_mark(temp_ / "data"), std::nullopt);
    auto store = must(open("data"));
    EXPECT_THAT(rows(*store, kCatalog), ElementsAre(Pair("a", "1")));
    EXPECT_GE(read_mark(temp_ / "data")->sequence, last) << size;
    EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
    must(store->close());
  }
}

// The mark's name makes it the first file of a copy in the order of names.
TEST_F(DurableMarkTest, ACopyOfAnOpenDirectoryInTheOrderOfNamesOpens) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", "1"), IsCommitted());
  fs::create_directory(temp_ / "copy");
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(temp_ / "data")) files.insert(entry.path());
  EXPECT_EQ(files.begin()->filename(), kMarkName);
  for (const fs::path& file : files) {
    if (file.filename() != "LOCK") fs::copy(file, temp_ / "copy");
    EXPECT_THAT(put(*store, kCatalog, file.filename().string(), "1"), IsCommitted());
  }
  EXPECT_GE(rows(*must(open("copy")), kCatalog).size(), 1U);
}

TEST_F(DurableMarkTest, IsNotTakenForAnEmptyDirectory) {
  must(must(open("data"))->close());
  for (const auto& entry : fs::directory_iterator(temp_ / "data")) {
    if (entry.path().filename() != kMarkName) fs::remove(entry.path());
  }
  EXPECT_THAT(open("data"), FailsWith(ErrorCode::kCorruption));
}

// Some of the pages that were not synced survive a power loss, whatever came before them.
TEST_F(DurableMarkTest, WhatAPowerLossLeftOfUnsyncedPagesIsDropped) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", std::string(kRow, 'a')), IsCommitted());
  const std::uint64_t synced = fs::file_size(log("data"));
  EXPECT_THAT(put(*store, kCatalog, "b", std::string(kRow, 'b'), Durability::kBuffered), IsCommitted());
  EXPECT_THAT(put(*store, kCatalog, "c", std::string(kRow, 'c'), Durability::kBuffered), IsCommitted());
  const std::uint64_t page = (synced / 4096 + 1) * 4096;
  for (const char* name : {"unsynced", "synced", "without a mark", "flipped"}) kill("data", name);
  zero(log("unsynced"), page, 4096);
  zero(log("synced"), 4096, 4096);
  zero(log("without a mark"), page, 4096);
  fs::remove(temp_ / "without a mark" / kMarkName);
  zero(log("flipped"), page, 1);

  EXPECT_THAT(rows(*must(open("unsynced", true)), kCatalog), SizeIs(1));
  auto opened = must(open("unsynced"));
  EXPECT_THAT(rows(*opened, kCatalog), SizeIs(1));
  EXPECT_THAT(put(*opened, kCatalog, "d", "1"), IsCommitted());
  must(opened->close());
  opened.reset();
  EXPECT_THAT(rows(*must(open("unsynced")), kCatalog), SizeIs(2));
  expect_refused("synced", "log");
  expect_refused("without a mark", "log");
  expect_refused("flipped", "log");  // no power loss flips a single bit
}

// The page in which the synced part ends may be as it was when it was synced, while the next page is there.
TEST_F(DurableMarkTest, WhatAPowerLossLeftInThePageWhereTheSyncedPartEndsIsDropped) {
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", std::string(4000, 'a')), IsCommitted());
  const std::uint64_t synced = fs::file_size(log("data"));
  ASSERT_LT(synced, 4090U);
  EXPECT_THAT(put(*store, kCatalog, "b", std::string(kRow, 'b'), Durability::kBuffered), IsCommitted());
  EXPECT_THAT(put(*store, kCatalog, "c", std::string(kRow, 'c'), Durability::kBuffered), IsCommitted());
  kill("data", "copy");
  zero(log("copy"), synced, 4096 - synced);
  EXPECT_THAT(rows(*must(open("copy")), kCatalog), SizeIs(1));
}

// RocksDB silently skips what follows a header of zeros in a block of the log.
TEST_F(DurableMarkTest, AWriteThatIsMissingBetweenOthersIsNamed) {
  constexpr std::size_t kBlock = 32 << 10;
  auto store = must(open("data"));
  EXPECT_THAT(put(*store, kCatalog, "a", std::string(10'000, 'a')), IsCommitted());
  const std::uint64_t size = fs::file_size(log("data"));
  // The second head is as large as the first one, except for one byte of its length.
  const std::uint64_t rest = kBlock - size - (size - 10'000) - 1;
  EXPECT_THAT(put(*store, kCatalog, "b", std::string(rest, 'b')), IsCommitted());
  ASSERT_EQ(fs::file_size(log("data")), kBlock);
  EXPECT_THAT(put(*store, kCatalog, "c", "1"), IsCommitted());
  kill("data", "copy");
  zero(log("copy"), size, kBlock - size);
  expect_refused("copy", "log");
}

}  // namespace
}  // namespace holdfast::testing
