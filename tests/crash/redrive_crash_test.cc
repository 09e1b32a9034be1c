// Kills a process in the middle of a redrive, with and without a canary, again and again, until the task has
// ended. Then every message must be in exactly one place. HOLDFAST_CRASH_REDRIVE sets how many messages there
// are, and HOLDFAST_CRASH_SEED where the seeds begin.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>

#include "holdfast/engine.h"
#include "tests/crash/child_process.h"
#include "tests/crash/redrive_canary.h"
#include "tests/support/engine_time.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

struct Found {
  std::map<MessageId, std::size_t> places;
  std::size_t early = 0;
  std::size_t late = 0;
};

void note(Found& found, const MessageId& id, std::string_view body) {
  ++found.places[id];
  ++(body == "early" ? found.early : found.late);
}

// Returns what a consumer of the queue is given.
Found received(Engine& engine, std::string_view queue) {
  Found found;
  for (;;) {
    const Deliveries deliveries = must(engine.receive(queue, {.max = 10'000}));
    if (deliveries.empty()) return found;
    for (const Delivery& delivery : deliveries) note(found, delivery.id, delivery.body);
  }
}

// Runs a child and kills it after so many lines. Returns whether the child reached its end before it was
// killed.
bool run_and_kill(const std::vector<std::string>& command, std::uint64_t lines) {
  ChildProcess child(command);
  bool done = false;
  while (const auto line = child.read_line()) {
    if (*line == "done") done = true;
    if (lines > 0 && --lines == 0) child.kill();
  }
  const bool killed = child.was_killed();
  EXPECT_TRUE(done || killed) << "the child failed";
  return done || !killed;
}

class RedriveCrashTest : public ::testing::Test {
 protected:
  // Has a child work on a task, and kills it again and again until the task has ended. Returns the task.
  TaskStatus run_to_the_end(const std::string& how) {
    Random random(seed_);
    std::uint64_t kills = 0;
    for (;; ++kills) {
      const bool done = run_and_kill({HOLDFAST_REDRIVE_CHILD, (directory_ / "data").string(),
                                      std::to_string(messages_), std::to_string(kills), how},
                                     random.between(1, 15));
      if (HasFailure()) throw std::runtime_error("the child failed");
      if (done) break;
    }
    std::cout << "seed " << seed_ << ": done after " << kills << " kills" << std::endl;
    engine_.emplace(must(Engine::open(directory_ / "data", {.clock = &clock_, .background = false})));
    run_due_until_quiet(*engine_, clock_);
    EXPECT_TRUE(must(engine_->verify()).findings.empty());
    return must(engine_->list_redrives()).front();
  }

  // Counts the outcomes in the records that redriven messages left behind.
  std::map<ReplayOutcome, std::uint64_t> outcomes() {
    std::map<ReplayOutcome, std::uint64_t> outcomes;
    ListDeadLettersOptions options{.filter = {.status = DeadLetterStatus::kReplayed}, .max = 1000};
    do {
      const DeadLetterPage page = must(engine_->list_dead_letters("dlq", options));
      for (const DeadLetter& letter : page.items) ++outcomes[letter.replay.value().outcome];
      options.after = page.next;
    } while (options.after);
    return outcomes;
  }

  const std::uint64_t messages_ = environment_count("HOLDFAST_CRASH_REDRIVE", 10'000);
  const std::uint64_t seed_ = environment_number("HOLDFAST_CRASH_SEED", 1);
  const ::testing::ScopedTrace trace_{__FILE__, __LINE__, "HOLDFAST_CRASH_SEED=" + std::to_string(seed_)};
  const TempDir directory_;
  ManualClock clock_{kTestEpoch + std::chrono::hours(24)};
  std::optional<Engine> engine_;
};

TEST_F(RedriveCrashTest, EveryMessageEndsInExactlyOnePlace) {
  const std::uint64_t messages = messages_;
  const TaskStatus task = run_to_the_end("all");
  Engine& engine = *engine_;
  EXPECT_EQ(task.state, TaskState::kDone);
  EXPECT_EQ(task.moved, messages);
  EXPECT_EQ(task.left, LeftInPlace{});

  Found orders = received(engine, "orders");
  EXPECT_EQ(orders.early, messages);
  EXPECT_EQ(orders.late, 0U);
  const Found dead = received(engine, "dlq");
  EXPECT_EQ(dead.early, 0U) << "left behind";
  EXPECT_GT(dead.late, 0U);
  for (const auto& [id, count] : dead.places) orders.places[id] += count;
  EXPECT_EQ(orders.places.size(), messages + dead.late);
  for (const auto& [id, count] : orders.places) EXPECT_EQ(count, 1U) << id.to_string();
}

TEST_F(RedriveCrashTest, ACanaryThatIsAckedLetsTheRestFollow) {
  const TaskStatus task = run_to_the_end("canary");
  EXPECT_EQ(task.state, TaskState::kDone);
  EXPECT_EQ(task.moved, messages_);
  EXPECT_EQ(task.canaries, kRedriveCanary);
  EXPECT_EQ(task.canary_acked, kRedriveCanary);
  EXPECT_EQ(task.canary_failed, 0U);

  const std::uint64_t acked = must(engine_->describe_queue("orders")).totals.acked;
  EXPECT_GE(acked, kRedriveCanary);
  EXPECT_EQ(outcomes()[ReplayOutcome::kAcked], acked);
  EXPECT_EQ(outcomes()[ReplayOutcome::kPending], messages_ - acked);
  const Found orders = received(*engine_, "orders");
  EXPECT_EQ(acked + orders.early, messages_);
  EXPECT_EQ(orders.places.size(), orders.early) << "one is there twice";
  EXPECT_EQ(received(*engine_, "dlq").early, 0U) << "left behind";
}

TEST_F(RedriveCrashTest, ACanaryThatDiesLeavesTheRest) {
  const TaskStatus task = run_to_the_end("failing-canary");
  EXPECT_EQ(task.state, TaskState::kCanaryFailed);
  EXPECT_EQ(task.moved, kRedriveCanary);
  EXPECT_EQ(task.canary_acked, 0U);
  EXPECT_GT(task.canary_failed, 0U);

  // What the consumer had not reached is in its queue. All other messages are dead, each with one record.
  const Found orders = received(*engine_, "orders");
  const Found dead = received(*engine_, "dlq");
  EXPECT_EQ(orders.early + dead.early, messages_);
  EXPECT_EQ(orders.places.size() + dead.places.size(), messages_ + dead.late);
  EXPECT_EQ(outcomes()[ReplayOutcome::kPending], orders.early);
}

}  // namespace
}  // namespace holdfast::testing
