// What needs a thread of the engine's own while the machine has none to give: an error, or it waits; never an
// exception.
#include "tests/support/no_threads.h"

#include <future>

#include "engine/services/background_thread.h"
#include "engine/services/reclaimer.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class NoThreadsTest : public ::testing::Test {
 protected:
  NoThreadsTest() { must(engine_.create_queue("orders")); }

  ManualClock clock_;
  Engine engine_ = must(Engine::open(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                     {.clock = &clock_, .background = false}));
};

TEST_F(NoThreadsTest, ASubscriptionIsRefused) {
  const EventCallback nothing = [](const Event&) {};
  {
    const NoThreads none;
    EXPECT_THAT(engine_.subscribe({}, nothing), FailsWith(ErrorCode::kOverloaded));
  }
  EXPECT_THAT(engine_.subscribe({}, nothing), Succeeds());
}

TEST_F(NoThreadsTest, ACallWithACallbackThatMayBlockIsRefused) {
  const auto describe = [&] {
    std::promise<Result<QueueInfo>> answered;
    engine_.async_call([](Engine& engine) { return engine.describe_queue("orders"); },
                       [&](Result<QueueInfo> info) { answered.set_value(std::move(info)); });
    return answered.get_future().get();
  };
  {
    const NoThreads none;
    EXPECT_THAT(describe(), FailsWith(ErrorCode::kOverloaded));
  }
  EXPECT_THAT(describe(), Succeeds());
  const NoThreads no_more;
  EXPECT_THAT(describe(), Succeeds()) << "there is one, for all";
}

TEST_F(NoThreadsTest, ACallThatHasToLookOnDiskIsMadeOnceThereIsAThread) {
  must(engine_.send("orders", {.body = "x"}, {.request_id = "mine"}));
  std::promise<Result<std::vector<Result<Sent>>>> answered;
  {
    const NoThreads none;
    engine_.async_send_batch("orders", {{.body = "x"}}, {.request_id = "mine"},
                             [&](auto results) { answered.set_value(std::move(results)); });
    engine_.run_due();
  }
  engine_.run_due();
  EXPECT_THAT(answered.get_future().get(), Succeeds());
  EXPECT_EQ(must(engine_.describe_queue("orders")).counts.ready, 1U);
}

TEST(NoThreadsBackground, WhatWasPostedIsDoneAtTheEnd) {
  const NoThreads none;
  bool done = false;
  BackgroundThread background;
  background.post([&] { done = true; });
  EXPECT_FALSE(done);
  background.stop();
  EXPECT_TRUE(done);
}

TEST(NoThreadsReclaimer, SpaceIsReclaimedWithTheNextRequest) {
  const auto store = must(open_memory_store(std::make_shared<MemoryDisk>(1)));
  Reclaimer reclaimer(*store, true);
  {
    const NoThreads none;
    EXPECT_NO_THROW(reclaimer.compact_range(QueueId(1), Seq(1), Seq(2)));
  }
  EXPECT_NO_THROW(reclaimer.compact_range(QueueId(2), Seq(1), Seq(2)));
}

}  // namespace
}  // namespace holdfast::testing
