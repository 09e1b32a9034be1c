// Random pauses between attempts: they stay under a bound that doubles up to its cap, and differ from client
// to client.
#include "client/common/random_backoff.h"

#include <gtest/gtest.h>

namespace holdfast::client {
namespace {

using namespace std::chrono_literals;

class BackoffPauses : public ::testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Seeds, BackoffPauses, ::testing::Range<std::uint64_t>(1, 50));

TEST_P(BackoffPauses, StayUnderABoundThatDoublesUpToTheCap) {
  RandomBackoff backoff(10ms, 75ms, GetParam());
  for (const Duration bound : {10ms, 20ms, 40ms, 75ms, 75ms}) {
    const auto pause = backoff.next();
    EXPECT_GE(pause, 0ms);
    EXPECT_LE(pause, bound);
  }
  backoff.reset();
  EXPECT_LE(backoff.next(), 10ms);
}

TEST_P(BackoffPauses, MayBeNone) {
  RandomBackoff backoff(0ms, 0ms, GetParam());
  EXPECT_EQ(backoff.next(), 0ms);
  EXPECT_EQ(backoff.next(), 0ms);
}

TEST(RandomBackoff, DiffersFromClientToClient) {
  RandomBackoff one(1h, 1h, 1);
  RandomBackoff other(1h, 1h, 2);
  EXPECT_NE(one.next(), other.next());
}

}  // namespace
}  // namespace holdfast::client
