// Receives that wait, and what ends their waits. The clock stands still, so a wake-up that is missed once is
// missed for ever.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
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

// A clock that stands still. A thread that looks at it may give up its turn: engines look at the clock
// between other things, so that other threads get in there.
class YieldingClock final : public Clock {
 public:
  Timestamp now() const override {
    if (looks_.fetch_add(1, std::memory_order_relaxed) % 3 != 0) std::this_thread::yield();
    return clock_.now();
  }
  Duration steady() const override { return clock_.steady(); }
  void advance(Duration step) { clock_.advance(step); }

 private:
  ManualClock clock_;
  mutable std::atomic<std::uint64_t> looks_ = 0;
};

class WakeUps : public ::testing::Test {
 protected:
  WakeUps() {
    for (const char* queue : {"ping", "pong"})
      must(engine_.create_queue(queue, {.durability = Durability::kBuffered}));
  }

  Result<Deliveries> receive(const std::string& queue, bool blocking) {
    const ReceiveOptions options{.lease = 1h, .wait = 1h};
    if (blocking) return engine_.receive(queue, options);
    // The receive has a promise that waits without a bound, since the engine may take long on a busy machine.
    std::promise<Result<Deliveries>> answer;
    engine_.async_receive(queue, options, [&](Result<Deliveries> got) { answer.set_value(std::move(got)); });
    return answer.get_future().get();
  }

  // Takes what comes in one queue, and sends it on to another queue.
  void pass_on(const std::string& from, const std::string& to, bool blocking) {
    const Deliveries got = must(receive(from, blocking));
    ASSERT_EQ(got.size(), 1U) << "the wait is over, and nothing has come";
    must(engine_.ack(got[0].receipt));
    must(engine_.send(to, {.body = std::string(got[0].body)}));
  }

  YieldingClock clock_;
  Engine engine_ =
      must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                   {.clock = &clock_, .background = false, .free_space_reserve = 0}));
};

// Each of two threads waits for what the other sends. Whether one of them begins to wait first, or the other
// sends first, is a race in each round.
TEST_F(WakeUps, NoMessageIsSleptThrough) {
  const LastWords words("a wake-up that is missed");
  constexpr int kRounds = 1500;
  for (const bool blocking : {true, false}) {
    std::thread other([&] {
      for (int i = 0; i < kRounds; ++i) pass_on("pong", "ping", blocking);
    });
    must(engine_.send("pong", {.body = "ball"}));
    for (int i = 0; i < kRounds; ++i) pass_on("ping", "pong", !blocking);
    other.join();
    must(engine_.purge_queue("pong"));
  }
}

// One send has something for each receive that waits.
TEST_F(WakeUps, AllForWhomThereIsSomethingAreWoken) {
  std::vector<Answer<Result<Deliveries>>> answers(5);
  for (auto& answer : answers) engine_.async_receive("ping", {.wait = 1h}, answer.callback());
  must(engine_.send_batch("ping", std::vector<Message>(answers.size(), Message{.body = "x"})));
  for (auto& answer : answers) EXPECT_EQ(must(answer.get()).size(), 1U);
}

// A call with a callback leaves work to another thread, which has nothing else to do at that time.
TEST_F(WakeUps, WorkThatIsLeftToAnotherThreadIsDoneEachTime) {
  must(engine_.send("ping", {.body = "x"}));
  for (int i = 0; i < 50; ++i) {
    const std::vector<Receipt> held{must(engine_.receive("ping")).at(0).receipt};
    Answer<BatchResult<void>> released;
    engine_.async_release_batch(held, {.charge = false}, released.callback());
    must(must(released.get()).at(0));
  }
}

// A receive ends whether it comes before or after the engine begins to close.
TEST_F(WakeUps, ClosingEndsEveryWait) {
  const LastWords words("a wait that no close ends");
  constexpr int kRounds = 100;
  for (int i = 0; i < kRounds; ++i) {
    Engine engine =
        must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                     {.clock = &clock_, .background = false, .free_space_reserve = 0}));
    must(engine.create_queue("q"));
    std::atomic<bool> receives = false;
    std::thread receiver([&] {
      for (;;) {
        receives = true;
        const auto got = engine.receive("q", {.wait = 1h});
        EXPECT_TRUE(!got || got->empty());
        if (got) continue;
        EXPECT_THAT(got, FailsWith(ErrorCode::kClosed));
        return;
      }
    });
    while (!receives) std::this_thread::yield();
    must(engine.close());
    receiver.join();
  }
}

// Something of a queue becomes due while the queue is looked after, so that it must be looked after again.
TEST_F(WakeUps, WhatBecomesDueWhileAQueueIsLookedAfterIsSeenTo) {
  const LastWords words("something that is due, and that nobody sees to");
  constexpr int kMessages = 500;
  std::atomic<bool> over = false;
  std::thread looks([&] {
    while (!over) engine_.run_due();
  });
  for (int i = 0; i < kMessages; ++i) {
    must(engine_.send("ping", {.body = "x"}));
    const Deliveries got = must(engine_.receive("ping", {.lease = 1h, .wait = 1h}));
    must(engine_.release(got.at(0).receipt, {.delay = 1ms}));
    // The step is longer than the delay. An engine that reads its clocks between the two halves of a step
    // takes the step for one of the wall clock, and is up to a twenty-first of it late.
    clock_.advance(2ms);
    const Deliveries again = must(engine_.receive("ping", {.lease = 1h, .wait = 1h}));
    ASSERT_EQ(again.size(), 1U);
    must(engine_.ack(again[0].receipt));
  }
  over = true;
  looks.join();
}

}  // namespace
}  // namespace holdfast::testing
