// Kills a process in the middle of a redrive, again and again, until the task is done. Every message must be
// in exactly one place then. HOLDFAST_CRASH_REDRIVE sets how many messages, HOLDFAST_CRASH_SEED where the
// seeds begin.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "crash/child_process.h"
#include "holdfast/engine.h"
#include "support/engine_time.h"
#include "support/manual_clock.h"
#include "support/random.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

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

// What a consumer of the queue is given.
Found received(Engine& engine, std::string_view queue) {
  Found found;
  for (;;) {
    const Deliveries deliveries = must(engine.receive(queue, {.max = 10'000}));
    if (deliveries.empty()) return found;
    for (const Delivery& delivery : deliveries) note(found, delivery.id, delivery.body);
  }
}

// Gives whether the child reached its end before it was killed.
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

TEST(RedriveCrashTest, EveryMessageEndsInExactlyOnePlace) {
  const std::uint64_t messages = environment_number("HOLDFAST_CRASH_REDRIVE", 10'000);
  const std::uint64_t seed = environment_number("HOLDFAST_CRASH_SEED", 1);
  SCOPED_TRACE("HOLDFAST_CRASH_SEED=" + std::to_string(seed));
  Random random(seed);
  const TempDir directory;
  std::uint64_t kills = 0;
  for (;; ++kills) {
    const bool done = run_and_kill({HOLDFAST_REDRIVE_CHILD, (directory / "data").string(),
                                    std::to_string(messages), std::to_string(kills)},
                                   random.between(1, 15));
    if (HasFailure()) return;
    if (done) break;
  }
  std::cout << "seed " << seed << ": done after " << kills << " kills" << std::endl;

  ManualClock clock(kTestEpoch + std::chrono::hours(24));
  Engine engine = must(Engine::open(directory / "data", {.clock = &clock, .background = false}));
  run_due_until_quiet(engine, clock);
  const TaskStatus task = must(engine.list_redrives()).front();
  EXPECT_EQ(task.state, TaskState::kDone);
  EXPECT_EQ(task.moved, messages);
  EXPECT_EQ(task.skipped, 0U);

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

}  // namespace
}  // namespace holdfast::testing
