// Directories whose files are damaged or gone. Opening names the damage, and salvage brings over what can be
// read.
#include <map>
#include <set>

#include "engine/storage/durability/durable_mark.h"
#include "holdfast/limits.h"
#include "tests/engine/failures/salvage_fixture.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

TEST_F(SalvageTest, OfASoundDirectoryLosesNothing) {
  fill(true);
  const SalvageReport report = salvage();
  EXPECT_EQ(report.found, 0U);
  EXPECT_EQ(report.messages, kLeft);
  EXPECT_EQ(report.dead_letters, 20U);
  EXPECT_EQ(report.queues, 2U);
}

TEST_F(SalvageTest, WhatWasPurgedStaysAway) {
  fill(true);
  for (const char* queue : {"dlq", "orders"}) {
    Engine engine = must(open("data"));
    must(engine.purge_queue(queue));
    must(engine.send("orders", {.body = "last:"}));
    must(engine.close());
  }
  const SalvageReport report = salvage();
  EXPECT_EQ(report.found, 0U);
  EXPECT_EQ(report.messages, 1U);
  EXPECT_EQ(report.dead_letters, 0U);
}

// A process leaves such a table if it is killed after it has written the table and before it names the table
// in the manifest.
TEST_F(SalvageTest, ATableThatTheManifestNeverNamedBringsNothingBack) {
  fill(true);
  {
    Engine engine = must(open("data"));
    must(engine.compact());
    must(engine.purge_queue("dlq"));
    must(engine.purge_queue("orders"));
    must(engine.close());
  }
  fs::copy_file(largest(".sst"), temp_ / "data" / "009999.sst");
  const SalvageReport report = salvage();
  EXPECT_EQ(report.messages, 0U);
  EXPECT_EQ(report.dead_letters, 0U);
}

TEST_F(SalvageTest, BringsTheApplicationsFamilies) {
  fill(true);
  {
    Engine engine = must(open("data"));
    const ApplicationFamily state = must(engine.open_family("state"));
    must(engine.open_family("empty"));
    const std::string last(limits::kApplicationKeyBytes, '\xff');
    must(engine.commit(Transaction().put(state, "a", "1").put(state, last, "2").put(state, "skeleton", "3")));
    must(engine.close());
  }
  EXPECT_EQ(salvage().found, 0U);
  Engine engine = must(open("salvaged1"));
  EXPECT_EQ(must(engine.list_families()).size(), 2U);
  const ApplicationFamily state = must(engine.open_family("state"));
  EXPECT_EQ(must(engine.scan(state, "", "")).size(), 3U);
  EXPECT_EQ(must(engine.get(state, "a")), "1");
}

TEST_F(SalvageTest, ARepeatedCallIsKnown) {
  const SendOptions once{.request_id = "call 1"};
  MessageId id;
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders"));
    id = must(engine.send("orders", {.body = "last:"}, once)).id;
    must(engine.close());
  }
  must(Engine::salvage(temp_ / "data", temp_ / "salvaged"));
  Engine engine = must(open("salvaged"));
  EXPECT_EQ(must(engine.send("orders", {.body = "last:"}, once)).id, id);
  EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, 1U);
}

// RocksDB's repair would not know a family that has no table, and would leave out the rest of the commit.
TEST_F(SalvageTest, WithoutAManifestKeepsTransactionsThatAreOnlyInTheLog) {
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders"));
    const ApplicationFamily state = must(engine.open_family("state"));
    must(engine.commit(Transaction().put(state, "k", "v").send("orders", {.body = "last:"})));
    must(engine.close());
  }
  for (const fs::path& manifest : files("MANIFEST")) fs::remove(manifest);
  const SalvageReport report = salvage();
  EXPECT_EQ(report.messages, 1U);
  EXPECT_EQ(report.found, 0U);
  Engine engine = must(open("salvaged1"));
  EXPECT_EQ(must(engine.get(must(engine.open_family("state")), "k")), "v");
}

// Both directories may go on, and would number their leases alike. They are opened again and again, so that
// their epochs would meet.
TEST_F(SalvageTest, ReceiptsOfTheOtherDirectoryAreStale) {
  fill(true);
  (void)salvage();
  std::set<LeaseId> leases;
  for (int i = 0; i < 5; ++i) {
    std::vector<Receipt> receipts;
    for (const char* name : {"data", "salvaged1"}) {
      Engine engine = must(open(name));
      must(engine.create_queue("new"));
      must(engine.send("new", {.body = "x"}));
      receipts.push_back(must(engine.receive("new")).at(0).receipt);
      EXPECT_TRUE(leases.insert(receipts.back().lease).second);
      if (receipts.size() == 2) {
        EXPECT_THAT(engine.ack(receipts.front()), ::testing::Not(Succeeds()));
      }
    }
  }
}

TEST_F(SalvageTest, LeavesTheSourceAlone) {
  fill(false);
  std::map<fs::path, std::uintmax_t> before;
  for (const auto& entry : fs::directory_iterator(temp_ / "data")) before[entry.path()] = entry.file_size();
  salvage();
  std::map<fs::path, std::uintmax_t> after;
  for (const auto& entry : fs::directory_iterator(temp_ / "data")) after[entry.path()] = entry.file_size();
  EXPECT_EQ(after, before);
  EXPECT_THAT(Engine::salvage(temp_ / "data", temp_ / "data"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Engine::salvage(temp_ / "none", temp_ / "x"), FailsWith(ErrorCode::kInvalidArgument));
}

TEST_F(SalvageTest, WhatExpiresStillDoes) {
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("news", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
    must(engine.send("news", {.body = "old", .time_to_live = 1h}));
    must(engine.send("news", {.body = "new", .time_to_live = 2h}));
    must(engine.close());
  }
  must(Engine::salvage(temp_ / "data", temp_ / "salvaged"));
  EXPECT_EQ(must(Engine::verify(temp_ / "salvaged")).found, 0U);
  Engine engine = must(open("salvaged"));
  clock_.advance(1h);
  EXPECT_EQ(must(engine.receive("news", {.max = 10})).size(), 1U);
}

TEST_F(SalvageTest, WithoutAManifestLosesNothing) {
  for (const bool flushed : {false, true}) {
    fs::remove_all(temp_ / "data");
    fill(flushed);
    for (const fs::path& path : files("MANIFEST")) fs::remove(path);
    EXPECT_THAT(open("data"), FailsWith(ErrorCode::kCorruption));
    EXPECT_EQ(must(Engine::verify(temp_ / "data")).findings.at(0).kind, "unopenable");
    const SalvageReport report = salvage();
    EXPECT_EQ(report.messages, kLeft) << flushed;
    EXPECT_EQ(report.messages_lost, 0U) << flushed;
  }
}

// A machine that dies while a table is made of the log leaves both. What was compacted before has lost the
// numbers that would tell it from other writes.
TEST_F(SalvageTest, WithALogAndItsTableLosesNothing) {
  for (const bool flushed : {false, true}) {
    fs::remove_all(temp_ / "data");
    fill(flushed);
    put_logs_back();
    for (const fs::path& path : files("MANIFEST")) fs::remove(path);
    EXPECT_THAT(files(".sst"), ::testing::Not(::testing::IsEmpty()));
    const SalvageReport report = salvage();
    EXPECT_EQ(report.found, 0U) << flushed;
    EXPECT_EQ(report.messages, kLeft) << flushed;
    EXPECT_EQ(report.messages_lost, 0U) << flushed;
  }
}

TEST_F(SalvageTest, WithoutCurrentLosesNothing) {
  fill(true);
  fs::remove(temp_ / "data" / "CURRENT");
  EXPECT_THAT(open("data"), FailsWith(ErrorCode::kCorruption));
  EXPECT_EQ(salvage().messages, kLeft);
}

// A manifest that had grown after the last commit, and so after the mark, is cut back to what the mark says.
// The tables that its lost records named had taken the place of tables that are gone.
TEST_F(SalvageTest, OfAManifestThatWasCutToItsMarkLosesNothing) {
  fill(true);
  Engine engine = must(open("data"));
  must(engine.send("orders", {.body = "last:"}, {.durability = Durability::kFsync}));
  must(engine.compact());
  fs::copy(temp_ / "data", temp_ / "killed");
  must(engine.close());
  fs::remove_all(temp_ / "data");
  fs::rename(temp_ / "killed", temp_ / "data");
  fs::remove(temp_ / "data" / "LOCK");
  const fs::path manifest = largest("MANIFEST");
  const std::uint64_t marked = read_mark(temp_ / "data")->manifest_bytes;
  ASSERT_LT(marked, fs::file_size(manifest));
  fs::resize_file(manifest, marked);
  const SalvageReport report = salvage();
  EXPECT_EQ(report.messages, kLeft + 1);
  EXPECT_EQ(report.messages_lost, 0U);
  EXPECT_EQ(report.found, 0U);
}

TEST_F(SalvageTest, WithoutATableSaysWhatIsLost) {
  fill(true);
  fs::remove(largest(".sst"));
  EXPECT_THAT(open("data"), FailsWith(ErrorCode::kCorruption));
  const SalvageReport report = salvage();
  EXPECT_GT(report.found, 0U);
  EXPECT_GT(report.messages_lost, 1000U);
  EXPECT_EQ(report.messages + report.messages_lost, kLeft);
}

TEST_F(SalvageTest, OfATruncatedTableOrLog) {
  fill(true);
  const fs::path table = largest(".sst");
  fs::resize_file(table, fs::file_size(table) / 2);
  const SalvageReport report = salvage();
  EXPECT_GT(report.found, 0U);
  EXPECT_EQ(report.messages + report.messages_lost, kLeft);
}

// The log holds everything, so more is lost with it than the tables know of.
TEST_F(SalvageTest, ALostOrCutLogIsNamedWithWhatToDo) {
  for (const std::uintmax_t left : {0, 1, 2}) {
    fs::remove_all(temp_ / "data");
    fill(false);
    const fs::path log = largest(".log");
    left == 0 ? static_cast<void>(fs::remove(log))
              : fs::resize_file(log, fs::file_size(log) * (left - 1) / 2);
    const std::string command = "holdfast salvage " + (temp_ / "data").string() + " NEW";
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(open("data"), FailsNaming(ErrorCode::kCorruption, "writes are missing"));
      EXPECT_THAT(open("data"), FailsNaming(ErrorCode::kCorruption, command));
      const VerifyReport verified = must(Engine::verify(temp_ / "data"));
      ASSERT_FALSE(verified.sound());
      EXPECT_THAT(verified.findings.front().what, ::testing::HasSubstr("writes are missing"));
    }
    const SalvageReport report = salvage();
    EXPECT_THAT(report.losses, Contains(Field(&Finding::kind, "writes_lost"))) << left;
    EXPECT_LT(report.messages, kLeft);
  }
}

TEST_F(SalvageTest, AnEmptiedManifestIsNotTakenForAMissingStore) {
  fill(false);
  fs::resize_file(largest("MANIFEST"), 0);
  EXPECT_THAT(Engine::open(temp_ / "data", {.create_if_missing = false}),
              FailsNaming(ErrorCode::kCorruption, "salvage"));
  EXPECT_FALSE(must(Engine::verify(temp_ / "data")).sound());
  EXPECT_GT(salvage().messages, 0U);
}

// A backup has no mark, and the restored directory gets a mark of its own.
TEST_F(SalvageTest, ARestoredBackupKnowsOfNoMissingWrites) {
  fill(false);
  {
    Engine engine = must(open("data"));
    must(engine.send("orders", {.body = "last:"}));
    must(engine.backup(temp_ / "backups"));
    must(engine.send("orders", {.body = "last:"}));
    must(engine.close());
  }
  must(Engine::restore(temp_ / "backups", temp_ / "restored"));
  must(must(open("restored")).close());
  EXPECT_TRUE(must(Engine::verify(temp_ / "restored")).sound());
}

// A bad block costs what is in the block, and not the whole table.
TEST_F(SalvageTest, AFlippedBitCostsItsBlock) {
  fill(true);
  const fs::path table = largest(".sst");
  flip(table, fs::file_size(table) / 2);
  const VerifyReport verified = must(Engine::verify(temp_ / "data"));
  EXPECT_THAT(verified.findings, Contains(Field(&Finding::kind, "unreadable")));
  const SalvageReport report = salvage();
  EXPECT_GT(report.messages_lost, 0U);
  EXPECT_LE(report.messages_lost, 200U);
  EXPECT_EQ(report.messages + report.messages_lost, kLeft);
}

// The keys of messages that wait for the same time begin alike.
TEST_F(SalvageTest, AFlippedBitCostsItsBlockAlsoOfWhatWaitsForOneTime) {
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders"));
    Random random(7);
    for (std::uint64_t i = 0; i < kMessages; i += 100) {
      std::vector<Message> messages;
      for (std::uint64_t j = 0; j < 100; ++j)
        messages.push_back({.body = std::to_string(i + j) + ":" + random.bytes(1001), .delay = 1h});
      for (auto& sent : must(engine.send_batch("orders", std::move(messages)))) must(std::move(sent));
    }
    must(engine.compact());
    must(engine.close());
  }
  const fs::path table = largest(".sst");
  flip(table, fs::file_size(table) / 4);
  const SalvageReport report = salvage();
  EXPECT_GT(report.messages_lost, 0U);
  EXPECT_LE(report.messages_lost, 300U);
  EXPECT_EQ(report.messages + report.messages_lost, kMessages);
}

// The block that cannot be read holds the end of one queue's messages and the beginning of the other queue's.
TEST_F(SalvageTest, EndsWhereABadBlockSpansTheEndOfAQueue) {
  constexpr std::uint64_t kEach = 10;
  {
    Engine engine = must(open("data"));
    Random random(7);
    for (const char* queue : {"first", "second"}) {
      must(engine.create_queue(queue));
      for (std::uint64_t i = 0; i < kEach; ++i)
        must(engine.send(queue, {.body = std::to_string(i) + ":" + random.bytes(1000), .delay = 1h}));
    }
    must(engine.compact());
    must(engine.close());
  }
  const fs::path table = largest(".sst");
  for (std::uintmax_t at = 8000; at <= 12000; at += 1000) {
    flip(table, at);
    const SalvageReport report = salvage();
    EXPECT_GT(report.messages_lost, 0U) << at;
    EXPECT_LE(report.messages_lost, 6U) << at;  // a block has 4 KiB, or one row more
    EXPECT_EQ(report.messages + report.messages_lost, 2 * kEach) << at;
    flip(table, at);
  }
}

// Whichever byte of whichever file is wrong, opening, verify and salvage answer, and none of them calls it a
// fault of the device.
TEST_F(SalvageTest, AnyFlippedByteIsNamedAndSurvived) {
  const std::uint64_t seeds = environment_count("HOLDFAST_SALVAGE_SEEDS", 4);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    fs::remove_all(temp_ / "data");
    fill(random.one_in(2));
    std::vector<fs::path> all;
    for (const auto& path : files("")) {
      const std::string name = path.filename().string();
      const bool matters = name.ends_with(".sst") || name.ends_with(".log") || name.starts_with("MANIFEST") ||
                           name == "CURRENT";
      if (matters && fs::file_size(path) > 0) all.push_back(path);
    }
    const fs::path path = random.pick(all);
    const std::uintmax_t at = random.below(fs::file_size(path));
    flip(path, at);
    SCOPED_TRACE(path.filename().string() + " at " + std::to_string(at));
    const auto verified = Engine::verify(temp_ / "data");
    if (!verified) {
      EXPECT_THAT(verified, FailsWith(ErrorCode::kFormatTooNew));
    }
    const SalvageReport report = salvage();
    EXPECT_LE(report.messages, kLeft + 100);
    const auto opened = open("data");
    if (!opened) {
      EXPECT_THAT(opened.error().code, AnyOf(ErrorCode::kCorruption, ErrorCode::kFormatTooNew));
    }
  }
}

}  // namespace
}  // namespace holdfast::testing
