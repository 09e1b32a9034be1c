// The directories and files of an embedded engine are accessible to its user alone, whatever the process's
// umask is.
#include <sys/stat.h>

#include <filesystem>

#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr fs::perms kPrivate = fs::perms::owner_read | fs::perms::owner_write;

class PrivateFilesTest : public ::testing::Test {
 protected:
  PrivateFilesTest() : before_(::umask(0)) { fs::permissions(temp_.path(), fs::perms(0777)); }
  ~PrivateFilesTest() override { ::umask(before_); }

  static fs::perms of(const fs::path& path) { return fs::status(path).permissions(); }

  // Checks everything below the directory. Returns how many files there are.
  static std::size_t check(const fs::path& directory) {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      EXPECT_EQ(of(entry.path()), entry.is_directory() ? fs::perms::owner_all : kPrivate) << entry.path();
      files += entry.is_directory() ? 0 : 1;
    }
    return files;
  }

  TempDir temp_;

 private:
  const mode_t before_;
};

TEST_F(PrivateFilesTest, DirectoriesAreTheirOwnersAlone) {
  Engine engine = must(Engine::open(temp_ / "new" / "data"));
  must(engine.create_queue("orders"));
  must(engine.send("orders", {.body = "x"}));
  must(engine.backup(temp_ / "backups" / "nightly"));
  must(engine.close());
  must(Engine::restore(temp_ / "backups" / "nightly", temp_ / "restored"));
  for (const char* directory : {"new", "new/data", "backups", "backups/nightly", "restored"})
    EXPECT_EQ(of(temp_ / directory), fs::perms::owner_all) << directory;
}

// These are tables, logs, the manifest, and everything that RocksDB and Holdfast keep beside them, also if
// the directory is open to others.
TEST_F(PrivateFilesTest, FilesAreTheirOwnersAlone) {
  for (const char* directory : {"data", "backups", "restored", "salvaged", "archive"})
    fs::create_directory(temp_ / directory);
  ManualClock clock;
  const auto open = [&](const char* directory) {
    return must(Engine::open(temp_ / directory,
                             {.clock = &clock, .background = false, .archive_directory = temp_ / "archive"}));
  };
  Engine engine = open("data");
  must(engine.create_queue("dlq", {.retention = {.abandoned = 1h}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  for (int i = 0; i < 10; ++i) {
    must(engine.send("orders", {.body = std::string(2000, 'x')}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
    if (i == 5) must(engine.compact());
  }
  must(engine.change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  advance(engine, clock, 2h);
  must(engine.backup(temp_ / "backups"));
  must(engine.close());
  must(open("data").close());
  must(Engine::restore(temp_ / "backups", temp_ / "restored"));
  must(open("restored").close());
  must(Engine::salvage(temp_ / "data", temp_ / "salvaged"));
  EXPECT_GT(check(temp_ / "data"), 6U);
  EXPECT_GT(check(temp_ / "backups"), 4U);
  EXPECT_GT(check(temp_ / "restored"), 6U);
  EXPECT_GT(check(temp_ / "salvaged"), 6U);
  EXPECT_GT(check(temp_ / "archive"), 0U);
}

TEST_F(PrivateFilesTest, WhatWasThereBeforeIsLeftAsItIs) {
  fs::create_directory(temp_ / "data");
  ASSERT_EQ(of(temp_ / "data"), fs::perms(0777));
  must(must(Engine::open(temp_ / "data")).close());
  EXPECT_EQ(of(temp_ / "data"), fs::perms(0777));
}

}  // namespace
}  // namespace holdfast::testing
