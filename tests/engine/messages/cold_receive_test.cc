// Receives whose messages must be read from the store first. A caller with a callback is not held up
// meanwhile, and time may pass.
#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <string_view>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// This store says when a family is scanned.
class WatchedStore final : public SwitchedStore {
 public:
  WatchedStore(std::unique_ptr<Store> store, Family watched, std::function<void()> on_scan)
      : SwitchedStore(std::move(store), power_on()), watched_(watched), on_scan_(std::move(on_scan)) {}

  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    if (family == watched_) on_scan_();
    return SwitchedStore::scan(family, begin, end);
  }

 private:
  const Family watched_;
  std::function<void()> on_scan_;
};

class ColdReceiveTest : public ::testing::Test {
 protected:
  ColdReceiveTest() {
    open([] {});
    must(engine_->create_queue("orders"));
    must(engine_->send("orders", {.body = "a"}));
  }

  void open(std::function<void()> on_scan, Family watched = Family::kMessages) {
    engine_.reset();
    auto store = std::make_unique<WatchedStore>(must(open_memory_store(disk_)), watched, std::move(on_scan));
    engine_.emplace(must(EngineInside::open_over(std::move(store), {.clock = &clock_, .background = false})));
  }
  std::pair<Engine::ReceiveToken, std::future<Result<Deliveries>>> start_receive(
      std::string_view queue = "orders") {
    auto promise = std::make_shared<std::promise<Result<Deliveries>>>();
    const auto token = engine_->async_receive(
        queue, {.wait = 1h}, [promise](Result<Deliveries> got) { promise->set_value(std::move(got)); });
    return {token, promise->get_future()};
  }

  // Opens an engine in which the receive that reads from the store next goes on reading until go_on_.
  void open_for_one_that_reads() {
    open([this] {
      reading_.count_down();
      go_on_.wait();
    });
  }
  auto start_receive_that_reads() {
    open_for_one_that_reads();
    auto started = start_receive();
    reading_.wait();
    return started;
  }

  // Receives two messages with a lease of a second. When this returns, the receive has leased "a", which was
  // given back before, and is reading "b".
  std::future<Result<Deliveries>> start_receive_of_two() {
    must(engine_->release(must(engine_->receive("orders")).at(0).receipt));
    must(engine_->send("orders", {.body = "b"}));
    open_for_one_that_reads();
    auto started = std::async(std::launch::async,
                              [this] { return engine_->receive("orders", {.max = 2, .lease = 1s}); });
    reading_.wait();
    return started;
  }
  bool all_leased(const Deliveries& deliveries) {
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
    return must(EngineInside::leased(*engine_, receipts)) == receipts;
  }

  std::latch reading_{1};
  std::latch go_on_{1};
  std::atomic<int> steps_ = 0;
  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  std::optional<Engine> engine_;
};

TEST_F(ColdReceiveTest, ReadsOnAnotherThread) {
  std::latch go_on(1);
  std::thread::id reader;
  open([&] {
    reader = std::this_thread::get_id();
    go_on.wait();
  });
  auto [token, received] = start_receive();
  EXPECT_EQ(received.wait_for(0s), std::future_status::timeout);
  go_on.count_down();
  EXPECT_THAT(must(received.get()), SizeIs(1));
  EXPECT_NE(reader, std::this_thread::get_id());
}

TEST_F(ColdReceiveTest, ACancelledOneDoesNotWaitWhenItHasRead) {
  auto [token, received] = start_receive_that_reads();
  engine_->cancel_receive(token);
  must(engine_->purge_queue("orders"));  // what the receive has read is gone, so it would wait
  go_on_.count_down();
  EXPECT_THAT(must(received.get()), IsEmpty());
  must(engine_->send("orders", {.body = "for the next one"}));
  EXPECT_THAT(must(engine_->receive("orders")), SizeIs(1));
}

// After four steps past messages that have expired, a receive lets others have the thread. It is cancelled in
// the last of them, and what it would read next is left to others.
TEST_F(ColdReceiveTest, ACancelledOneDoesNotGoBackToTheThread) {
  constexpr int kSteps = 4;
  constexpr std::size_t kInAStep = 1024;
  must(engine_->create_queue("brief", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  must(engine_->send_batch(
      "brief", std::vector<Message>(kSteps * kInAStep, Message{.body = "x", .time_to_live = 1s})));
  must(engine_->send("brief", {.body = "a"}));
  open(
      [this] {
        if (++steps_ != kSteps) return;
        reading_.count_down();
        go_on_.wait();
      },
      Family::kScheduled);
  clock_.advance(2s);
  auto [token, received] = start_receive("brief");
  reading_.wait();
  engine_->cancel_receive(token);
  go_on_.count_down();
  EXPECT_THAT(must(received.get()), IsEmpty());
  EXPECT_EQ(must(engine_->receive("brief")).at(0).body, "a");
}

TEST_F(ColdReceiveTest, OneThatIsNotCancelledWaitsWhenItHasRead) {
  auto [token, received] = start_receive_that_reads();
  must(engine_->purge_queue("orders"));
  go_on_.count_down();
  must(engine_->send("orders", {.body = "b"}));
  EXPECT_EQ(must(received.get()).at(0).body, "b");
}

TEST_F(ColdReceiveTest, DoesNotGiveAMessageTwiceWhoseLeaseEndsMeanwhile) {
  auto received = start_receive_of_two();
  clock_.advance(2s);
  engine_->run_due();
  go_on_.count_down();
  const Deliveries deliveries = must(received.get());
  ASSERT_THAT(deliveries, SizeIs(2));
  EXPECT_EQ(deliveries[0].body, "a");
  EXPECT_EQ(deliveries[1].body, "b");
  EXPECT_EQ(deliveries[0].lease_expires_at, clock_.now() + 1s);
  EXPECT_TRUE(all_leased(deliveries));
}

TEST_F(ColdReceiveTest, GivesNothingMoreOnceItsLeaseIsOver) {
  auto received = start_receive_of_two();
  clock_.advance(2s);
  go_on_.count_down();
  const Deliveries deliveries = must(received.get());
  ASSERT_THAT(deliveries, SizeIs(1));
  EXPECT_EQ(deliveries[0].body, "a");
  EXPECT_TRUE(all_leased(deliveries));
}

TEST_F(ColdReceiveTest, LeasesNoMoreThanItGives) {
  constexpr std::size_t kBytes = limits::kBatchBytes / 3 - 1000;
  must(engine_->create_queue("large",
                             {.durability = Durability::kBuffered, .limits = {.max_body_bytes = kBytes}}));
  for (int i = 0; i < 4; ++i) must(engine_->send("large", {.body = std::string(kBytes, 'x')}));
  open([] {});
  EXPECT_THAT(must(engine_->receive("large", {.max = 4})), SizeIs(3));
  const QueueInfo info = must(engine_->describe_queue("large"));
  EXPECT_EQ(info.totals.delivered, 3U);
  EXPECT_EQ(info.counts, (QueueCounts{.ready = 1, .leased = 3}));
}

TEST_F(ColdReceiveTest, WhatHasNoRoomIsNotOvertakenByALowerPriority) {
  constexpr std::size_t kBytes = limits::kBatchBytes / 2 + 1;
  must(engine_->create_queue("large", {.durability = Durability::kBuffered,
                                       .limits = {.max_body_bytes = kBytes},
                                       .priority = {.levels = 2}}));
  must(engine_->send("large", {.body = "low"}));
  for (int i = 0; i < 2; ++i) must(engine_->send("large", {.body = std::string(kBytes, 'x'), .priority = 1}));
  open([] {});
  EXPECT_THAT(must(engine_->receive("large", {.max = 3})), SizeIs(1));
  EXPECT_EQ(must(engine_->receive("large")).at(0).body.size(), kBytes);
}

}  // namespace
}  // namespace holdfast::testing
