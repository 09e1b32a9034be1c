// These tests are about opening and closing.
#include <rocksdb/db.h>

#include <fstream>
#include <functional>
#include <future>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/base/each_verb.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

// This store gives no message to anybody who asks for one.
class BlindStore final : public SwitchedStore {
 public:
  explicit BlindStore(std::unique_ptr<Store> store) : SwitchedStore(std::move(store), power_on()) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    if (family == Family::kMessages) return fail(ErrorCode::kCorruption, "not to be read");
    return SwitchedStore::get(family, key);
  }
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    return SwitchedStore::scan(family, begin, family == Family::kMessages ? begin : end);
  }
  std::unique_ptr<Scan> scan_down(Family family, std::string_view begin,
                                  std::string_view end) const override {
    return SwitchedStore::scan_down(family, begin, family == Family::kMessages ? begin : end);
  }
};

class OpenTest : public ::testing::Test {
 protected:
  Result<Engine> open(EngineOptions options = {}) {
    options.clock = &clock_;
    options.background = false;
    return Engine::open(temp_ / "data", options);
  }

  ManualClock clock_;
  TempDir temp_;
};

TEST_F(OpenTest, CreatesTheDirectory) {
  Engine engine = must(open());
  EXPECT_TRUE(std::filesystem::is_directory(temp_ / "data"));
  EXPECT_THAT(must(engine.list_queues()), IsEmpty());
}

TEST_F(OpenTest, RefusesADirectoryWithoutAnEngineIfAskedTo) {
  EXPECT_THAT(open({.create_if_missing = false}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "data" / "CURRENT"));
  must(must(open()).close());
  EXPECT_THAT(open({.create_if_missing = false}), Succeeds());
}

TEST_F(OpenTest, LeavesTheDatabaseOfAnotherProgramAsItIs) {
  const auto open_theirs = [&](rocksdb::DB** db) {
    rocksdb::Options options;
    options.create_if_missing = true;
    return rocksdb::DB::Open(options, (temp_ / "data").string(), db);
  };
  {
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(open_theirs(&opened).ok());
    const std::unique_ptr<rocksdb::DB> theirs(opened);
    ASSERT_TRUE(theirs->Put({}, "their key", "their value").ok());
  }
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kInvalidArgument, "another program"));
  EXPECT_THAT(open({.create_if_missing = false}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Engine::verify(temp_ / "data"), FailsWith(ErrorCode::kInvalidArgument));
  // RocksDB would refuse to open the database without one of its families, so no family was added.
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(open_theirs(&opened).ok());
  const std::unique_ptr<rocksdb::DB> theirs(opened);
  std::string value;
  EXPECT_TRUE(theirs->Get({}, "their key", &value).ok());
  EXPECT_EQ(value, "their value");
}

TEST_F(OpenTest, RefusesAMissingClock) {
  EXPECT_THAT(
      EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))), {.clock = nullptr}),
      FailsWith(ErrorCode::kInvalidArgument));
}

TEST_F(OpenTest, RefusesAFile) {
  std::ofstream(temp_ / "data") << "not a directory";
  EXPECT_THAT(open(), ::testing::Not(Succeeds()));
}

TEST_F(OpenTest, LocksTheDirectory) {
  Engine engine = must(open());
  EXPECT_THAT(open(), FailsWith(ErrorCode::kLocked));
  must(engine.close());
  EXPECT_THAT(open(), Succeeds());
}

TEST_F(OpenTest, LetsGoOfTheDirectoryWhenItIsDropped) {
  { const Engine engine = must(open()); }
  EXPECT_THAT(open(), Succeeds());
}

TEST_F(OpenTest, LeavesAnOpenMemoryStoreLocked) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  const Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
  EXPECT_THAT(open_memory_store(disk), FailsWith(ErrorCode::kLocked));
}

TEST_F(OpenTest, MovesWithItsHandle) {
  Engine first = must(open());
  must(first.create_queue("orders"));
  Engine second = std::move(first);
  must(second.send("orders", {.body = "a"}));
  const TempDir other;
  second = must(Engine::open(other.path(), {.clock = &clock_, .background = false}));
  EXPECT_THAT(must(second.list_queues()), IsEmpty());
  // The assignment has closed the engine that was there before.
  EXPECT_EQ(must(must(open()).describe_queue("orders")).counts.ready, 1U);
}

TEST_F(OpenTest, ClosesTwice) {
  Engine engine = must(open());
  must(engine.close());
  must(engine.close());
}

TEST_F(OpenTest, RefusesEveryVerbOnceClosed) {
  Engine engine = must(open());
  must(engine.create_queue("orders"));
  must(engine.send("orders", {.body = "a"}));
  const Receipt receipt = must(engine.receive("orders")).at(0).receipt;
  must(engine.close());
  for_each_verb([&](std::string_view name, auto verb) {
    EXPECT_THAT(call_verb(engine, verb, {.receipt = receipt, .directory = temp_ / "backup"}),
                FailsWith(ErrorCode::kClosed))
        << name;
  });
  engine.run_due();
}

TEST_F(OpenTest, EndsWaitingReceivesWithAnEmptyList) {
  Engine engine = must(open());
  must(engine.create_queue("orders"));
  std::vector<std::future<Result<Deliveries>>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::async(std::launch::async, [&] { return engine.receive("orders", {.wait = 1h}); }));
  }
  must(engine.close());
  for (auto& each : waiting) {
    const auto answer = each.get();
    // The engine was closed while the receive waited, or before it could begin to wait.
    if (answer) {
      EXPECT_THAT(*answer, IsEmpty());
    } else {
      EXPECT_THAT(answer, FailsWith(ErrorCode::kClosed));
    }
  }
}

TEST_F(OpenTest, ReadsNoMessages) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  {
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
    must(engine.create_queue("orders"));
    for (int i = 0; i < 500; ++i) must(engine.send("orders", {.body = std::to_string(i)}));
    EXPECT_EQ(must(engine.receive("orders", {.max = 100})).size(), 100U);
    must(engine.close());
  }
  Engine engine = must(EngineInside::open_over(std::make_unique<BlindStore>(must(open_memory_store(disk))),
                                               {.background = false}));
  const QueueCounts counts = must(engine.describe_queue("orders")).counts;
  EXPECT_EQ(counts.ready, 400U);
  EXPECT_EQ(counts.leased, 100U);
}

// Makes an engine with the queue "orders" on the disk, whose first message is leased, and closes it. Then it
// writes what `damage` adds, and returns what opening gives.
Result<Engine> open_damaged(const std::function<void(QueueId orders, Store& store, Batch& batch)>& damage) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  const auto open = [&] {
    return EngineInside::open_over(must(open_memory_store(disk)), {.background = false});
  };
  Engine engine = must(open());
  must(engine.create_queue("orders"));
  must(engine.send("orders", {.body = "a"}));
  must(engine.receive("orders"));
  const QueueId orders = must(engine.describe_queue("orders")).id;
  must(engine.close());
  const auto store = must(open_memory_store(disk));
  const auto batch = store->new_batch();
  damage(orders, *store, *batch);
  EXPECT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
  must(store->close());
  return open();
}

TEST_F(OpenTest, OpensWhatIsNotDamaged) {
  EXPECT_THAT(open_damaged([](QueueId, Store&, Batch&) {}), Succeeds());
}

TEST_F(OpenTest, RefusesTwoQueuesOfOneName) {
  EXPECT_THAT(open_damaged([&](QueueId orders, Store& store, Batch& batch) {
                const QueueId second{static_cast<std::uint64_t>(orders) + 1};
                const auto checkpoint = store.get(Family::kCatalog, keys::queue_checkpoint(orders));
                batch.put(Family::kCatalog, keys::queue_checkpoint(second), **checkpoint);
                batch.put(Family::kCatalog, keys::queue_definition(second),
                          encode_queue_definition({"orders", clock_.now(), {}}));
              }),
              FailsNaming(ErrorCode::kCorruption, "two queues have the name 'orders'"));
}

TEST_F(OpenTest, RefusesStagesThatAreNone) {
  EXPECT_THAT(open_damaged([&](QueueId orders, Store&, Batch& batch) {
                const QueueOptions options{.retry = {.policy = {.kind = RetryKind::kStages}}};
                batch.put(Family::kCatalog, keys::queue_definition(orders),
                          encode_queue_definition({"orders", clock_.now(), options}));
              }),
              FailsNaming(ErrorCode::kCorruption, "queue 'orders' delivers again by stages, and has none"));
}

TEST_F(OpenTest, RefusesDeliveriesPastTheLastMessage) {
  EXPECT_THAT(open_damaged([](QueueId orders, Store& store, Batch& batch) {
                const auto row =
                    store.scan(Family::kDeliveries, keys::queue_seq(orders, Seq{0}), keys::queue_end(orders));
                ASSERT_TRUE(row->valid());
                batch.put(Family::kDeliveries, keys::queue_seq(orders, Seq{2}), row->value());
              }),
              FailsNaming(ErrorCode::kCorruption, "queue 'orders' has deliveries past its last message"));
}

TEST_F(OpenTest, KeepsEverythingOverManyReopens) {
  for (int i = 0; i < 10; ++i) {
    Engine engine = must(open());
    must(engine.create_queue("orders"));
    must(engine.send("orders", {.body = std::to_string(i)}, {.durability = Durability::kBuffered}));
    EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, static_cast<std::uint64_t>(i + 1));
  }
}

}  // namespace
}  // namespace holdfast::testing
