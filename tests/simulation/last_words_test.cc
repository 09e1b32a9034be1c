// A test that does not end says in which run it was ended, and each run has the whole time limit.
#include "tests/support/last_words.h"

#include <gtest/gtest.h>

namespace holdfast::testing {
namespace {

TEST(LastWordsDeathTest, AreSaidOfARunThatDoesNotEnd) {
  const auto hang = [] {
    const LastWords words("seed 7");
    (void)::raise(SIGALRM);
  };
  EXPECT_EXIT(hang(), ::testing::KilledBySignal(SIGALRM),
              "HOLDFAST_TEST_TIME_LIMIT seconds: ended in seed 7");
}

TEST(LastWords, AreWaitedForInEachRunAnewAndNotBehindTheLast) {
  unsigned left = 0;
  for (int run = 0; run < 2; ++run) {
    const LastWords words("seed 7");
    left = ::alarm(100'000);
    EXPECT_LE(left, 99'999U);
  }
  EXPECT_GT(left, 0U);
  EXPECT_EQ(::alarm(0), 0U);
}

}  // namespace
}  // namespace holdfast::testing
