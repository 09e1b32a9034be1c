// Directories that are damaged. Opening names the damage, and salvage brings over what can be read.
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/codec/rows/request_row.h"
#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kMessages = 2000;

class SalvageTest : public ::testing::Test {
 protected:
  // Fills two queues. Some of the messages are handed out, dead or done. If `flushed` is true, they are in
  // tables, and not only in the log.
  void fill(bool flushed) {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders",
                             {.durability = Durability::kBuffered, .dead_letters = {.queue = "dlq"}},
                             MissingQueues::kCreate));
    Random random(7);
    for (std::uint64_t i = 0; i < kMessages; i += 100) {
      std::vector<Message> messages;
      for (std::uint64_t j = 0; j < 100; ++j) {
        messages.push_back({.body = std::to_string(i + j) + ":" + random.bytes(1000)});
      }
      for (auto& sent : must(engine.send_batch("orders", std::move(messages)))) must(std::move(sent));
    }
    // The receive takes only a part of the last of its chunks.
    const Deliveries handed = must(engine.receive("orders", {.max = 350}));
    for (std::size_t i = 0; i < 20; ++i) must(engine.reject(handed[i].receipt, {.reason = "bad"}));
    for (std::size_t i = 20; i < 120; ++i) must(engine.ack(handed[i].receipt));
    if (flushed) must(engine.compact());
    must(engine.send("orders", {.body = "last:"}));
    must(engine.close());
  }
  Result<Engine> open(const std::string& name) {
    return Engine::open(temp_ / name, {.clock = &clock_, .background = false});
  }

  std::vector<fs::path> files(const std::string& extension) {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(temp_ / "data")) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(extension) || name.starts_with(extension)) found.insert(entry.path());
    }
    return {found.begin(), found.end()};
  }
  fs::path largest(const std::string& extension) {
    const auto found = files(extension);
    return *std::ranges::max_element(found, {}, [](const fs::path& path) { return fs::file_size(path); });
  }
  // Makes tables of the logs, and puts the logs back beside the tables.
  void put_logs_back() {
    fs::remove_all(temp_ / "aside");
    fs::create_directory(temp_ / "aside");
    for (const fs::path& log : files(".log")) fs::copy(log, temp_ / "aside");
    must(must(open("data")).close());
    for (const auto& log : fs::directory_iterator(temp_ / "aside")) {
      fs::copy(log, temp_ / "data", fs::copy_options::overwrite_existing);
    }
  }
  static void flip(const fs::path& path, std::uintmax_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 0x55));
  }

  // Changes the rows of the closed directory.
  void change(const std::function<void(Store&, Batch&)>& make_changes) {
    const auto store = must(open_rocksdb_store(temp_ / "data"));
    const auto batch = store->new_batch();
    make_changes(*store, *batch);
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
    must(store->close());
  }

  // Salvages, and checks that the result is sound and that each body is whole.
  SalvageReport salvage() {
    const std::string to = "salvaged" + std::to_string(++salvaged_);
    SalvageReport report = must(Engine::salvage(temp_ / "data", temp_ / to));
    const VerifyReport verified = must(Engine::verify(temp_ / to));
    EXPECT_EQ(verified.found, 0U) << verified.findings.front().where << " " << verified.findings.front().what;
    Engine engine = must(open(to));
    std::uint64_t count = 0;
    for (const QueueInfo& queue : must(engine.list_queues())) {
      clock_.advance(24h);
      run_due_until_quiet(engine, clock_);
      for (;;) {
        const Deliveries some = must(engine.receive(queue.name, {.max = 1000, .lease = 12h}));
        if (some.empty()) break;
        count += some.size();
        for (const Delivery& delivery : some) {
          EXPECT_THAT(delivery.body.size(), AnyOf(5U, ::testing::Ge(1002U)));
        }
      }
    }
    EXPECT_EQ(count, report.messages);
    return report;
  }

  TempDir temp_;
  ManualClock clock_;
  int salvaged_ = 0;
};

constexpr std::uint64_t kLeft = kMessages - 100 + 1;

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

TEST_F(SalvageTest, AFamilyWhoseRowIsLostComesBackUnderAnotherName) {
  {
    Engine engine = must(open("data"));
    for (const char* name : {"state", "salvaged-family-1", "empty"}) must(engine.open_family(name));
    const ApplicationFamily state = must(engine.open_family("state"));
    must(engine.commit(Transaction().put(state, "a", "1")));
    must(engine.close());
  }
  change([](Store& store, Batch& batch) {
    std::vector<std::string> rows;
    for (auto scan = store.scan(Family::kCatalog, keys::kFamiliesBegin, keys::kFamiliesEnd); scan->valid();
         scan->next()) {
      if (scan->value() != "salvaged-family-1") rows.emplace_back(scan->key());
    }
    ASSERT_EQ(rows.size(), 2U);
    for (const std::string& row : rows) batch.remove(Family::kCatalog, row);
  });
  EXPECT_EQ(salvage().found, 1U);
  Engine engine = must(open("salvaged1"));
  std::size_t found = 0;
  for (const ApplicationFamily& family : must(engine.list_families()))
    found += must(engine.get(family, "a")) == "1" ? 1 : 0;
  EXPECT_EQ(found, 1U);
  EXPECT_EQ(must(engine.list_families()).size(), 2U);
  must(engine.open_family("new"));
  EXPECT_EQ(must(engine.list_families()).size(), 3U);
}

// The row of the first family is there again, as if its removal had been lost.
TEST_F(SalvageTest, OfTwoFamiliesWithOneNameTheNewerOneHasIt) {
  ApplicationFamily dropped;
  {
    Engine engine = must(open("data"));
    dropped = must(engine.open_family("state"));
    must(engine.drop_family("state"));
    must(engine.commit(Transaction().put(must(engine.open_family("state")), "a", "1")));
    must(engine.close());
  }
  change([&](Store&, Batch& batch) {
    batch.put(Family::kCatalog, keys::family_definition(dropped.id), "state");
  });
  EXPECT_GT(salvage().found, 0U);
  Engine engine = must(open("salvaged1"));
  EXPECT_EQ(must(engine.list_families()).size(), 2U);
  EXPECT_EQ(must(engine.get(must(engine.open_family("state")), "a")), "1");
}

TEST_F(SalvageTest, AQueueWhoseDefinitionIsLostGetsANameThatNoOtherHas) {
  QueueId orders{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders"));
    orders = must(engine.describe_queue("orders")).id;
    const std::string taken = "salvaged-" + std::to_string(static_cast<std::uint64_t>(orders));
    must(engine.create_queue(taken));
    for (const std::string& queue : {std::string("orders"), taken})
      must(engine.send(queue, {.body = "last:"}));
    must(engine.close());
  }
  change([&](Store&, Batch& batch) { batch.remove(Family::kCatalog, keys::queue_definition(orders)); });
  EXPECT_EQ(salvage().messages, 2U);
  Engine engine = must(open("salvaged1"));
  EXPECT_EQ(must(engine.list_queues()).size(), 2U);
}

TEST_F(SalvageTest, RowsThatOpeningWouldRefuseAreLeftOut) {
  fill(true);
  change([](Store&, Batch& batch) {
    batch.put(Family::kCatalog, keys::arrivals(QueueId{1}, 7), "\xff");
    batch.put(Family::kCatalog, keys::kFamiliesBegin, "state");
    batch.put(Family::kDedup, keys::dedup(QueueId{1}, Timestamp{}, "id"), "x");
    batch.put(Family::kDedup, keys::request(1, 0, "id"), "x");
    batch.put(Family::kDedup, keys::request(UINT64_MAX, 0, "id"), encode_request_row({}));
    batch.put(Family::kRedriveTasks, "task", {});
    batch.put(Family::kRedriveTasks, keys::task(TaskId{1}), "x");
    batch.put(Family::kRedriveTasks, keys::task_outcomes(TaskId{2}), "\xff");
  });
  const SalvageReport report = salvage();
  EXPECT_EQ(report.found, 8U);
  EXPECT_THAT(report.losses, ::testing::Each(Field(&Finding::kind, "rows_lost")));
  EXPECT_EQ(report.messages, kLeft);
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

// Otherwise the next death would be written over an old record.
TEST_F(SalvageTest, WithoutACheckpointHistoryKeepsItsNumbers) {
  const auto die_and_replay = [](Engine& engine) {
    must(engine.send("orders", {.body = "last:"}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
    must(engine.redrive("dlq"));
    must(engine.ack(must(engine.receive("orders")).at(0).receipt));
  };
  QueueId dlq{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("dlq"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (int i = 0; i < 3; ++i) die_and_replay(engine);
    dlq = must(engine.describe_queue("dlq")).id;
    must(engine.close());
  }
  change([&](Store&, Batch& batch) { batch.put(Family::kCatalog, keys::queue_checkpoint(dlq), "damaged"); });
  EXPECT_GT(salvage().found, 0U);
  Engine engine = must(open("salvaged1"));
  die_and_replay(engine);
  EXPECT_TRUE(must(engine.verify()).sound());
  EXPECT_EQ(must(engine.list_dead_letters("dlq", {.filter = {.history = true}})).items.size(), 4U);
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

// What a newer version wrote may mean something else than it seems to.
TEST_F(SalvageTest, OfANewerFormatIsRefused) {
  fill(true);
  change([](Store&, Batch& batch) {
    batch.put(Family::kCatalog, keys::kFormatRow, encode_format_row(kFormatVersion + 1));
  });
  EXPECT_THAT(Engine::salvage(temp_ / "data", temp_ / "salvaged"), FailsWith(ErrorCode::kFormatTooNew));
  EXPECT_FALSE(fs::exists(temp_ / "salvaged"));
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

// The state of the chunk in which they all were is lost, so only history knows which of them left.
TEST_F(SalvageTest, DeadLettersThatBecameHistoryStayAway) {
  QueueId dlq{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    dlq = must(engine.describe_queue("dlq")).id;
    must(engine.send_batch("orders", std::vector<Message>(10, {.body = "last:"})));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : must(engine.receive("orders", {.max = 10})))
      receipts.push_back(delivery.receipt);
    must(engine.reject_batch(receipts, {.reason = "bad"}));
    must(engine.redrive("dlq", {.max = 5}));
    EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, 5U);
    must(engine.close());
  }
  change([&](Store& store, Batch& batch) {
    const auto rows = store.scan(Family::kDeliveries, keys::queue_begin(dlq), keys::queue_end(dlq));
    ASSERT_TRUE(rows->valid());
    batch.remove(Family::kDeliveries, rows->key());
    rows->next();
    ASSERT_FALSE(rows->valid());
  });
  const SalvageReport report = salvage();
  EXPECT_EQ(report.messages, 10U);
  EXPECT_EQ(report.dead_letters, 5U);
}

TEST_F(SalvageTest, WhatLiesBesideHistoryIsBroughtIfItDecodes) {
  QueueId dlq{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    dlq = must(engine.describe_queue("dlq")).id;
    for (int i = 0; i < 2; ++i) {
      must(engine.send("orders", {.body = "first"}));
      must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
      must(engine.redrive("dlq", {.edit = {.body = "last:"}}));
      must(engine.ack(must(engine.receive("orders")).at(0).receipt));
    }
    must(engine.close());
  }
  change([&](Store&, Batch& batch) {
    batch.put(Family::kHistory, keys::outcome(dlq, Seq{1}), "x");
    batch.put(Family::kHistory, keys::original(dlq, Seq{1}), "x");
  });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, UnorderedElementsAre(Field(&Finding::kind, "rows_lost"),
                                                  Field(&Finding::kind, "original_lost")));
  Engine engine = must(open("salvaged1"));
  const auto letters =
      must(engine.list_dead_letters("dlq", {.filter = {.history = true}, .bodies = true})).items;
  ASSERT_EQ(letters.size(), 2U);
  EXPECT_EQ(letters[0].replay.value().outcome, ReplayOutcome::kPending);
  EXPECT_FALSE(letters[0].original);
  EXPECT_EQ(letters[1].replay.value().outcome, ReplayOutcome::kAcked);
  EXPECT_EQ(letters[1].original.value().body, "first");
}

// A message of which a consumer described a failure, and which waits outside the log.
class SalvageOfWaiting : public SalvageTest {
 protected:
  SalvageOfWaiting() {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders"));
    orders_ = must(engine.describe_queue("orders")).id;
    must(engine.send("orders", {.body = "last:"}));
    must(engine.release(must(engine.receive("orders")).at(0).receipt,
                        {.delay = 1h, .failure = {.reason = "told"}}));
    advance(engine, clock_, Duration{0});
    must(engine.close());
    change([&](Store& store, Batch&) {
      const auto rows =
          store.scan(Family::kScheduled, keys::queue_begin(orders_), keys::scheduled_end(orders_));
      ASSERT_TRUE(rows->valid());
      key_ = rows->key();
      value_ = rows->value();
    });
  }

  QueueId orders_{};
  std::string key_;  // the row of the message
  std::string value_;
};

TEST_F(SalvageOfWaiting, ADescriptionThatIsLostIsNamedNoMore) {
  change([&](Store& store, Batch& batch) {
    const auto rows = store.scan(Family::kScheduled, keys::expiry_end(orders_), keys::queue_end(orders_));
    ASSERT_TRUE(rows->valid());
    batch.remove(Family::kScheduled, rows->key());
  });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, ElementsAre(Field(&Finding::kind, "failure_lost")));
  EXPECT_EQ(report.messages, 1U);
}

// The removal of its row is lost.
TEST_F(SalvageOfWaiting, AMessageThatHasEnteredTheLogSinceIsNamedIfItComesBack) {
  {
    Engine engine = must(open("data"));
    advance(engine, clock_, 2h);
    EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, 1U);
    must(engine.close());
  }
  change([&](Store&, Batch& batch) { batch.put(Family::kScheduled, key_, value_); });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, ElementsAre(AllOf(Field(&Finding::kind, "messages_returned"),
                                               Field(&Finding::where, HasSubstr("scheduled")))));
  EXPECT_EQ(report.messages, 2U);
}

TEST_F(SalvageOfWaiting, ARowThatDoesNotDecodeIsNamed) {
  change([&](Store&, Batch& batch) { batch.put(Family::kScheduled, key_, "x"); });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, Contains(AllOf(Field(&Finding::kind, "chunk_lost"),
                                            Field(&Finding::where, HasSubstr("scheduled")))));
  EXPECT_EQ(report.messages_lost, 1U);
}

TEST_F(SalvageTest, MessagesOfAChunkThatDoesNotDecodeAreCounted) {
  fill(false);
  QueueId orders{};
  {
    Engine engine = must(open("data"));
    orders = must(engine.describe_queue("orders")).id;
    must(engine.close());
  }
  change([&](Store& store, Batch& batch) {
    const auto rows = store.scan(Family::kDeliveries, keys::queue_begin(orders), keys::queue_end(orders));
    ASSERT_TRUE(rows->valid());
    batch.put(Family::kMessages, rows->key(), "x");
  });
  const SalvageReport report = salvage();
  EXPECT_GT(report.messages_lost, 0U);
  EXPECT_EQ(report.messages + report.messages_lost, kLeft);
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

TEST_F(SalvageTest, WithoutItsCatalogAQueueWhoseMessagesAllWaitIsFound) {
  QueueId later{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("later", {.deduplication = {.mode = Deduplication::kById}}));
    must(engine.send("later", {.body = "last:", .delay = 1h, .deduplication_id = "d"}));
    later = must(engine.describe_queue("later")).id;
    must(engine.close());
  }
  change([&](Store&, Batch& batch) {
    batch.remove(Family::kCatalog, keys::queue_checkpoint(later));
    batch.remove(Family::kCatalog, keys::queue_definition(later));
  });
  const SalvageReport report = salvage();
  EXPECT_EQ(report.messages, 1U);
  EXPECT_GT(report.found, 0U);
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
