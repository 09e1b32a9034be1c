// Threads call with a callback while the server goes away and comes back, and until the client is closed.
// Each call is answered once, and no call is left when close() has returned.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/client/served.h"
#include "tests/support/answer.h"
#include "tests/support/last_words.h"
#include "tests/support/random.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kThreads = 2;
constexpr std::uint64_t kCallsPerThread = 200;

class Race {
 public:
  Race(Served& served, std::uint64_t seed)
      : served_(served), seed_(seed), client_(served.connect({.call_timeout = 1min})) {
    must(client_.create_queue("orders",
                              {.durability = Durability::kBuffered,
                               .retry = {.max_deliveries = 2},
                               .dead_letters = {.queue = "dead"}},
                              MissingQueues::kCreate));
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
    await_calls(random.between(1, 100));
    served_.stop();
    if (random.one_in(2)) await_calls(called_ + random.between(1, 50));
    served_.start();
    await_calls(called_ + random.between(1, 100));
    client_.close();
    for (std::thread& thread : threads) thread.join();
    return counts_.not_answered_once();
  }

 private:
  void await_calls(std::uint64_t calls) const {
    while (called_ < std::min(calls, kThreads * kCallsPerThread)) std::this_thread::yield();
  }

  std::vector<Receipt> any_receipts(Random& random) {
    const std::scoped_lock lock(mutex_);
    if (receipts_.empty()) return {};
    return {random.pick(receipts_), random.pick(receipts_)};
  }

  void receive(Random& random) {
    const Duration wait = random.one_in(2) ? Duration(1min) : Duration{0};
    const auto token =
        client_.async_receive("orders", {.max = 3, .wait = wait},
                              [this, count = counts_.callback()](const Result<Deliveries>& deliveries) {
                                count(deliveries);
                                if (!deliveries) return;
                                const std::scoped_lock lock(mutex_);
                                for (const Delivery& delivery : *deliveries)
                                  receipts_.push_back(delivery.receipt);
                              });
    if (random.one_in(3)) client_.cancel_receive(token);
  }

  void send(Random& random) {
    const bool fsync = random.one_in(2);
    const SendOptions options{.durability = fsync ? std::optional(Durability::kFsync) : std::nullopt};
    client_.async_send_batch("orders", {{.body = "x"}, {.body = "y"}}, options,
                             [fsync, count = counts_.callback()](const auto& answers) {
                               count(answers);
                               for (std::size_t i = 0; fsync && answers && i < answers->size(); ++i) {
                                 const Result<Sent>& sent = answers->at(i);
                                 EXPECT_TRUE(!sent || sent->durability == Durability::kFsync);
                               }
                             });
  }

  void call(Random& random) {
    switch (random.below(9)) {
      case 0:
        return client_.async_ack_batch(any_receipts(random), {}, counts_.callback());
      case 1:
        return client_.async_release_batch(any_receipts(random), {}, counts_.callback());
      case 2:
        return client_.async_reject_batch(any_receipts(random), {.reason = "r"}, {}, counts_.callback());
      case 3:
        return client_.async_extend_batch(any_receipts(random), 5s, {}, counts_.callback());
      case 4:
        (void)client_.async_redrive("dead", {}, counts_.callback());
        return;
      case 5: {
        const auto token = client_.async_call([](auto& verbs) { return verbs.list_dead_letters("dead"); },
                                              counts_.callback());
        if (random.one_in(3)) client_.cancel_call(token);
        return;
      }
      case 6:
        return receive(random);
      default:
        return send(random);
    }
  }

  Served& served_;
  const std::uint64_t seed_;
  AnswerCounts counts_;
  std::mutex mutex_;
  std::vector<Receipt> receipts_;
  std::atomic<std::uint64_t> called_ = 0;
  Client client_;
};

class AnswerRaces : public ::testing::TestWithParam<Served::Over> {};
INSTANTIATE_TEST_SUITE_P(Transports, AnswerRaces, ::testing::Values(Served::Over::kTcp, Served::Over::kUnix),
                         [](const auto& test) { return test.param == Served::Over::kTcp ? "Tcp" : "Unix"; });

TEST_P(AnswerRaces, EachCallIsAnsweredOnce) {
  const std::uint64_t first = environment_number("HOLDFAST_ANSWER_RACES_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_ANSWER_RACES_SEEDS", 10);
  Served served(GetParam());
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const LastWords words("seed " + std::to_string(seed));
    ASSERT_EQ(Race(served, seed).run(), 0) << "calls of seed " << seed;
  }
}

}  // namespace
}  // namespace holdfast::testing
