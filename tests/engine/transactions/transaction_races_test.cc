// Transactions beside other transactions, and beside changes of their queues.
#include <atomic>
#include <memory>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/engine/transactions/transaction_fixture.h"
#include "tests/support/gated_store.h"
#include "tests/support/paused_store.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using ::testing::Optional;

// When transactions take many queues in any order, there is no deadlock, and no message is made or lost.
TEST_F(TransactionTest, ManyAtOnceOverTheSameQueues) {
  constexpr int kQueues = 4;
  constexpr int kThreads = 4;
  constexpr int kEach = 60;
  const auto queue = [](std::uint64_t i) { return "q" + std::to_string(i); };
  for (int i = 0; i < kQueues; ++i) {
    must(engine_->create_queue(queue(static_cast<std::uint64_t>(i)), {.dead_letters = {.queue = "q-dead"}},
                               MissingQueues::kCreate));
  }
  for (int i = 0; i < kThreads * kEach; ++i) {
    must(engine_->send(queue(static_cast<std::uint64_t>(i) % kQueues), {.body = "x"},
                       {Durability::kBuffered}));
  }
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<std::uint64_t>(t));
      for (int i = 0; i < kEach; ++i) {
        Transaction transaction;
        for (int n = 0; n < 2; ++n) {
          for (const auto& delivery : must(engine_->receive(queue(random.below(kQueues))))) {
            transaction.ack(delivery.receipt).send(queue(random.below(kQueues)), {.body = "x"});
          }
        }
        for (const auto& delivery : must(engine_->receive(queue(random.below(kQueues))))) {
          transaction.reject(delivery.receipt, {});
        }
        must(engine_->commit(std::move(transaction), {.durability = Durability::kBuffered}));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::uint64_t total = counts("q-dead").ready;
  for (int i = 0; i < kQueues; ++i) {
    const QueueCounts at = counts(queue(static_cast<std::uint64_t>(i)));
    EXPECT_EQ(at.leased, 0U);
    total += at.ready;
  }
  EXPECT_EQ(total, static_cast<std::uint64_t>(kThreads * kEach));
}

// With a condition on what the transaction has read, a read-modify-write loses no update.
TEST_F(TransactionTest, ConditionsMakeReadModifyWriteSafe) {
  constexpr int kThreads = 4;
  constexpr int kEach = 50;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int done = 0; done < kEach;) {
        const auto before = must(engine_->get(family_, "n"));
        Transaction transaction;
        transaction.expect(family_, "n", before)
            .put(family_, "n", std::to_string(std::stoi(before.value_or("0")) + 1));
        const auto committed = engine_->commit(std::move(transaction), {.durability = Durability::kBuffered});
        if (committed) {
          ++done;
        } else {
          EXPECT_EQ(committed.error().code, ErrorCode::kPreconditionFailed);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(value("n"), Optional(std::to_string(kThreads * kEach)));
}

// Counts the reads of rows of the application.
class WatchedStore final : public GatedStore {
 public:
  using Reads = std::shared_ptr<std::atomic<int>>;

  WatchedStore(std::unique_ptr<Store> store, CommitGate shut, Reads reads)
      : GatedStore(std::move(store), power_on(), std::move(shut)), reads_(std::move(reads)) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    auto row = GatedStore::get(family, key);
    if (is_application_family(family)) ++*reads_;
    return row;
  }

 private:
  Reads reads_;
};

// The first transaction's write is not committed yet when the second transaction reads.
TEST(TransactionConditions, AreHeldAgainstWhatIsBeingCommitted) {
  const CommitGate shut = open_gate();
  const auto reads = std::make_shared<std::atomic<int>>(0);
  Engine engine = must(EngineInside::open_over(
      std::make_unique<WatchedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), shut, reads),
      {}));
  must(engine.create_queue("sign"));
  const ApplicationFamily family = must(engine.open_family("state"));
  *shut = true;
  std::thread first(
      [&] { must(engine.commit(Transaction().put(family, "n", "1").send("sign", {.body = "joined"}))); });
  while (must(engine.describe_queue("sign")).counts.ready == 0) std::this_thread::yield();
  std::thread second([&] {
    EXPECT_THAT(engine.commit(Transaction().expect(family, "n", std::nullopt).put(family, "n", "2")),
                FailsWith(ErrorCode::kPreconditionFailed));
  });
  while (*reads == 0) std::this_thread::yield();
  *shut = false;
  shut->notify_all();
  first.join();
  second.join();
  EXPECT_THAT(must(engine.get(family, "n")), Optional(std::string("1")));
}

// The queue gets a dead letter queue after the transaction has read what a discarded message leaves.
TEST(TransactionRejects, KeepTheMessageIfItsQueueDiscardsNoMore) {
  const auto pause = std::make_shared<Pause>(Family::kMessages);
  Engine engine = must(EngineInside::open_over(
      std::make_unique<PausedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), open_gate(),
                                    pause),
      {.background = false, .message_cache_bytes = 1}));
  must(engine.create_queue("orders", {.dead_letters = {.discard_rejected = true}}));
  must(engine.create_queue("others"));
  must(engine.send("orders", {.body = "kept", .attributes = {{"n", "v"}}}));
  const Receipt receipt = must(engine.receive("orders")).at(0).receipt;
  must(engine.send("others", {.body = "in the cache instead"}));
  pause->arm();
  std::thread rejecting([&] { EXPECT_THAT(engine.commit(Transaction().reject(receipt, {})), Succeeds()); });
  pause->wait_until_held();
  must(engine.alter_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  pause->go_on();
  rejecting.join();
  const Delivery dead = must(engine.receive("dlq")).at(0);
  EXPECT_EQ(dead.body, "kept");
  EXPECT_EQ(find_attribute(dead.attributes, "n"), "v");
}

}  // namespace
}  // namespace holdfast::testing
