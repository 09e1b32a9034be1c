// The worker's pauses double up to their cap.
#include "client/worker/backoff.h"

#include <gtest/gtest.h>

namespace holdfast::worker {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToItsCap) {
  EXPECT_EQ(backoff(1s, 10s, 1), 1s);
  EXPECT_EQ(backoff(1s, 10s, 2), 2s);
  EXPECT_EQ(backoff(1s, 10s, 4), 8s);
  EXPECT_EQ(backoff(1s, 10s, 5), 10s);
  EXPECT_EQ(backoff(1s, 10s, UINT64_MAX), 10s);
  EXPECT_EQ(backoff(20s, 10s, 1), 10s);
  EXPECT_EQ(backoff(0s, 10s, 1000), 0s);
}

}  // namespace
}  // namespace holdfast::worker
