// Threads call with a callback while a write fails, or while the engine is closed. Each call is answered
// once, and no call is left when close() has returned.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/answer.h"
#include "tests/support/last_words.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kThreads = 3;
constexpr std::uint64_t kCallsPerThread = 150;

class Race {
 public:
  explicit Race(std::uint64_t seed) : seed_(seed) {
    must(engine_.create_queue(
        "orders", {.lease = 1s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dead"}},
        MissingQueues::kCreate));
    must(engine_.create_queue("short", {.limits = {.max_length = 5, .on_overflow = OverflowPolicy::kDropHead},
                                        .grouping = {.mode = Grouping::kOrdered}}));
    must(engine_.create_queue("once", {.deduplication = {.mode = Deduplication::kById}}));
    Random random(seed);
    if (random.one_in(4)) return;  // no write fails in this race
    disk_->fail_commit(random.between(1, 200),
                       random.one_in(2) ? CommitOutcome::kFailed : CommitOutcome::kUnknown);
  }

  // Returns how many calls were not answered once.
  std::ptrdiff_t run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([this, i] {
        Random random(seed_ * kThreads + i);
        for (std::uint64_t n = 0; n < kCallsPerThread; ++n, ++called_) call(random);
      });
    }
    Random random(seed_);
    const std::uint64_t closed_after = random.between(1, kThreads * kCallsPerThread);
    while (called_ < closed_after) std::this_thread::yield();
    (void)engine_.close();
    for (std::thread& thread : threads) thread.join();
    return counts_.not_answered_once();
  }

 private:
  std::string any_queue(Random& random) {
    static const std::vector<std::string> queues{"orders", "short", "once", "dead"};
    return random.pick(queues);
  }

  std::vector<Receipt> any_receipts(Random& random) {
    const std::scoped_lock lock(mutex_);
    if (receipts_.empty()) return {};
    return {random.pick(receipts_), random.pick(receipts_)};
  }

  void receive(Random& random) {
    const Duration wait = random.one_in(2) ? Duration(1h) : Duration{0};
    const auto token =
        engine_.async_receive(any_queue(random), {.max = 3, .wait = wait},
                              [this, count = counts_.callback()](const Result<Deliveries>& deliveries) {
                                count(deliveries);
                                if (!deliveries) return;
                                const std::scoped_lock lock(mutex_);
                                for (const Delivery& delivery : *deliveries)
                                  receipts_.push_back(delivery.receipt);
                              });
    if (random.one_in(4)) engine_.cancel_receive(token);
  }

  void send(Random& random) {
    const Message message{.body = "x",
                          .group = "g" + std::to_string(random.below(2)),
                          .deduplication_id = std::to_string(random.below(20))};
    const SendOptions options{.durability = random.one_in(2) ? Durability::kFsync : Durability::kBuffered,
                              .request_id = random.one_in(4) ? std::to_string(random.below(9)) : ""};
    const bool fsync = options.durability == Durability::kFsync;
    engine_.async_send_batch(any_queue(random), {message, message}, options,
                             [fsync, count = counts_.callback()](const auto& answers) {
                               count(answers);
                               for (std::size_t i = 0; fsync && answers && i < answers->size(); ++i) {
                                 const Result<Sent>& sent = answers->at(i);
                                 EXPECT_TRUE(!sent || sent->durability == Durability::kFsync);
                               }
                             });
  }

  void call(Random& random) {
    switch (random.below(10)) {
      case 0:
        return engine_.async_ack_batch(any_receipts(random), {}, counts_.callback());
      case 1:
        return engine_.async_release_batch(any_receipts(random), {}, counts_.callback());
      case 2:
        return engine_.async_reject_batch(any_receipts(random), {.reason = "r"}, {}, counts_.callback());
      case 3:
        return engine_.async_extend_batch(any_receipts(random), 5s, {}, counts_.callback());
      case 4: {
        Transaction transaction;
        transaction.send(any_queue(random), {.body = "t"});
        return engine_.async_commit(std::move(transaction), {}, counts_.callback());
      }
      case 5:
        (void)engine_.async_redrive("dead", {}, counts_.callback());
        return;
      case 6:
        (void)engine_.async_call([](Engine& engine) { return engine.list_dead_letters("dead"); },
                                 counts_.callback());
        return;
      case 7:
        return receive(random);
      case 8:
        clock_.advance(500ms);
        return;
      default:
        return send(random);
    }
  }

  const std::uint64_t seed_;
  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(seed_);
  AnswerCounts counts_;
  std::mutex mutex_;
  std::vector<Receipt> receipts_;
  std::atomic<std::uint64_t> called_ = 0;
  Engine engine_ = must(EngineInside::open_over(
      must(open_memory_store(disk_)), {.clock = &clock_, .message_cache_bytes = 1, .free_space_reserve = 0}));
};

TEST(FailureRaces, EachCallIsAnsweredOnce) {
  const std::uint64_t first = environment_number("HOLDFAST_FAILURE_RACES_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_FAILURE_RACES_SEEDS", 200);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const LastWords words("seed " + std::to_string(seed));
    ASSERT_EQ(Race(seed).run(), 0) << "calls of seed " << seed;
  }
}

}  // namespace
}  // namespace holdfast::testing
