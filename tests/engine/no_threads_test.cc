// The engine wants a thread while the machine has none to give. The call gives an error, or the work waits.
// No exception leaves the engine.
#include "tests/support/no_threads.h"
#include "engine/engine/engine_inside.h"

#include <unistd.h>

#include <filesystem>
#include <future>

#include "engine/services/background_thread.h"
#include "engine/services/reclaimer.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class NoThreadsTest : public ::testing::Test {
 protected:
  NoThreadsTest() { must(engine_.create_queue("orders")); }

  ManualClock clock_;
  Engine engine_ = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
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
  std::promise<BatchResult<Sent>> answered;
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

// Opens an engine while only so many threads can be had. The opening works or gives an error, and leaves a
// directory that can be opened again.
void open_with(std::size_t threads, const std::filesystem::path& directory) {
  {
    const NoThreads more(threads);
    const auto opened = Engine::open(directory);
    EXPECT_TRUE(opened || opened.error().code == ErrorCode::kOverloaded) << to_string(opened.error());
  }
  auto engine = must(Engine::open(directory));
  must(engine.send("orders", {.body = "x"}));
  must(engine.close());
}

void fill(const std::filesystem::path& directory) {
  auto engine = must(Engine::open(directory));
  must(engine.create_queue("orders"));
  must(engine.create_queue("others"));
  for (int i = 0; i < 5; ++i) {
    must(engine.send("orders", {.body = "x"}));
    must(engine.send("others", {.body = "x"}));
    must(engine.compact("orders"));  // makes a table for each family
  }
  must(engine.close());
}

TEST(NoThreadsOpening, IsAnErrorAndTheDirectoryIsFree) {
  const TempDir directory;
  fill(directory / "data");
  for (std::size_t threads = 0; threads < 8; ++threads) {
    SCOPED_TRACE(threads);
    open_with(threads, directory / "data");
  }
}

// RocksDB keeps most threads of a process's first opening for later openings. So each of these tests opens in
// a process of its own.
class NoThreadsDeathTest : public ::testing::TestWithParam<std::size_t> {};

int open_first(std::size_t threads) {
  const TempDir directory;
  {
    const NoThreads more(threads);
    const auto opened = Engine::open(directory / "data");
    if (!opened && opened.error().code != ErrorCode::kOverloaded) return 1;
  }
  auto engine = must(Engine::open(directory / "data"));
  must(engine.create_queue("orders"));
  must(engine.close());
  return 0;
}

TEST_P(NoThreadsDeathTest, IsAnErrorOfAProcessesFirstOpeningToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The process ends without a search for leaks, since RocksDB leaks a few bytes when it cannot have a
  // thread.
  EXPECT_EXIT(::_exit(open_first(GetParam())), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Threads, NoThreadsDeathTest, ::testing::Range<std::size_t>(0, 8));

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
