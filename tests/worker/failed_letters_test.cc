// Dead letters that could not be dealt with are remembered up to a number, until a complete pass does not
// meet them.
#include "client/worker/failed_letters.h"

#include <gtest/gtest.h>

namespace holdfast::worker {
namespace {

using namespace std::chrono_literals;

TEST(FailedLetters, AreForgottenOnceACompletePassDidNotMeetThem) {
  FailedLetters failures(1min, 1h);
  const Timestamp time{};
  const auto pass = [&](bool meets, bool complete) {
    failures.begin_pass();
    if (meets) {
      EXPECT_FALSE(failures.is_due(Seq{1}, time));
    }
    if (!complete) failures.abandon_pass();
  };
  failures.begin_pass();
  failures.failed(Seq{1}, time);
  pass(true, true);
  pass(false, false);
  pass(true, true);
  pass(false, true);
  failures.begin_pass();
  EXPECT_TRUE(failures.is_due(Seq{1}, time));
}

TEST(FailedLetters, OfSoManyIsRememberedWhenToTryAgain) {
  FailedLetters failures(1min, 1h);
  const Timestamp time{};
  for (std::uint64_t i = 1; i <= FailedLetters::kRemembered + 1; ++i) failures.failed(Seq{i}, time);
  EXPECT_FALSE(failures.is_due(Seq{FailedLetters::kRemembered}, time));
  EXPECT_TRUE(failures.is_due(Seq{FailedLetters::kRemembered + 1}, time));
  failures.succeeded(Seq{1});
  EXPECT_TRUE(failures.is_due(Seq{1}, time));
}

}  // namespace
}  // namespace holdfast::worker
