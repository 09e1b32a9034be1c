// RocksDB's account of its own work, on a disk that works and on one that does not.
#include "engine/storage/rocksdb/environment/rocksdb_info_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using rocksdb::InfoLogLevel;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class InfoLogTest : public ::testing::Test {
 protected:
  void warn(InfoLog& log, const std::string& text) {
    rocksdb::Log(InfoLogLevel::WARN_LEVEL, &log, "%s", text.c_str());
  }
  std::string contents(const char* file) const {
    std::ifstream stream(dir_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  fs::path path() const { return dir_.path(); }

 private:
  TempDir dir_;
};

TEST_F(InfoLogTest, HasALineForEachWarning) {
  InfoLog log(path());
  EXPECT_FALSE(fs::exists(path() / "LOG"));
  rocksdb::Log(InfoLogLevel::INFO_LEVEL, &log, "all is well");
  rocksdb::Log(InfoLogLevel::HEADER_LEVEL, &log, "an option");
  EXPECT_FALSE(fs::exists(path() / "LOG"));
  warn(log, "a table is lost\n");
  rocksdb::Log(InfoLogLevel::ERROR_LEVEL, &log, "number %d", 7);
  EXPECT_THAT(contents("LOG"),
              MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+\\.[0-9]+Z \\[WARN\\] a table is lost\n"
                           "[^ ]+Z \\[ERROR\\] number 7\n"));
  EXPECT_EQ(fs::status(path() / "LOG").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(log.GetLogFileSize(), fs::file_size(path() / "LOG"));
}

TEST_F(InfoLogTest, GoesOnWhereTheLastOneEnded) {
  for (const char* text : {"first", "second"}) {
    InfoLog log(path());
    warn(log, text);
  }
  EXPECT_THAT(contents("LOG"), AllOf(HasSubstr("first"), HasSubstr("second")));
}

TEST_F(InfoLogTest, KeepsTwoFilesOfBoundedSize) {
  InfoLog log(path());
  const std::string text(1000, 'x');
  for (std::size_t i = 0; i < 3 * InfoLog::kBytes / 1000; ++i) warn(log, text + std::to_string(i));
  warn(log, "the last");
  EXPECT_THAT(contents("LOG"), EndsWith("the last\n"));
  EXPECT_LE(fs::file_size(path() / "LOG"), InfoLog::kBytes);
  EXPECT_LE(fs::file_size(path() / "LOG.old"), InfoLog::kBytes);
  EXPECT_GT(fs::file_size(path() / "LOG.old"), InfoLog::kBytes - 2 * InfoLog::kLineBytes);
  EXPECT_EQ(std::distance(fs::directory_iterator(path()), {}), 2);
}

TEST_F(InfoLogTest, CutsALongLine) {
  InfoLog log(path());
  warn(log, std::string(2 * InfoLog::kLineBytes, 'x'));
  warn(log, "next");
  EXPECT_LE(fs::file_size(path() / "LOG"), 2 * InfoLog::kLineBytes);
  EXPECT_THAT(contents("LOG"), HasSubstr("x\n2"));
}

TEST_F(InfoLogTest, SaysNothingWhereItCannot) {
  InfoLog nowhere(path() / "missing");
  warn(nowhere, "lost");
  fs::create_directory(path() / "missing");
  warn(nowhere, "found");
  EXPECT_THAT(contents("missing/LOG"), AllOf(HasSubstr("found"), Not(HasSubstr("lost"))));
}

TEST_F(InfoLogTest, IsNotLedElsewhere) {
  fs::create_symlink(path() / "elsewhere", path() / "LOG");
  InfoLog log(path());
  warn(log, "lost");
  EXPECT_FALSE(fs::exists(path() / "elsewhere"));
}

// If the file cannot be moved away, it does not grow.
TEST_F(InfoLogTest, IsBoundedWhereItsFileCannotBeMoved) {
  fs::create_directories(path() / "LOG.old" / "in the way");
  InfoLog log(path());
  const std::string text(1000, 'x');
  for (std::size_t i = 0; i < 2 * InfoLog::kBytes / 1000; ++i) warn(log, text);
  EXPECT_LE(fs::file_size(path() / "LOG"), InfoLog::kBytes);
}

}  // namespace
}  // namespace holdfast::testing
