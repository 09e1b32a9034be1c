// Retention whose archive, store or directory is not as it should be, and the files that it writes.
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <fstream>

#include "engine/codec/encoding/keys.h"
#include "engine/storage/files/archive_file.h"
#include "tests/engine/dead_letters/retention_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// What retention must read because of a change is read after the change, so a read that fails must not undo
// the change.
TEST(RetentionReads, ThatFailLeaveTheChangeBeforeThemAsItIs) {
  std::uint64_t tried = 0;
  for (std::uint64_t nth = 1; nth < 60; ++nth) {
    SCOPED_TRACE("read " + std::to_string(nth));
    ManualClock clock;
    const TempDir archive;
    const auto disk = std::make_shared<MemoryDisk>(1);
    Engine engine = must(
        EngineInside::open_over(must(open_memory_store(disk)),
                                {.clock = &clock, .background = false, .archive_directory = archive.path()}));
    must(engine.create_queue("dlq"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (int i = 0; i < 10; ++i) {
      must(engine.send("orders", {.body = "x"}));
      must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
    }
    must(engine.redrive("dlq", {.max = 2, .wait = false}));
    disk->fail_read(nth, ErrorCode::kStorageFailed);
    for (int i = 0; i < 10; ++i) advance(engine, clock, 1s);
    if (!engine.health().writes) continue;  // what a commit needs is read as part of it
    const std::uint64_t redriven = must(engine.describe_queue("dlq")).totals.redriven;
    EXPECT_LE(redriven, 2U);
    EXPECT_EQ(must(engine.list_redrives()).at(0).moved, redriven);
    ++tried;
  }
  EXPECT_GT(tried, 30U);
}

// This clock stands still until it is let go. From then on each look at it takes a day, so that its engine's
// own thread has no reason to rest.
class HurryingClock final : public Clock {
 public:
  Timestamp now() const override {
    if (!going_) return kTestEpoch;
    const int looks = ++looks_;
    looks_.notify_all();
    return kTestEpoch + looks * 24h;
  }
  Duration steady() const override { return looks_.load() * 24h; }
  void let_go() { going_ = true; }
  void wait_for_looks(int looks) const {
    for (int seen = looks_; seen < looks; seen = looks_) looks_.wait(seen);
  }

 private:
  std::atomic<bool> going_ = false;
  mutable std::atomic<int> looks_ = 0;
};

TEST(RetentionInTheBackground, ArchivesNothingAgainAfterAFailedWrite) {
  HurryingClock clock;
  const TempDir archive;
  const auto disk = std::make_shared<MemoryDisk>(1);
  Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)),
                                               {.clock = &clock, .archive_directory = archive.path()}));
  must(engine.create_queue("dlq", {.retention = {.abandoned = 1us}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "x"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  must(engine.discard_dead_letters("dlq", {.all = true}));
  disk->fail_commit(1, CommitOutcome::kFailed);
  clock.let_go();
  clock.wait_for_looks(300);
  EXPECT_THAT(engine.health().writes, FailsWith(ErrorCode::kStorageFailed));
  (void)engine.close();
  EXPECT_LE(read_archive(archive.path()).size(), 1U);
}

// While this object lives, no file of this process grows beyond so many bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_F(Retention, LeavesNoFileOfTriesThatFail) {
  kill("a");
  abandon();
  {
    const FileSizeLimit full(16);
    pass(24h);
    for (int minute = 0; minute < 3; ++minute) pass(1min);
  }
  EXPECT_TRUE(std::filesystem::is_empty(archive_.path()));
  EXPECT_EQ(all().size(), 1U);
  pass(1min);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(archived().size(), 1U);
}

TEST_F(Retention, KeepsTheFileInWhichOnlyTheLastTryFails) {
  ArchiveWriter archive(archive_.path());
  must(archive.append("dlq", {"{}"}, clock_.now()));
  {
    const FileSizeLimit full(16);
    EXPECT_THAT(archive.append("dlq", {std::string(100, ' ') + "{}"}, clock_.now()),
                FailsWith(ErrorCode::kStorageFailed));
  }
  const std::filesystem::directory_iterator files(archive_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(RetentionDirectory, IsThatOfTheDataWhereALinkLeadsElsewhere) {
  const TempDir temp;
  std::filesystem::create_directories(temp / "a" / "deep");
  std::filesystem::create_directory_symlink(temp / "a" / "deep", temp / "link");
  ManualClock clock;
  Engine engine = must(Engine::open(temp / "link" / ".." / "data", {.clock = &clock, .background = false}));
  must(engine.create_queue("dlq", {.retention = {.abandoned = 24h}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "x"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  must(engine.change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  advance(engine, clock, 24h);
  EXPECT_EQ(read_archive(temp / "a" / "data" / "archive").size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(temp / "data"));
}

// A process may have many queues that come and go.
TEST_F(Retention, KeepsFewFilesOpen) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  ArchiveWriter archive(archive_.path());
  must(archive.append("first", {"{}"}, clock_.now()));
  const auto before = open_files();
  for (int i = 0; i < 200; ++i) {
    clock_.advance(1s);
    must(archive.append("queue" + std::to_string(i), {"{}"}, clock_.now()));
  }
  EXPECT_LT(open_files(), before + 100);
}

// The rules about depth need nothing that is stored.
TEST_F(Retention, AnAlertAboutDepthClearsThoughNothingCanBeRead) {
  must(engine_->alter_queue("dlq", {.alerts = AlertRules{.depth = {.above = 1, .clear_after = 1min}}}));
  for (const char* body : {"a", "b"}) kill(body);
  const auto alerts = [&] { return must(engine_->describe_queue("dlq")).alerts.size(); };
  ASSERT_EQ(alerts(), 1U);
  must(engine_->ack(must(engine_->receive("dlq")).at(0).receipt));
  damage_->add(Family::kDeadLetterIndex);
  pass(2min);
  EXPECT_EQ(alerts(), 0U);
}

// The archive was full, or out of reach, when the policy gave the dead letters up.
TEST_F(Retention, WhatWasGivenUpIsArchivedOnceTheArchiveTakesIt) {
  const auto blocked = archive_.path() / "file";
  std::ofstream(blocked) << "in the way";
  open(blocked / "archive");
  for (const char* body : {"a", "b", "c"}) kill(body);
  archive_given_up(12h, 2);
  const auto dead = [&] { return must(engine_->describe_queue("dlq")).counts.dead; };
  pass(12h + 1s);
  EXPECT_EQ(dead(), 3U);
  std::filesystem::remove(blocked);
  pass(2min);
  EXPECT_EQ(dead(), 1U) << "the next round takes the last one";
}

// People move archives to other disks, and delete old ones.
TEST_F(Retention, WritesToNoFileThatIsGone) {
  for (const char* body : {"first", "second", "third"}) {
    kill(body);
    abandon();
    pass(24h);
    ASSERT_EQ(archived().size(), 1U) << body;
    EXPECT_EQ(archived()[0].body, body);
    if (body == std::string("first")) {
      for (const auto& entry : std::filesystem::directory_iterator(archive_.path()))
        std::filesystem::remove(entry.path());
    } else {
      std::filesystem::remove_all(archive_.path());
    }
  }
}

TEST_F(Retention, AFileThatHasRestedIsNotWrittenToAnyMore) {
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(archive_.path()), {}); };
  ArchiveWriter archive(archive_.path());
  for (int i = 0; i < 3; ++i) {
    must(archive.append("queue", {"{}"}, clock_.now()));
    EXPECT_EQ(files(), 1);
    clock_.advance(ArchiveWriter::kPause);
  }
  clock_.advance(1us);
  must(archive.append("queue", {"{}"}, clock_.now()));
  EXPECT_EQ(files(), 2);
  std::filesystem::remove_all(archive_.path());
  must(archive.append("queue", {"{}"}, clock_.now()));
  EXPECT_EQ(files(), 1);
}

TEST_F(Retention, ARelativeDirectoryStaysWhereItWas) {
  const TempDir home;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(home.path());
  ArchiveWriter archive("archive");
  std::filesystem::current_path(before);
  must(archive.append("queue", {"{}"}, clock_.now()));
  EXPECT_TRUE(std::filesystem::is_directory(home / "archive"));
}

TEST_F(Retention, WhatCannotBeReadStaysAndHoldsUpNoOthers) {
  kill("damaged");
  kill("whole");
  abandon();
  const Seq damaged = all()[0].seq;
  open(archive_.path());  // so the cache is empty
  damage_->add(Family::kMessages, keys::queue_seq(must(engine_->describe_queue("dlq")).id, damaged));
  pass(24h);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 1U);
  ASSERT_EQ(archived().size(), 1U);
  EXPECT_EQ(archived()[0].body, "whole");
  damage_->repair();
  pass(1min);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(archived().size(), 2U);
}

TEST_F(Retention, WhatCannotBeArchivedStays) {
  const auto blocked = archive_.path() / "file";
  std::ofstream(blocked) << "in the way";
  open(blocked / "archive");
  kill("a");
  abandon();
  pass(24h);
  EXPECT_EQ(all(false).size(), 1U);
  std::filesystem::remove(blocked);
  for (int minute = 0; minute < 3; ++minute) pass(1min);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(read_archive(blocked / "archive").size(), 1U);
}

}  // namespace
}  // namespace holdfast::testing
