// Threads settle the same deliveries. There is an order of the calls, within the times that they took, in
// which each answer is right. For one receipt that means: at most one call ends the delivery, and no call
// that began after that one had returned succeeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/transaction.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCallers = 4;
constexpr std::size_t kReceipts = 60;
constexpr std::size_t kCallsOfEach = 150;

struct SettleCall {
  Receipt receipt;
  std::uint64_t began = 0;
  std::uint64_t returned = 0;
  bool ends = false;  // whether success ends the delivery
  bool succeeded = false;
};

class Caller {
 public:
  Caller(Engine& engine, const Deliveries& deliveries, std::atomic<std::uint64_t>& ticks, std::uint64_t seed)
      : engine_(engine), deliveries_(deliveries), ticks_(ticks), random_(seed) {}

  void run() {
    for (std::size_t i = 0; i < kCallsOfEach; ++i) call();
  }
  const std::vector<SettleCall>& calls() const { return calls_; }
  std::uint64_t commits() const { return commits_; }  // how many commits have happened

 private:
  void call() {
    SettleCall call{.receipt = deliveries_[random_.below(deliveries_.size())].receipt, .began = ++ticks_};
    const auto answer = settle(call.receipt, random_.below(8), call.ends);
    call.returned = ++ticks_;
    call.succeeded = answer.has_value();
    calls_.push_back(call);
  }

  Result<void> settle(const Receipt& receipt, std::uint64_t verb, bool& ends) {
    ends = verb < 4;
    if (verb == 0) return engine_.ack(receipt);
    if (verb == 1) return engine_.release(receipt, {.delay = 1h});
    if (verb == 2) return engine_.reject(receipt, {});
    if (verb == 3) return commit(receipt);
    if (verb < 6) return engine_.start(receipt);
    return engine_.extend(receipt, 10min);
  }

  Result<void> commit(const Receipt& receipt) {
    Transaction transaction;
    transaction.send("committed", {.body = "x"});
    const std::uint64_t choice = random_.below(3);
    if (choice == 0) transaction.ack(receipt);
    if (choice == 1) transaction.release(receipt, {.delay = 1h});
    if (choice == 2) transaction.reject(receipt, {});
    const auto done = engine_.commit(std::move(transaction));
    if (!done) return tl::unexpected(done.error());
    ++commits_;
    return {};
  }

  Engine& engine_;
  const Deliveries& deliveries_;
  std::atomic<std::uint64_t>& ticks_;
  Random random_;
  std::vector<SettleCall> calls_;
  std::uint64_t commits_ = 0;
};

void check(std::vector<SettleCall> calls) {
  std::ranges::sort(calls, {}, &SettleCall::began);
  const auto ended =
      std::ranges::count_if(calls, [](const SettleCall& call) { return call.ends && call.succeeded; });
  EXPECT_LE(ended, 1) << "two calls ended one delivery";
  const auto end =
      std::ranges::find_if(calls, [](const SettleCall& call) { return call.ends && call.succeeded; });
  bool tried = false;
  for (const SettleCall& call : calls) {
    if (end != calls.end() && call.began > end->returned) {
      EXPECT_FALSE(call.succeeded) << "a call succeeded after the delivery was over";
    }
    // No call had ended the delivery, and none was about to end it.
    const bool free = end == calls.end() || call.returned < end->began;
    if (free) {
      EXPECT_TRUE(call.succeeded) << "a valid receipt was refused";
    }
    tried |= call.ends;
  }
  if (tried) {
    EXPECT_EQ(ended, 1) << "nobody could end the delivery";
  }
}

TEST(ReceiptRaces, TheAnswersFitIntoOneOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Engine engine = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(seed))),
                                                 {.background = false, .free_space_reserve = 0}));
    must(engine.create_queue(
        "orders", {.lease = 10min, .retry = {.max_deliveries = 5}, .dead_letters = {.queue = "dead"}},
        MissingQueues::kCreate));
    must(engine.create_queue("committed"));
    must(engine.send_batch("orders", std::vector<Message>(kReceipts, {.body = "x"})));
    const Deliveries deliveries =
        must(engine.receive("orders", {.max = kReceipts, .prefetch = seed % 2 != 0}));
    ASSERT_EQ(deliveries.size(), kReceipts);

    std::atomic<std::uint64_t> ticks = 0;
    std::vector<Caller> callers;
    for (std::size_t i = 0; i < kCallers; ++i)
      callers.emplace_back(engine, deliveries, ticks, seed * kCallers + i);
    std::vector<std::thread> threads;
    threads.reserve(kCallers);
    for (Caller& caller : callers) threads.emplace_back([&caller] { caller.run(); });
    for (std::thread& thread : threads) thread.join();

    std::map<Receipt, std::vector<SettleCall>> by_receipt;
    for (const Caller& caller : callers) {
      for (const SettleCall& call : caller.calls()) by_receipt[call.receipt].push_back(call);
    }
    for (auto& [receipt, calls] : by_receipt) check(std::move(calls));
    std::uint64_t commits = 0;
    for (const Caller& caller : callers) commits += caller.commits();
    EXPECT_EQ(must(engine.describe_queue("committed")).counts.ready, commits);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace holdfast::testing
