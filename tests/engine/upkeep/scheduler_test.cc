// The scheduler wakes the thread that sleeps until the next deadline when an earlier one comes.
#include "engine/queue/scheduler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "engine/queue/catalog.h"
#include "engine/storage/memory/memory_store.h"
#include "tests/support/result_matchers.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

// If the sleeper is not woken, it sleeps for an hour, and the test runs out of time. There are many rounds,
// since it is a race whether the sleeper or the deadline comes first.
TEST(Scheduler, WakesItsSleeperForAnEarlierDeadline) {
  ChunkCache cache(1 << 20);
  const auto store = testing::must(open_memory_store(std::make_shared<MemoryDisk>(1)));
  CommitPipeline pipeline(*store);
  EngineClock clock(system_clock());
  const Catalog catalog(clock);
  for (int round = 0; round < 500; ++round) {
    Scheduler scheduler;
    const auto queue = std::make_shared<Queue>(QueueId{1}, QueueDefinition{"q", {}, {}}, QueueState{}, cache,
                                               pipeline, catalog);
    std::thread sleeper([&] { scheduler.sleep(Timestamp::max(), 1h); });
    if (round % 2 == 0) std::this_thread::yield();
    scheduler.schedule(queue, Timestamp(1s));
    sleeper.join();
    EXPECT_EQ(scheduler.next_due(), Timestamp(1s));
  }
}

}  // namespace
}  // namespace holdfast
