// A redrive task whose process or machine dies on the way.
#include "holdfast/engine.h"
#include "storage/memory_store.h"
#include "support/engine_time.h"
#include "support/result_matchers.h"
#include "support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class RedriveRestart : public ::testing::Test {
 protected:
  RedriveRestart() {
    open();
    must(engine_->create_queue("orders", {.dead_letter_queue = "dlq"}));
    for (int i = 0; i < 200; ++i) must(engine_->send("orders", {.body = std::to_string(i)}));
    for (const Delivery& delivery : must(engine_->receive("orders", {.max = 200})))
      must(engine_->reject(delivery.receipt, {.reason = "bad"}));
  }

  void open() {
    engine_.reset();
    power_ = power_on();
    engine_.emplace(must(Engine::open(std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_),
                                      {.clock = &clock_, .background = false})));
  }
  void die(bool machine) {
    *power_ = false;
    engine_.reset();
    if (machine) disk_->crash();
    open();
  }
  std::uint64_t ready(std::string_view queue) { return must(engine_->describe_queue(queue)).counts.ready; }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(5);
  PowerSwitch power_;
  std::optional<Engine> engine_;
};

// What it says of itself is written with what it does.
TEST_F(RedriveRestart, CountsWhatItMovedAndKeepsToItsMaximum) {
  const TaskId id = must(engine_->start_redrive("dlq", {.max = 100, .rate = 7}));
  for (int i = 0; must(engine_->redrive_status(id)).state == TaskState::kRunning; ++i) {
    advance(*engine_, clock_, 1s);
    if (i % 2 == 0) die(i % 4 == 0);
    const TaskStatus task = must(engine_->redrive_status(id));
    ASSERT_EQ(task.moved, ready("orders"));
    ASSERT_EQ(ready("dlq"), 200 - task.moved);
  }
  EXPECT_EQ(must(engine_->redrive_status(id)).moved, 100U);
  EXPECT_EQ(must(engine_->redrive_status(id)).state, TaskState::kDone);
}

}  // namespace
}  // namespace holdfast::testing
