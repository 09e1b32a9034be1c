// The breaker opens after so many failures in a row, tries one message after a pause, and pauses longer if
// that fails.
#include "client/worker/breaker.h"

#include <gtest/gtest.h>

namespace holdfast::worker {
namespace {

using namespace std::chrono_literals;
using State = Breaker::State;

TEST(BreakerTest, OpensAfterSoManyInARow) {
  Breaker breaker(3, 1s, 1min);
  const Timestamp time{};
  EXPECT_FALSE(breaker.failed(time));
  EXPECT_FALSE(breaker.failed(time));
  breaker.succeeded(time);
  EXPECT_FALSE(breaker.failed(time));
  EXPECT_FALSE(breaker.failed(time));
  EXPECT_EQ(breaker.state(time), State::kClosed);
  EXPECT_TRUE(breaker.failed(time));
  EXPECT_EQ(breaker.state(time), State::kOpen);
  EXPECT_FALSE(breaker.failed(time)) << "what was under way when it opened";
  breaker.succeeded(time);
  EXPECT_EQ(breaker.state(time), State::kOpen) << "what was under way when it opened";
  EXPECT_EQ(breaker.until(), time + 1s);
}

TEST(BreakerTest, TriesOneAndPausesLongerIfThatFails) {
  Breaker breaker(1, 1s, 3s);
  Timestamp time{};
  EXPECT_TRUE(breaker.failed(time));
  for (const Duration pause : {Duration(1s), Duration(2s), Duration(3s), Duration(3s)}) {
    EXPECT_EQ(breaker.pause(), pause);
    EXPECT_EQ(breaker.state(time + pause - 1us), State::kOpen);
    time += pause;
    EXPECT_EQ(breaker.state(time), State::kTrying);
    EXPECT_TRUE(breaker.failed(time));
  }
  time += 3s;
  breaker.succeeded(time);
  EXPECT_EQ(breaker.state(time), State::kClosed);
  EXPECT_TRUE(breaker.failed(time));
  EXPECT_EQ(breaker.pause(), 1s) << "it begins anew";
}

TEST(BreakerTest, OfZeroNeverOpens) {
  Breaker breaker(0, 1s, 1min);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(breaker.failed({}));
  EXPECT_EQ(breaker.state({}), State::kClosed);
}

}  // namespace
}  // namespace holdfast::worker
