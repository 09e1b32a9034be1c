// The thread of an event loop runs the tasks that other threads post, in order, and takes nothing once it has
// stopped.
#include "schema/transport/loop_thread.h"

#include <gtest/gtest.h>
#include <kj/debug.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace holdfast::transport {
namespace {

TEST(LoopThread, RunsPostedTasksInOrderOnItsThread) {
  LoopThread loop;
  std::vector<int> seen;
  std::thread::id thread;
  loop.call([&] {
    thread = std::this_thread::get_id();
    return kj::Promise<void>(kj::READY_NOW);
  });
  for (int i = 0; i < 1000; ++i) {
    loop.mailbox()->post([&, i] {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      seen.push_back(i);
    });
  }
  loop.call([] { return kj::Promise<void>(kj::READY_NOW); });
  ASSERT_EQ(seen.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(LoopThread, TakesTasksFromManyThreads) {
  LoopThread loop;
  int count = 0;
  {
    std::vector<std::jthread> posters;
    for (int i = 0; i < 4; ++i) {
      posters.emplace_back([&] {
        for (int j = 0; j < 10'000; ++j) loop.mailbox()->post([&count] { ++count; });
      });
    }
  }
  loop.call([] { return kj::Promise<void>(kj::READY_NOW); });
  EXPECT_EQ(count, 40'000);
}

TEST(LoopThreadDeathTest, AnotherThreadThatUsesWhatIsTheLoopsStopsTheProcess) {
  EXPECT_DEATH(
      {
        LoopThread loop;
        loop.call([] { return kj::Promise<void>(kj::READY_NOW); });
        loop.mailbox()->close();
      },
      "what one thread alone uses is used by that thread");
}

TEST(LoopThread, GivesTheCallerTheFailure) {
  LoopThread loop;
  EXPECT_THROW(loop.call([]() -> kj::Promise<void> { return KJ_EXCEPTION(FAILED, "on purpose"); }),
               kj::Exception);
  EXPECT_THROW(loop.call([]() -> kj::Promise<void> { KJ_FAIL_REQUIRE("thrown"); }), kj::Exception);
}

TEST(LoopThread, ThrowsWithoutAFileDescriptor) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "without a descriptor the sanitizer cannot read the exception that is thrown";
#endif
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_THROW(LoopThread(), std::exception);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(LoopThread, WaitsForPromises) {
  LoopThread loop;
  bool done = false;
  loop.call([&] {
    loop.role.assert_held();
    return loop.port().after(std::chrono::microseconds(1)).then([&] { done = true; });
  });
  EXPECT_TRUE(done);
}

TEST(LoopThread, ADroppedTimerDoesNothing) {
  LoopThread loop;
  loop.call([&] {
    loop.role.assert_held();
    { auto dropped = loop.port().after(std::chrono::microseconds(0)); }
    return loop.port().after(std::chrono::microseconds(1));
  });
}

TEST(LoopThread, IsWokenByOtherThreadsExecutors) {
  LoopThread loop;
  const kj::Executor* executor = nullptr;
  loop.call([&] {
    executor = &kj::getCurrentThreadExecutor();
    return kj::Promise<void>(kj::READY_NOW);
  });
  int count = 0;
  for (int i = 0; i < 100; ++i) executor->executeSync([&] { ++count; });
  EXPECT_EQ(count, 100);
}

TEST(LoopThread, TakesNothingOnceItHasStopped) {
  std::shared_ptr<Mailbox> mailbox;
  {
    LoopThread loop;
    mailbox = loop.mailbox();
  }
  EXPECT_FALSE(mailbox->post([] { FAIL() << "the loop is gone"; }));
}

}  // namespace
}  // namespace holdfast::transport
