// An embedded engine's directories are its user's alone: RocksDB makes the files in them by the umask.
#include <sys/stat.h>

#include <filesystem>

#include "holdfast/engine.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;

class PrivateFilesTest : public ::testing::Test {
 protected:
  PrivateFilesTest() : before_(::umask(S_IWGRP | S_IWOTH)) {}
  ~PrivateFilesTest() override { ::umask(before_); }

  static fs::perms of(const fs::path& path) { return fs::status(path).permissions(); }

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

TEST_F(PrivateFilesTest, WhatWasThereBeforeIsLeftAsItIs) {
  fs::create_directory(temp_ / "data");
  ASSERT_EQ(of(temp_ / "data"), fs::perms(0755));
  must(must(Engine::open(temp_ / "data")).close());
  EXPECT_EQ(of(temp_ / "data"), fs::perms(0755));
}

}  // namespace
}  // namespace holdfast::testing
