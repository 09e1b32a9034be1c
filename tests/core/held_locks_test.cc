// Code that says which lock it holds is checked when it runs.
#include <gtest/gtest.h>

#include <thread>

#include "engine/commit/gate.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"

namespace holdfast::testing {
namespace {

TEST(HeldLocks, AMutexKnowsItsHolder) {
  sync::Mutex mutex;
  {
    const sync::Lock lock(mutex);
    mutex.assert_held();
  }
  EXPECT_DEATH(mutex.assert_held(), "the calling thread holds the mutex");
  ASSERT_TRUE(mutex.try_lock());
  mutex.assert_held();
  mutex.unlock();
  EXPECT_DEATH(mutex.assert_held(), "the calling thread holds the mutex");
}

TEST(HeldLocks, AMutexThatAnotherThreadHoldsIsNotHeld) {
  sync::Mutex mutex;
  const sync::Lock lock(mutex);
  const auto ask_elsewhere = [&] { std::thread([&] { mutex.assert_held(); }).join(); };
  EXPECT_DEATH(ask_elsewhere(), "the calling thread holds the mutex");
}

TEST(HeldLocks, AMutexIsHeldAgainAfterAWait) {
  sync::Mutex mutex;
  sync::ConditionVariable never;
  sync::Lock lock(mutex);
  never.wait_until(lock, std::chrono::steady_clock::time_point::min());
  mutex.assert_held();
}

TEST(HeldLocks, AGateKnowsWhoIsInside) {
  Gate gate;
  Gate other;
  {
    const Gate::Pass pass(gate);
    gate.assert_inside();
    EXPECT_DEATH(other.assert_inside(), "the calling thread is inside the gate");
    const auto enter = [](Gate& entered) HOLDFAST_NOT_ANALYSED {
      const Gate::Pass second(entered);  // the analysis refuses it
    };
    EXPECT_DEATH(enter(gate), "inside one gate at most, and once");
    EXPECT_DEATH(enter(other), "inside one gate at most, and once");
  }
  EXPECT_DEATH(gate.assert_inside(), "the calling thread is inside the gate");
}

}  // namespace
}  // namespace holdfast::testing
