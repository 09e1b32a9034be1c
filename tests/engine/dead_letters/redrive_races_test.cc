// A dead letter queue is redriven and received from at once, the dead letter queue of a source changes, and
// the queue that dead letters go back to is deleted.
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class RedriveRaces : public ::testing::Test {
 protected:
  static constexpr std::size_t kMessages = 2000;
  static constexpr std::size_t kBatch = 20;

  void open() {
    engine_.reset();
    engine_.emplace(must(EngineInside::open_over(
        must(open_memory_store(disk_)), {.clock = &clock_, .background = false, .message_cache_bytes = 1})));
  }

  void die_in_batches() {
    for (std::size_t i = 0; i < kMessages; i += kBatch) {
      std::vector<Message> messages(kBatch);
      for (Message& message : messages) message.body = std::to_string(++sent_);
      must(engine_->send_batch("orders", messages));
      std::vector<Receipt> receipts;
      for (const Delivery& delivery : must(engine_->receive("orders", {.max = kBatch})))
        receipts.push_back(delivery.receipt);
      for (const auto& rejected : must(engine_->reject_batch(receipts, {.reason = "r"}))) must(rejected);
    }
  }

  // Receives and acknowledges some messages. Returns whether there were any.
  bool take_some(const std::string& queue) {
    const Deliveries deliveries = must(engine_->receive(queue, {.max = 7, .lease = 12h}));
    for (const Delivery& delivery : deliveries) {
      must(engine_->ack(delivery.receipt));
      const std::scoped_lock lock(mutex_);
      ++taken_[std::string(delivery.body)];
    }
    return !deliveries.empty();
  }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  std::optional<Engine> engine_;
  std::size_t sent_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> taken_;
};

TEST_F(RedriveRaces, WhatGoesBackIsNotHandedOutWhereItWas) {
  open();
  must(engine_->create_queue("orders",
                             {.durability = Durability::kBuffered, .dead_letters = {.queue = "dead"}},
                             MissingQueues::kCreate));
  must(engine_->alter_queue("dead", {.durability = Durability::kBuffered}));
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    die_in_batches();
    open();  // so the queue is read from the store while it is received from
    std::thread consumer([this] {
      while (take_some("dead")) continue;
    });
    std::thread redriver([this] {
      while (must(engine_->redrive("dead", {.max = 50})).moved > 0) continue;
    });
    consumer.join();
    redriver.join();
    while (take_some("orders") || take_some("dead")) continue;
  }
  EXPECT_EQ(taken_.size(), kRounds * kMessages);
  for (const auto& [body, times] : taken_) EXPECT_EQ(times, 1) << body;
}

// The queue is deleted once the first dead letter is planned to go back to it, and before any moves.
TEST_F(RedriveRaces, NothingGoesBackToAQueueThatIsDeletedMeanwhile) {
  for (const bool dry_run : {true, false}) {
    SCOPED_TRACE(dry_run);
    open();
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
    for (int i = 0; i < 2; ++i) {
      must(engine_->send("orders", {.body = std::to_string(i)}));
      must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {}));
    }
    const auto delete_after_the_first = [&](const DeadLetter& letter) -> Result<Message> {
      if (letter.body == "1") {
        auto deleted = std::async(std::launch::async, [&] { return engine_->delete_queue("orders"); });
        must(deleted.get());
      }
      return Message{.body = letter.body};
    };
    const Redriven redriven = must(engine_->redrive("dead", {.dry_run = dry_run}, delete_after_the_first));
    EXPECT_EQ(redriven.moved, 0U);
    EXPECT_EQ(redriven.left, LeftInPlace{.no_queue = 2});
    must(engine_->purge_queue("dead"));
  }
}

// What dies after the change goes to the new queue, though the reject began before it.
TEST_F(RedriveRaces, AChangedDeadLetterQueueCountsAtOnce) {
  open();
  must(engine_->create_queue("orders",
                             {.durability = Durability::kBuffered, .dead_letters = {.queue = "dead0"}},
                             MissingQueues::kCreate));
  std::atomic<bool> done = false;
  const auto die = [&](bool in_transaction) {
    while (!done) {
      must(engine_->send("orders", {.body = "x"}));
      for (const Delivery& delivery : must(engine_->receive("orders"))) {
        if (in_transaction) {
          Transaction transaction;
          transaction.reject(delivery.receipt, {.reason = "r"});
          must(engine_->commit(std::move(transaction), {.durability = Durability::kBuffered}));
        } else {
          must(engine_->reject(delivery.receipt, {.reason = "r"}));
        }
      }
    }
  };
  std::thread rejecting(die, false);
  std::thread committing(die, true);
  const auto dead = [&](const std::string& queue) {
    return must(engine_->describe_queue(queue)).counts.dead;
  };
  constexpr int kChanges = 400;
  for (int i = 1; i <= kChanges; ++i) {
    const std::string before = "dead" + std::to_string((i - 1) % 2);
    const std::string after = "dead" + std::to_string(i % 2);
    must(engine_->alter_queue("orders", {.dead_letters = {.queue = after}}, MissingQueues::kCreate));
    const std::uint64_t there = dead(before);
    const std::uint64_t goal = dead(after) + 5;
    while (dead(after) < goal) std::this_thread::yield();
    EXPECT_EQ(dead(before), there) << "change " << i;
  }
  done = true;
  rejecting.join();
  committing.join();
}

}  // namespace
}  // namespace holdfast::testing
