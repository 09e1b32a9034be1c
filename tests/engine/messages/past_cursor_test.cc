// Messages past the cursor are settled while another thread reads the store. They do not come back.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/paused_store.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

// A queue with A and B, of which B was never received. A is leased. It has come back from a long wait, so it
// lies behind B, alone in its chunk.
class PastCursorTest : public ::testing::Test {
 protected:
  // A look into `family` can be held up.
  explicit PastCursorTest(Family family) : pause_(std::make_shared<Pause>(family)) {
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    must(engine_.create_queue("others"));
    must(engine_.send("orders", {.body = "A", .time_to_live = 10min}));
    const Receipt first = must(engine_.receive("orders")).at(0).receipt;
    must(engine_.send("orders", {.body = "B"}));
    must(engine_.release(first, {.delay = 2min}));
    run_due_until_quiet(engine_, clock_);
    advance(engine_, clock_, 2min);
    const Delivery again = must(engine_.receive("orders", {.lease = 1h})).at(0);
    EXPECT_EQ(again.body, "A");
    receipt_ = again.receipt;
    clock_.advance(10min);
  }

  QueueInfo orders() { return must(engine_.describe_queue("orders")); }

  // Makes a commit wait. What comes after it gathers in the group behind it.
  void shut_gate() {
    *shut_ = true;
    callers_.emplace_back([&] { must(engine_.send("others", {.body = "holds the gate"})); });
    while (must(engine_.describe_queue("others")).counts.ready == 0) std::this_thread::yield();
  }
  // Acknowledges A. The commit of the ack waits for the gate.
  void ack() {
    callers_.emplace_back([&] { must(engine_.ack(receipt_)); });
    while (orders().counts.leased == 1) std::this_thread::yield();
  }
  void open_gate_and_join() {
    *shut_ = false;
    shut_->notify_all();
    for (std::thread& caller : callers_) caller.join();
  }
  void run_due_on_a_thread() {
    callers_.emplace_back([&] { engine_.run_due(); });
  }

  void expect_only_b() {
    run_due_until_quiet(engine_, clock_);
    EXPECT_EQ(orders().counts, (QueueCounts{.ready = 1}));
    EXPECT_EQ(orders().bytes, 1U);
    EXPECT_EQ(must(engine_.describe_queue("dlq")).counts, QueueCounts{});
    const auto deliveries = must(engine_.receive("orders", {.max = 10}));
    ASSERT_THAT(deliveries, SizeIs(1));
    EXPECT_EQ(deliveries[0].body, "B");
    const auto report = must(engine_.verify());
    EXPECT_TRUE(report.sound()) << report.findings.at(0).kind << ": " << report.findings.at(0).what;
  }

  ManualClock clock_;
  const CommitGate shut_ = open_gate();
  const std::shared_ptr<Pause> pause_;
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<PausedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), shut_, pause_),
      {.clock = &clock_, .background = false}));
  Receipt receipt_;
  std::vector<std::thread> callers_;
};

class ExpiryPastCursorTest : public PastCursorTest {
 protected:
  ExpiryPastCursorTest() : PastCursorTest(Family::kScheduled) {}

  // Leaves time for a step that would say that A has expired, if it took A for a message that is there.
  void let_it_go_on() {
    for (int look = 0; look < 1000 && orders().counts.waiting == 0; ++look) std::this_thread::yield();
  }
};

TEST_F(ExpiryPastCursorTest, WhatIsAckedWhileItsExpiryIsReadStaysGone) {
  pause_->arm();
  run_due_on_a_thread();
  pause_->wait_until_held();
  shut_gate();
  ack();
  pause_->go_on();
  let_it_go_on();
  open_gate_and_join();
  expect_only_b();
}

TEST_F(ExpiryPastCursorTest, WhatIsAckedBeforeItsExpiryIsReadStaysGone) {
  shut_gate();
  ack();
  run_due_on_a_thread();
  let_it_go_on();
  open_gate_and_join();
  expect_only_b();
}

class PeekPastCursorTest : public PastCursorTest {
 protected:
  PeekPastCursorTest() : PastCursorTest(Family::kMessages) {}
};

TEST_F(PeekPastCursorTest, WhatIsAckedMeanwhileIsNotShown) {
  shut_gate();
  pause_->arm();
  PeekPage page;
  std::thread reader([&] { page = must(engine_.peek("orders")); });
  pause_->wait_until_held();
  ack();
  pause_->go_on();
  reader.join();
  EXPECT_THAT(page.items, SizeIs(1));
  open_gate_and_join();
  expect_only_b();
}

}  // namespace
}  // namespace holdfast::testing
