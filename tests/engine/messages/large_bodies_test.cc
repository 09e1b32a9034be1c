// Large messages move, and only so many of their bodies are in memory at a time.
#include <algorithm>
#include <functional>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/answer.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::IsEmpty;

// The bytes of messages that a store sees: the most that were read between two commits, and the most that a
// commit had.
struct Traffic {
  std::size_t read = 0;
  std::size_t written = 0;
  std::size_t since_commit = 0;  // how much was read since the last commit
  std::size_t commits = 0;
};

class MeteredStore final : public SwitchedStore {
 public:
  MeteredStore(std::unique_ptr<Store> store, Traffic& traffic)
      : SwitchedStore(std::move(store), power_on()), traffic_(traffic) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    ++traffic_.commits;
    traffic_.since_commit = 0;
    traffic_.written = std::max(traffic_.written, batch.byte_size());
    return SwitchedStore::commit(batch, durability);
  }
  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    auto row = SwitchedStore::get(family, key);
    if (family == Family::kMessages && row && *row) {
      traffic_.since_commit += (*row)->size();
      traffic_.read = std::max(traffic_.read, traffic_.since_commit);
    }
    return row;
  }

 private:
  Traffic& traffic_;
};

class LargeBodiesTest : public ::testing::Test {
 protected:
  // By default the engine's cache keeps the last chunk only.
  explicit LargeBodiesTest(std::size_t cache_bytes = 1) : cache_bytes_(cache_bytes) {}

  static constexpr std::size_t kMessages = 32;
  static constexpr std::size_t kFew = 8 << 20;  // in bytes; a step takes half of it

  void fill(QueueOptions options, const std::string& queue = "orders") {
    options.durability = Durability::kBuffered;
    must(engine_.create_queue(queue, std::move(options), MissingQueues::kCreate));
    for (std::size_t i = 0; i < kMessages; ++i) {
      must(engine_.send(queue, {.body = std::string(limits::kBodyBytes, 'x')}));
    }
  }
  // Sends small messages.
  void fill_with(std::size_t messages) {
    must(engine_.create_queue("orders",
                              {.durability = Durability::kBuffered, .dead_letters = {.queue = "dlq"}},
                              MissingQueues::kCreate));
    must(engine_.send_batch("orders", std::vector<Message>(messages, {.body = "x"})));
  }
  std::vector<Receipt> receive_all(const std::string& queue = "orders", std::size_t max = kMessages) {
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : must(engine_.receive(queue, {.max = max})))
      receipts.push_back(delivery.receipt);
    return receipts;
  }
  void release(const std::vector<Receipt>& receipts, const ReleaseOptions& options) {
    for (const auto& released : must(engine_.release_batch(receipts, options))) must(released);
  }
  QueueCounts counts(std::string_view queue) { return must(engine_.describe_queue(queue)).counts; }

  void expect_few_at_a_time(const std::function<void()>& work) {
    traffic_ = {};
    work();
    EXPECT_GT(traffic_.written, 0U);
    EXPECT_LE(traffic_.read, kFew);
    EXPECT_LE(traffic_.written, kFew);
  }
  void expect_few_at_a_time_after(Duration step) {
    expect_few_at_a_time([&] { advance(engine_, clock_, step); });
  }

  void reject(const std::vector<Receipt>& receipts, const Rejection& rejection = {}) {
    EXPECT_THAT(must(engine_.reject_batch(receipts, rejection)), Each(Succeeds()));
  }

  const std::size_t cache_bytes_;
  ManualClock clock_;
  Traffic traffic_;
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<MeteredStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), traffic_),
      {.clock = &clock_, .background = false, .message_cache_bytes = cache_bytes_}));
};

// In these tests the bodies stay in memory until they are settled.
class CachedLargeBodiesTest : public LargeBodiesTest {
 protected:
  CachedLargeBodiesTest() : LargeBodiesTest(2 * kMessages * limits::kBodyBytes) {}
};

TEST_F(LargeBodiesTest, ExpireAFewAtATime) {
  fill({.dead_letters = {.queue = "dlq"}, .expiry = {.time_to_live = 1s}});
  expect_few_at_a_time_after(2s);
  EXPECT_EQ(counts("dlq").dead, kMessages);
}

TEST_F(LargeBodiesTest, AReceiveMovesAFewThatExpired) {
  fill({.dead_letters = {.queue = "dlq"}, .expiry = {.time_to_live = 1s}});
  clock_.advance(2s);
  expect_few_at_a_time([&] { EXPECT_THAT(must(engine_.receive("orders")), IsEmpty()); });
  EXPECT_GT(counts("dlq").dead, 0U);
  EXPECT_LE(counts("dlq").dead, kMessages / 2);
}

TEST_F(LargeBodiesTest, DieAFewAtATime) {
  fill({.lease = 10s, .retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}});
  receive_all();
  expect_few_at_a_time_after(11s);
  EXPECT_EQ(counts("dlq").dead, kMessages);
}

TEST_F(LargeBodiesTest, LeaveTheLogForALongWaitAFewAtATimeAndComeBackSo) {
  fill({});
  release(receive_all(), {.delay = 10min});
  expect_few_at_a_time_after(1s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = kMessages}));
  expect_few_at_a_time_after(10min);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = kMessages}));
}

TEST_F(LargeBodiesTest, GoToTheTailAFewAtATime) {
  fill({});
  const std::vector<Receipt> receipts = receive_all();
  expect_few_at_a_time([&] { release(receipts, {.to = ReturnTo::kTail}); });
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = kMessages}));
}

TEST_F(LargeBodiesTest, WaitToGoToTheTailAFewAtATime) {
  fill({});
  const std::vector<Receipt> receipts = receive_all();
  expect_few_at_a_time([&] { release(receipts, {.delay = 10min, .to = ReturnTo::kTail}); });
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = kMessages}));
}

TEST_F(LargeBodiesTest, AreRejectedAFewAtATime) {
  fill({.dead_letters = {.queue = "dlq"}});
  const std::vector<Receipt> receipts = receive_all();
  expect_few_at_a_time([&] { reject(receipts); });
  EXPECT_EQ(counts("dlq").dead, kMessages);
}

TEST_F(LargeBodiesTest, OfTwoQueuesInTurnAreRejectedAFewAtATime) {
  fill({.dead_letters = {.queue = "dlq"}});
  fill({.dead_letters = {.queue = "dlq"}}, "others");
  const std::vector<Receipt> others = receive_all("others");
  std::vector<Receipt> receipts;
  for (const Receipt& order : receive_all()) {
    receipts.push_back(order);
    receipts.push_back(others[receipts.size() / 2]);
  }
  expect_few_at_a_time([&] { reject(receipts); });
  EXPECT_EQ(counts("dlq").dead, 2 * kMessages);
}

TEST_F(LargeBodiesTest, AreRejectedAFewAtATimeWithACallback) {
  fill({.dead_letters = {.queue = "dlq"}});
  const std::vector<Receipt> receipts = receive_all();
  expect_few_at_a_time([&] {
    Answer<BatchResult<void>> answer;
    engine_.async_reject_batch(receipts, {}, {}, answer.callback());
    EXPECT_THAT(must(answer.get()), Each(Succeeds()));
  });
  EXPECT_EQ(counts("dlq").dead, kMessages);
}

// The callback may be on the thread that commits.
TEST_F(CachedLargeBodiesTest, AreRejectedAFewAtATimeByACallback) {
  fill({.dead_letters = {.queue = "dlq"}});
  const std::vector<Receipt> receipts = receive_all();
  expect_few_at_a_time([&] {
    Answer<BatchResult<void>> answer;
    engine_.async_send_batch("orders", {{.body = "x"}}, {}, [&](const auto& sent) {
      EXPECT_THAT(sent, Succeeds());
      engine_.async_reject_batch(receipts, {}, {}, answer.callback());
    });
    EXPECT_THAT(must(answer.get()), Each(Succeeds()));
  });
  EXPECT_EQ(counts("dlq").dead, kMessages);
}

TEST_F(LargeBodiesTest, AreDiscardedWithOneCommit) {
  fill({.dead_letters = {.discard_rejected = true}});
  const std::vector<Receipt> receipts = receive_all();
  traffic_ = {};
  reject(receipts);
  EXPECT_EQ(traffic_.commits, 1U);
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_F(LargeBodiesTest, SmallOnesAreRejectedWithOneCommit) {
  constexpr std::size_t kMany = 2000;
  fill_with(kMany);
  const std::vector<Receipt> receipts = receive_all("orders", kMany);
  traffic_ = {};
  reject(receipts, {.category = "c", .reason = "not wanted"});
  EXPECT_EQ(traffic_.commits, 1U);
  EXPECT_EQ(counts("dlq").dead, kMany);
}

TEST_F(LargeBodiesTest, SmallOnesWithALongStoryAreRejectedAFewAtATime) {
  constexpr std::size_t kMany = 400;
  fill_with(kMany);
  const std::vector<Receipt> receipts = receive_all("orders", kMany);
  const Rejection rejection{.stack_trace = std::string(limits::kStackTraceBytes, 's'),
                            .partial_output = std::string(limits::kPartialOutputBytes, 'p')};
  expect_few_at_a_time([&] { reject(receipts, rejection); });
  EXPECT_EQ(counts("dlq").dead, kMany);
}

}  // namespace
}  // namespace holdfast::testing
