// Many threads call at once. Every message is acknowledged once, and has one holder at a time.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class ConcurrencyTest : public ::testing::Test {
 protected:
  static void run(std::size_t threads, const std::function<void(std::size_t)>& body) {
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i) {
      running.emplace_back([&body, i] {
        try {
          body(i);
        } catch (const std::exception& wrong) {
          ADD_FAILURE() << wrong.what();
        }
      });
    }
  }

  // The store is in memory, so that the threads meet in the engine and not at the disk.
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  Engine engine_ = must(EngineInside::open_over(must(open_memory_store(disk_))));
};

TEST_F(ConcurrencyTest, EveryMessageIsAcknowledgedOnce) {
  constexpr std::size_t kSenders = 3;
  constexpr std::size_t kReceivers = 3;
  constexpr std::size_t kEach = 2000;
  must(engine_.create_queue("orders", {.lease = 1h}));
  std::mutex mutex;
  std::set<std::string> acked;
  std::atomic<std::size_t> left = kSenders * kEach;
  run(kSenders + kReceivers, [&](std::size_t thread) {
    Random random(thread);
    if (thread < kSenders) {
      for (std::size_t i = 0; i < kEach;) {
        std::vector<Message> batch;
        for (std::uint64_t n = random.between(1, 10); n > 0 && i < kEach; --n, ++i) {
          batch.push_back({.body = std::to_string(thread) + "-" + std::to_string(i)});
        }
        for (const auto& sent : must(engine_.send_batch("orders", std::move(batch)))) must(sent);
      }
      return;
    }
    while (left > 0) {
      for (const Delivery& delivery :
           must(engine_.receive("orders", {.max = random.between(1, 20), .wait = 1ms}))) {
        if (random.one_in(10)) {
          must(engine_.release(delivery.receipt, {.charge = false}));
          continue;
        }
        must(engine_.ack(delivery.receipt));
        const std::scoped_lock lock(mutex);
        if (!acked.emplace(delivery.body).second) throw std::runtime_error("acknowledged twice");
        --left;
      }
    }
  });
  EXPECT_EQ(acked.size(), kSenders * kEach);
  const QueueInfo info = must(engine_.describe_queue("orders"));
  EXPECT_EQ(info.counts, QueueCounts{});
  EXPECT_EQ(info.totals.sent, kSenders * kEach);
  EXPECT_EQ(info.totals.acked, kSenders * kEach);
}

// All verbs run against each other. What is left must add up.
TEST_F(ConcurrencyTest, EveryPairOfVerbsGetsAlong) {
  constexpr std::size_t kSteps = 1500;
  must(engine_.create_queue(
      "dlq", {.lease = 2ms, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "parked"}},
      MissingQueues::kCreate));
  must(engine_.create_queue("orders",
                            {.lease = 2ms, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}},
                            MissingQueues::kCreate));
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> acked = 0;
  run(4, [&](std::size_t thread) {
    Random random(thread + 100);
    std::vector<Receipt> held;
    for (std::size_t i = 0; i < kSteps; ++i) {
      const char* queue = random.one_in(4) ? "dlq" : "orders";
      const auto receipt = [&] {
        const Receipt last = held.empty() ? Receipt{} : held.back();
        if (!held.empty()) held.pop_back();
        return last;
      };
      switch (random.below(10)) {
        case 0:
        case 1:
          must(engine_.send("orders", {.body = random.bytes(random.below(300))}));
          ++sent;
          break;
        case 2:
        case 3:
          for (const Delivery& delivery : must(engine_.receive(queue, {.max = 5, .wait = 1ms}))) {
            held.push_back(delivery.receipt);
          }
          break;
        case 4:
          if (engine_.ack(receipt())) ++acked;
          break;
        case 5:
          (void)engine_.release(receipt(),
                                {.delay = random.one_in(2) ? 1ms : 0ms, .charge = random.one_in(2)});
          break;
        case 6:
          (void)engine_.reject(receipt(), {.category = "c"});
          break;
        case 7:
          (void)engine_.extend(receipt(), 3ms);
          break;
        case 8:
          must(engine_.redrive(queue));
          break;
        default:
          must(engine_.list_dead_letters("dlq", {.max = 10, .bodies = true}));
          must(engine_.describe_queue(queue));
      }
    }
  });
  // The engine is opened again, so that no message dies of its lease while the queues are counted one by one.
  must(engine_.close());
  engine_ = must(EngineInside::open_over(must(open_memory_store(disk_)), {.background = false}));
  std::uint64_t left = 0;
  for (const QueueInfo& info : must(engine_.list_queues())) {
    left += info.counts.ready + info.counts.waiting + info.counts.leased;
  }
  EXPECT_EQ(left, sent - acked);
}

TEST_F(ConcurrencyTest, QueuesComeAndGoUnderLoad) {
  run(4, [&](std::size_t thread) {
    Random random(thread + 200);
    for (int i = 0; i < 400; ++i) {
      const std::string queue = "q" + std::to_string(random.below(3));
      switch (random.below(6)) {
        case 0:
          (void)engine_.create_queue(queue, {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate);
          break;
        case 1:
          (void)engine_.delete_queue(queue);
          break;
        case 2:
          (void)engine_.purge_queue(queue);
          break;
        case 3:
          (void)engine_.send(queue, {.body = "x"});
          break;
        case 4:
          if (const auto out = engine_.receive(queue, {.wait = 1ms}); out && !out->empty()) {
            (void)engine_.reject(out->front().receipt, {});
          }
          break;
        default:
          (void)engine_.redrive("dlq");
      }
    }
  });
  EXPECT_TRUE(must(engine_.verify()).sound());
  for (const QueueInfo& info : must(engine_.list_queues())) {
    EXPECT_EQ(must(engine_.purge_queue(info.name)),
              info.counts.ready + info.counts.waiting + info.counts.leased);
  }
  EXPECT_TRUE(must(engine_.verify()).sound());
}

TEST_F(ConcurrencyTest, CloseUnderLoadAnswersEverybody) {
  must(engine_.create_queue("orders"));
  std::atomic<int> busy = 0;
  run(5, [&](std::size_t thread) {
    if (thread == 4) {
      while (busy < 4) std::this_thread::yield();
      must(engine_.close());
      return;
    }
    for (;;) {
      const auto sent = engine_.send("orders", {.body = "x"});
      const auto out = engine_.receive("orders", {.max = 2, .wait = 1h});
      ++busy;
      if (sent && out) continue;
      EXPECT_EQ((sent ? out.error() : sent.error()).code, ErrorCode::kClosed);
      return;
    }
  });
}

}  // namespace
}  // namespace holdfast::testing
