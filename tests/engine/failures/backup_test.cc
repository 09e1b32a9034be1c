// Backups that are taken while the engine works, and what is restored from them.
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/utilities/backup_engine.h>

#include <atomic>
#include <fstream>
#include <future>
#include <set>
#include <thread>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/hold.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;

// Holds up a thread that reads a table from its beginning, in a directory of this name. Backups read tables
// so.
class HeldFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit HeldFileSystem(std::string directory)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), directory_(std::move(directory)) {}

  const char* Name() const override { return "HeldFileSystem"; }
  Hold& reads() { return reads_; }

  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* context) override {
    const fs::path file(name);
    if (file.extension() == ".sst" && file.parent_path().filename() == directory_) reads_.pass();
    return FileSystemWrapper::NewSequentialFile(name, options, result, context);
  }

 private:
  const std::string directory_;
  Hold reads_;
};

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() { engine_.emplace(open("data")); }

  Engine open(const std::string& name) {
    return must(Engine::open(temp_ / name, {.clock = &clock_, .background = false}));
  }
  Engine restored(const std::string& name, RestoreOptions options = {}) {
    must(Engine::restore(backups(), temp_ / name, options));
    return open(name);
  }
  fs::path backups() const { return temp_ / "backups"; }

  // Returns what a backup answers if the engine is closed while the backup reads a table in a directory of
  // this name.
  Result<BackupInfo> back_up_while_closing(const std::string& directory) {
    engine_.reset();
    const auto files = std::make_shared<HeldFileSystem>(directory);
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
    Engine engine = must(EngineInside::open_over(must(open_rocksdb_store(temp_ / "data", {.env = env.get()})),
                                                 {.clock = &clock_, .background = false}));
    files->reads().arm();
    auto backup = std::async(std::launch::async, [&] { return engine.backup(backups(), {.verify = true}); });
    files->reads().wait_until_held();
    auto closed = std::async(std::launch::async, [&] { return engine.close(); });
    while (engine.health().writes) std::this_thread::yield();
    files->reads().go_on();
    must(closed.get());
    engine_.emplace(open("data"));
    return backup.get();
  }

  TempDir temp_;
  ManualClock clock_;
  std::optional<Engine> engine_;
};

QueueCounts counts(Engine& engine, std::string_view queue) {
  return must(engine.describe_queue(queue)).counts;
}

TEST_F(BackupTest, RestoresQueuesMessagesLeasesAndDeadLetters) {
  must(engine_->create_queue("orders", {.retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dlq"}},
                             MissingQueues::kCreate));
  for (const char* body : {"a", "b", "c", "d"}) must(engine_->send("orders", {.body = body}));
  must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {.reason = "bad"}));
  const Receipt leased = must(engine_->receive("orders")).at(0).receipt;
  must(engine_->backup(backups()));
  must(engine_->purge_queue("orders"));

  Engine engine = restored("again");
  EXPECT_EQ(counts(engine, "orders"), (QueueCounts{.ready = 2, .leased = 1}));
  EXPECT_EQ(must(engine.list_dead_letters("dlq")).items.at(0).record.reason, "bad");
  // A delivery from before the backup goes on in both engines.
  must(engine.ack(leased));
  EXPECT_EQ(must(engine.receive("orders")).at(0).body, "c");
  EXPECT_TRUE(must(engine.verify()).sound());
}

// Two engines go on from one backup. What one of them gives out means nothing to the other.
TEST_F(BackupTest, ReceiptsOfTheOtherWorldAreStale) {
  must(engine_->create_queue("orders"));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->backup(backups()));
  Engine other = restored("other");
  std::set<MessageId> ids;
  std::set<LeaseId> leases;
  // Both are opened again and again, so that their epochs would meet.
  for (int i = 0; i < 5; ++i) {
    engine_.reset();
    engine_.emplace(open("data"));
    must(other.close());
    other = open("other");
    const Receipt here = must(engine_->receive("orders")).at(0).receipt;
    const Receipt there = must(other.receive("orders")).at(0).receipt;
    EXPECT_TRUE(leases.insert(here.lease).second);
    EXPECT_TRUE(leases.insert(there.lease).second);
    EXPECT_THAT(engine_->ack(there), FailsWith(ErrorCode::kReceiptStale));
    EXPECT_THAT(other.ack(here), FailsWith(ErrorCode::kReceiptStale));
    must(engine_->release(here, {.charge = false}));
    must(other.release(there, {.charge = false}));
    EXPECT_TRUE(ids.insert(must(engine_->send("orders", {})).id).second);
    EXPECT_TRUE(ids.insert(must(other.send("orders", {})).id).second);
  }
}

TEST_F(BackupTest, UnderLoadIsAConsistentPrefix) {
  must(engine_->create_queue("orders",
                             {.durability = Durability::kBuffered, .dead_letters = {.queue = "dlq"}},
                             MissingQueues::kCreate));
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> acknowledged = 0;
  std::jthread producer([&] {
    for (std::uint64_t i = 0; !stop; ++i) {
      must(engine_->send("orders", {.body = std::to_string(i)}));
      acknowledged = i + 1;
    }
  });
  std::jthread consumer([&] {
    for (std::uint64_t i = 0; !stop; ++i) {
      for (const Delivery& delivery : must(engine_->receive("orders", {.max = 5}))) {
        must(i % 7 == 0 ? engine_->reject(delivery.receipt, {}) : engine_->ack(delivery.receipt));
      }
    }
  });
  std::vector<std::uint64_t> sent_before;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    while (acknowledged < 200 * i) std::this_thread::yield();
    sent_before.push_back(acknowledged);
    must(engine_->backup(backups()));
  }
  stop = true;
  producer.join();
  consumer.join();
  for (std::uint32_t number = 1; number <= 4; ++number) {
    Engine engine = restored("restored" + std::to_string(number), {.number = number});
    EXPECT_TRUE(must(engine.verify()).sound());
    const QueueInfo orders = must(engine.describe_queue("orders"));
    const QueueCounts dead = counts(engine, "dlq");
    EXPECT_GE(orders.totals.sent, sent_before[number - 1]);
    // Each message that was sent is ready, leased, acked or dead.
    EXPECT_EQ(orders.totals.sent, orders.counts.ready + orders.counts.leased + orders.counts.waiting +
                                      orders.totals.acked + orders.totals.dead_lettered);
    EXPECT_EQ(dead.dead, orders.totals.dead_lettered);
    clock_.advance(1h);
    run_due_until_quiet(engine, clock_);
    std::set<std::string> bodies;
    for (;;) {
      const Deliveries some = must(engine.receive("orders", {.max = 1000, .lease = 12h}));
      if (some.empty()) break;
      for (const Delivery& delivery : some) {
        EXPECT_TRUE(bodies.insert(std::string(delivery.body)).second);
        EXPECT_LT(std::stoull(std::string(delivery.body)), orders.totals.sent);
      }
    }
    EXPECT_EQ(bodies.size(), orders.counts.ready + orders.counts.leased);
  }
}

TEST_F(BackupTest, LeavesTheDataAndTheReserveAlone) {
  EXPECT_THAT(engine_->backup(temp_ / "data" / "backups"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_FALSE(fs::exists(temp_ / "data" / "backups"));
  engine_.reset();
  engine_.emplace(must(
      Engine::open(temp_ / "data",
                   {.clock = &clock_, .background = false, .free_space_reserve = std::uint64_t{1} << 60})));
  EXPECT_THAT(engine_->backup(backups()), FailsNaming(ErrorCode::kDiskFull, "free_space_reserve"));
}

TEST_F(BackupTest, NeverOverwrites) {
  must(engine_->create_queue("orders"));
  must(engine_->backup(backups()));
  fs::create_directory(temp_ / "full");
  std::ofstream(temp_ / "full" / "mine") << "mine";
  EXPECT_THAT(Engine::restore(backups(), temp_ / "full"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Engine::restore(backups(), temp_ / "data"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(engine_->backup(temp_ / "full"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_TRUE(fs::exists(temp_ / "full" / "mine"));
  fs::create_directory(temp_ / "empty");
  must(Engine::restore(backups(), temp_ / "empty"));
  for (const auto& entry : fs::directory_iterator(temp_.path())) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(::testing::HasSubstr(".restore")));
  }
}

TEST_F(BackupTest, RestoresIntoAnEmptyDirectoryBehindALink) {
  must(engine_->create_queue("orders"));
  must(engine_->backup(backups()));
  fs::create_directory(temp_ / "empty");
  fs::create_directory_symlink(temp_ / "empty", temp_ / "link");
  must(Engine::restore(backups(), temp_ / "link"));
  EXPECT_TRUE(fs::is_symlink(temp_ / "link"));
  Engine engine = open("empty");
  EXPECT_EQ(counts(engine, "orders"), QueueCounts{});
  fs::create_directory_symlink(temp_ / "nowhere", temp_ / "dangling");
  EXPECT_THAT(Engine::restore(backups(), temp_ / "dangling"), FailsWith(ErrorCode::kInvalidArgument));
}

TEST_F(BackupTest, RestoresToWhereTheSystemFindsThePath) {
  must(engine_->backup(backups()));
  fs::create_directories(temp_ / "a" / "deep");
  fs::create_directory_symlink(temp_ / "a" / "deep", temp_ / "link");
  must(Engine::restore(backups(), temp_ / "link" / ".." / "again"));
  EXPECT_TRUE(fs::exists(temp_ / "a" / "again" / "CURRENT"));
  EXPECT_FALSE(fs::exists(temp_ / "again"));
}

TEST_F(BackupTest, LeavesTheBackupsOfOthersAlone) {
  {
    rocksdb::BackupEngine* engine = nullptr;
    ASSERT_TRUE(rocksdb::BackupEngine::Open(rocksdb::BackupEngineOptions(backups().string()),
                                            rocksdb::Env::Default(), &engine)
                    .ok());
    const std::unique_ptr<rocksdb::BackupEngine> owned(engine);
    rocksdb::DB* db = nullptr;
    rocksdb::Options options;
    options.create_if_missing = true;
    ASSERT_TRUE(rocksdb::DB::Open(options, (temp_ / "theirs").string(), &db).ok());
    const std::unique_ptr<rocksdb::DB> theirs(db);
    ASSERT_TRUE(owned->CreateNewBackup(theirs.get()).ok());
  }
  EXPECT_THAT(engine_->backup(backups(), {.keep = 1}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_TRUE(fs::exists(backups() / "meta" / "1"));
}

// If the first backup crashes, it can leave some of RocksDB's directories without the one that RocksDB makes
// last.
TEST_F(BackupTest, GoesOnInADirectoryThatACrashLeftHalfMade) {
  fs::create_directories(backups() / "shared_checksum");
  fs::create_directories(backups() / "private");
  EXPECT_THAT(engine_->backup(backups()), Succeeds());
  fs::create_directories(temp_ / "other" / "private");
  std::ofstream(temp_ / "other" / "private" / "diary") << "dear";
  EXPECT_THAT(engine_->backup(temp_ / "other"), FailsWith(ErrorCode::kInvalidArgument));
}

TEST_F(BackupTest, ARelativeNameInTheDataDirectoryIsRefused) {
  const fs::path before = fs::current_path();
  fs::current_path(temp_ / "data");
  EXPECT_THAT(engine_->backup("backups"), FailsWith(ErrorCode::kInvalidArgument));
  fs::current_path(before);
}

TEST_F(BackupTest, KeepsSoManyAndListsThem) {
  must(engine_->create_queue("orders"));
  for (int i = 0; i < 5; ++i) {
    must(engine_->send("orders", {.body = "x"}));
    must(engine_->backup(backups(), {.keep = 3, .verify = true}));
  }
  EXPECT_THAT(must(Engine::list_backups(backups())),
              ElementsAre(Field(&BackupInfo::number, 3U), Field(&BackupInfo::number, 4U),
                          Field(&BackupInfo::number, 5U)));
  EXPECT_THAT(Engine::restore(backups(), temp_ / "r", {.number = 1}), FailsWith(ErrorCode::kInvalidArgument));
  Engine fourth = restored("fourth", {.number = 4});
  EXPECT_EQ(counts(fourth, "orders").ready, 4U);
  EXPECT_THAT(Engine::list_backups(temp_ / "none"), FailsWith(ErrorCode::kInvalidArgument));
}

TEST_F(BackupTest, TakesNoOlderOneUnaskedIfTheNewestCannotBeRead) {
  must(engine_->create_queue("orders"));
  must(engine_->backup(backups()));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->backup(backups()));
  ASSERT_TRUE(fs::remove(backups() / "private" / "2" / "CURRENT"));
  EXPECT_THAT(Engine::restore(backups(), temp_ / "r"),
              AllOf(FailsNaming(ErrorCode::kCorruption, "number 2,"),
                    FailsNaming(ErrorCode::kCorruption, "number 1 ")));
  EXPECT_FALSE(fs::exists(temp_ / "r"));
  Engine first = restored("first", {.number = 1});
  EXPECT_EQ(counts(first, "orders").ready, 0U);
}

TEST_F(BackupTest, SharesTablesBetweenBackups) {
  must(engine_->create_queue("orders"));
  must(engine_->send_batch("orders", std::vector<Message>(200, {.body = std::string(10'000, 'x')})));
  must(engine_->compact());
  must(engine_->backup(backups()));
  const auto bytes = [&] {
    std::uintmax_t sum = 0;
    for (const auto& entry : fs::recursive_directory_iterator(backups())) {
      if (entry.is_regular_file() && entry.path().extension() == ".sst") sum += entry.file_size();
    }
    return sum;
  };
  const std::uintmax_t before = bytes();
  must(engine_->backup(backups()));
  EXPECT_EQ(bytes(), before);
}

TEST_F(BackupTest, OneThatTheEngineIsClosedUnderIsNotThere) {
  must(engine_->create_queue("orders"));
  must(engine_->backup(backups()));
  // While the backup copies, and while it reads back.
  for (const char* directory : {"data", "shared_checksum"}) {
    must(engine_->send("orders", {.body = "x"}));
    must(engine_->compact());  // makes tables that no backup has
    EXPECT_THAT(back_up_while_closing(directory), FailsWith(ErrorCode::kClosed)) << directory;
    EXPECT_THAT(must(Engine::list_backups(backups())), ElementsAre(Field(&BackupInfo::number, 1U)));
  }
  Engine first = restored("first");
  EXPECT_EQ(counts(first, "orders").ready, 0U);
  must(engine_->backup(backups(), {.verify = true}));
  Engine second = restored("second");
  EXPECT_EQ(counts(second, "orders").ready, 2U);
  EXPECT_TRUE(must(second.verify()).sound());
}

TEST_F(BackupTest, OneOfANewerVersionIsRefused) {
  must(engine_->close());
  engine_.reset();
  const auto store = must(open_rocksdb_store(temp_ / "data"));
  const auto batch = store->new_batch();
  batch->put(Family::kCatalog, keys::kFormatRow, encode_format_row(kFormatVersion + 1));
  ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
  const std::atomic<bool> cancel = false;
  must(store->backup(backups(), {}, 0, cancel));
  EXPECT_THAT(Engine::restore(backups(), temp_ / "restored"), FailsWith(ErrorCode::kFormatTooNew));
  EXPECT_FALSE(fs::exists(temp_ / "restored"));
}

TEST_F(BackupTest, ADamagedBackupIsRefused) {
  must(engine_->create_queue("orders"));
  must(engine_->send_batch("orders", std::vector<Message>(50, {.body = std::string(1000, 'x')})));
  must(engine_->backup(backups()));
  for (const auto& entry : fs::recursive_directory_iterator(backups())) {
    if (entry.path().extension() != ".log") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
    file.put('#');
  }
  EXPECT_THAT(Engine::restore(backups(), temp_ / "r"), FailsWith(ErrorCode::kCorruption));
  EXPECT_FALSE(fs::exists(temp_ / "r"));
}

}  // namespace
}  // namespace holdfast::testing
