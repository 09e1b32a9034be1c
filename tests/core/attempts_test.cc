#include "core/attempts.h"

#include <gtest/gtest.h>

#include "core/queue_state.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

Attempt attempt(int n) {
  return {.failed_at = Timestamp(Duration(n)), .end = AttemptEnd::kReleased, .consumer = {.instance = "w"}};
}

TEST(Attempts, KeepTheFirstAndTheLast) {
  AttemptHistory history;
  for (int n = 1; n <= 50; ++n) {
    history = with_attempt(&history, attempt(n));
    ASSERT_EQ(history.kept.size() + history.left_out, static_cast<std::size_t>(n));
    ASSERT_LE(history.kept.size(), limits::kFirstAttempts + limits::kLastAttempts);
  }
  ASSERT_EQ(history.kept.size(), limits::kFirstAttempts + limits::kLastAttempts);
  EXPECT_EQ(history.kept.front(), attempt(1));
  EXPECT_EQ(history.kept[limits::kFirstAttempts - 1], attempt(limits::kFirstAttempts));
  EXPECT_EQ(history.kept[limits::kFirstAttempts], attempt(50 - limits::kLastAttempts + 1));
  EXPECT_EQ(history.kept.back(), attempt(50));
}

TEST(Attempts, OfMessagesThatFailAlikeAreShared) {
  QueueState state;
  for (int i = 0; i < 3; ++i) state.append(i == 0, false);
  const Timestamp due{std::chrono::seconds(9)};
  ByteBudget any;
  state.receive(3, {LeaseId{1}, due, nullptr}, any);
  EXPECT_EQ(state.history(Seq{1}).attempts, nullptr);
  EXPECT_TRUE(state.expire(due, 10));
  const auto attempts = state.history(Seq{1}).attempts;
  ASSERT_NE(attempts, nullptr);
  EXPECT_EQ(attempts->kept, (std::vector<Attempt>{{due, AttemptEnd::kLeaseExpired, {}}}));
  EXPECT_EQ(state.history(Seq{3}).attempts, attempts);
}

}  // namespace
}  // namespace holdfast
