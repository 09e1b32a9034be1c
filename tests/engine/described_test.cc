// These tests are about descriptions of failures on disk. A description is there as long as its message is,
// and no longer.
#include <gmock/gmock.h>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_batch.h"
#include "engine/storage/memory/memory_store.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class DescribedTest : public ::testing::Test {
 protected:
  DescribedTest() {
    open();
    must(engine_->create_queue("dlq"));
    must(engine_->create_queue(
        "orders", {.lease = 10s, .retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
  }

  void open() {
    engine_.emplace(must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false})));
  }
  void close() {
    must(engine_->close());
    engine_.reset();
  }
  // Returns how many rows of descriptions there are.
  std::size_t rows() {
    close();
    std::size_t rows = 0;
    {
      const auto store = must(open_rocksdb_store(temp_ / "data"));
      {
        const auto scan = store->scan(Family::kScheduled, {}, std::string(32, '\xff'));
        for (; scan->valid(); scan->next()) rows += keys::parse_failure(scan->key()) ? 1 : 0;
      }
      must(store->close());
    }
    open();
    return rows;
  }
  void send() { must(engine_->send("orders", {.body = "x"})); }
  Receipt receive() { return must(engine_->receive("orders")).at(0).receipt; }
  void release(ReleaseOptions options = {}) {
    if (options.failure.empty()) options.failure = {.reason = "told"};
    must(engine_->release(receive(), options));
  }

  TempDir temp_;
  ManualClock clock_;
  std::optional<Engine> engine_;
};

TEST_F(DescribedTest, GoesWithAnAck) {
  send();
  release();
  release();
  EXPECT_EQ(rows(), 2U);
  must(engine_->ack(receive()));
  EXPECT_EQ(rows(), 0U);
}

TEST_F(DescribedTest, GoesWithADeath) {
  for (int i = 0; i < 3; ++i) send();
  for (int i = 0; i < 2; ++i) release();
  EXPECT_EQ(rows(), 2U);
  for (int i = 0; i < 7; ++i) release();
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 3U);
  EXPECT_EQ(rows(), 0U);
}

TEST_F(DescribedTest, GoesWithAPurgeAndWithItsQueue) {
  send();
  release();
  must(engine_->purge_queue("orders"));
  EXPECT_EQ(rows(), 0U);
  send();
  release({.delay = 1h});
  advance(*engine_, clock_, 0s);
  EXPECT_EQ(rows(), 1U);
  must(engine_->delete_queue("orders"));
  EXPECT_EQ(rows(), 0U);
}

TEST_F(DescribedTest, GoesWithAMessageThatWasDroppedWhereItWaited) {
  must(engine_->alter_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  must(engine_->send("orders", {.body = "x", .time_to_live = 2h}));
  release({.delay = 1h});
  advance(*engine_, clock_, 0s);
  EXPECT_EQ(rows(), 1U);
  advance(*engine_, clock_, 3h);
  advance(*engine_, clock_, 0s);
  EXPECT_EQ(rows(), 0U);
}

TEST_F(DescribedTest, IsBoundedHoweverOftenTheMessageFails) {
  must(engine_->alter_queue("orders", {.retry = {.max_deliveries = 100}}));
  send();
  for (int i = 0; i < 60; ++i) release();
  EXPECT_EQ(rows(), limits::kFirstAttempts + limits::kLastAttempts);
}

TEST_F(DescribedTest, IsForgottenByAnUnchargedRelease) {
  send();
  const Receipt receipt = receive();
  must(engine_->extend(receipt, 1min, {.lets_run_out = {.reason = "told"}}));
  EXPECT_EQ(rows(), 1U);
  must(engine_->release(receipt, {.charge = false}));
  EXPECT_EQ(rows(), 0U);
}

TEST_F(DescribedTest, ComesWithATransactionToo) {
  send();
  release();
  Transaction second;
  second.release(receive(), {.failure = {.category = "c", .reason = "second"}});
  must(engine_->commit(std::move(second)));
  EXPECT_EQ(rows(), 2U);
  Transaction third;
  third.reject(receive(), {.reason = "third"});
  must(engine_->commit(std::move(third)));
  const auto page = must(engine_->list_dead_letters("dlq"));
  const FailureRecord& record = page.items.at(0).record;
  EXPECT_EQ(record.reason, "third");
  EXPECT_EQ(record.attempts.kept.at(0).failure.reason, "told");
  EXPECT_EQ(record.attempts.kept.at(1).failure, (Failure{.category = "c", .reason = "second"}));
  EXPECT_EQ(rows(), 0U);
}

TEST_F(DescribedTest, SalvageBringsItOver) {
  send();
  release({.delay = 1h});
  send();
  release();
  advance(*engine_, clock_, 0s);
  close();
  const auto report = must(Engine::salvage(temp_ / "data", temp_ / "saved"));
  EXPECT_EQ(report.messages_lost, 0U);
  engine_.emplace(must(Engine::open(temp_ / "saved", {.clock = &clock_, .background = false})));
  EXPECT_TRUE(must(engine_->verify()).sound());
  advance(*engine_, clock_, 1h);
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = 2})))
    must(engine_->reject(delivery.receipt, {.reason = "over"}));
  for (const DeadLetter& letter : must(engine_->list_dead_letters("dlq")).items)
    EXPECT_EQ(letter.record.attempts.kept.at(0).failure.reason, "told");
}

// Counts the rows that commits put.
class CountingStore final : public SwitchedStore {
 public:
  CountingStore(std::unique_ptr<Store> store, std::size_t& puts)
      : SwitchedStore(std::move(store), power_on()), puts_(puts) {}
  CommitResult commit(Batch& batch, Durability durability) override {
    for (const MemoryChange& change : dynamic_cast<MemoryBatch&>(batch).changes()) {
      const bool put = change.kind == MemoryChange::Kind::kPut || change.kind == MemoryChange::Kind::kPutOnce;
      puts_ += put ? 1 : 0;
    }
    return SwitchedStore::commit(batch, durability);
  }

 private:
  std::size_t& puts_;
};

TEST(DescribedDeath, TakesNoMoreRowsThanAnother) {
  ManualClock clock;
  std::size_t puts = 0;
  auto store =
      std::make_unique<CountingStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), puts);
  Engine engine = must(EngineInside::open_over(std::move(store), {.clock = &clock, .background = false}));
  must(engine.create_queue("dlq"));
  must(engine.create_queue("orders", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}},
                           MissingQueues::kCreate));
  const auto rows_of_death = [&](const Failure& failure) {
    must(engine.send("orders", {.body = "x"}));
    const Receipt receipt = must(engine.receive("orders")).at(0).receipt;
    const std::size_t before = puts;
    must(engine.release(receipt, {.failure = failure}));
    return puts - before;
  };
  const Failure told{.reason = "why", .stack_trace = std::string(10'000, 's'), .partial_output = "half"};
  for (const Failure& first : {Failure{}, told}) rows_of_death(first);
  EXPECT_EQ(rows_of_death(told), rows_of_death({}));
  EXPECT_EQ(must(engine.describe_queue("dlq")).counts.dead, 4U);
  must(engine.close());
}

}  // namespace
}  // namespace holdfast::testing
