// The failed attempts of a message: which are kept, and that each description of a failure has a slot and
// goes where its message goes.
#include "engine/core/attempts.h"

#include <gtest/gtest.h>

#include "engine/core/lane_state.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

AttemptNote attempt(int n) {
  return {.failed_at = Timestamp(Duration(n)), .end = AttemptEnd::kReleased, .consumer = {.instance = "w"}};
}

TEST(Attempts, KeepTheFirstAndTheLast) {
  AttemptNotes history;
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

TEST(Attempts, HaveNoMoreThanTheirSlots) {
  const AttemptNotes too_many{.kept = std::vector<AttemptNote>(kFailureSlots)};
  EXPECT_DEATH((void)with_attempt(&too_many, attempt(1)), "no more attempts are kept than there are slots");
  EXPECT_DEATH((void)failure_slot_of_kept({}, 0), "only an attempt that is kept has a slot");
}

TEST(Attempts, OfMessagesThatFailAlikeAreShared) {
  LaneState state;
  for (int i = 0; i < 3; ++i) state.append(i == 0, false);
  const Timestamp due{std::chrono::seconds(9)};
  ByteBudget any;
  state.receive(3, {LeaseId{1}, due, nullptr}, any);
  EXPECT_EQ(state.window().history(Seq{1}).attempts, nullptr);
  EXPECT_TRUE(state.expire(due, 10));
  const auto attempts = state.window().history(Seq{1}).attempts;
  ASSERT_NE(attempts, nullptr);
  EXPECT_EQ(attempts->kept, (std::vector<AttemptNote>{{.failed_at = due}}));
  EXPECT_EQ(state.window().history(Seq{3}).attempts, attempts);
}

// A queue with one message, which is delivered again and again.
class Descriptions : public ::testing::Test {
 protected:
  Descriptions() {
    state_.append(true, false);
    state_.close_group();
  }

  void receive(bool prefetch = false) {
    ByteBudget any;
    const LeaseTerms terms{.id = LeaseId{++lease_},
                           .until = time_ + 10s,
                           .consumer = nullptr,
                           .prefetch = prefetch,
                           .length = 10s};
    ASSERT_EQ(state_.receive(1, terms, any).size(), 1U);
  }

  void fail(bool described) {
    receive();
    if (described) places_.push_back(state_.describe(kSeq));
    time_ += 2s;
    (void)state_.release(kSeq, {}, time_);
  }

  FailureSlots described() const { return state_.window().history(kSeq).described; }
  // Returns the descriptions that the group of changes takes away.
  FailureSlots undescribed() {
    const auto changes = state_.close_group();
    const auto gone = changes.undescribed.find(kSeq);
    return gone == changes.undescribed.end() ? FailureSlots{} : gone->second;
  }

  static constexpr Seq kSeq{1};
  LaneState state_;
  Timestamp time_{100s};
  std::uint64_t lease_ = 0;
  std::vector<FailurePlace> places_;
};

TEST_F(Descriptions, LieInASlotForEachAttemptThatIsKept) {
  for (std::size_t n = 0; n < 40; ++n) {
    fail(true);
    EXPECT_EQ(places_.back().home, kSeq);
    const auto attempts = state_.window().history(kSeq).attempts;
    const std::size_t kept = attempts->kept.size();
    FailureSlots expected = 0;
    for (std::size_t i = 0; i < kept; ++i) {
      const std::size_t number = i < limits::kFirstAttempts ? i : i + attempts->left_out;
      EXPECT_EQ(failure_slot_of_kept(*attempts, i), places_[number].slot) << "of " << number << " at " << n;
      expected = static_cast<FailureSlots>(expected | 1U << places_[number].slot);
    }
    EXPECT_EQ(described(), expected);
    const bool drops = attempts->left_out > 0;
    const FailureSlots gone = undescribed();
    EXPECT_EQ(gone, drops ? 1U << places_[n - limits::kLastAttempts].slot : 0U);
    EXPECT_EQ(gone & described(), 0U);
  }
}

TEST_F(Descriptions, AreOfTheirDeliveryAlone) {
  fail(false);
  EXPECT_EQ(described(), 0U);
  receive();
  state_.describe(kSeq);
  EXPECT_NE(described(), 0U);
  (void)state_.release(kSeq, {.charge = false}, time_);  // a release that is not charged is no failure
  EXPECT_EQ(described(), 0U);
  EXPECT_EQ(undescribed(), 2U);

  receive();
  state_.describe(kSeq);
  state_.extend(kSeq, time_ + 5s);
  EXPECT_TRUE(state_.expire(time_ + 5s, 10));
  EXPECT_EQ(described(), 2U);
}

TEST_F(Descriptions, GoWithTheMessage) {
  fail(true);
  fail(true);
  EXPECT_EQ(undescribed(), 0U);
  receive();
  state_.ack(kSeq, time_);
  EXPECT_EQ(undescribed(), 3U);
}

TEST_F(Descriptions, ThatComeBackInOneGroupStay) {
  receive();
  state_.describe(kSeq);
  (void)state_.release(kSeq, {.charge = false}, time_);
  receive();
  state_.describe(kSeq);
  EXPECT_EQ(undescribed(), 0U);
  EXPECT_EQ(described(), 1U);
}

TEST_F(Descriptions, StayWhereTheyAreWhenTheMessageMoves) {
  fail(true);
  const FailureHistory history = state_.window().history(kSeq);
  state_.take_descriptions_along(kSeq);
  const Seq moved = state_.append(true, false);
  state_.reenter(moved, history, ReturnTo::kTail);
  state_.remove(kSeq, *state_.window().span_of(kSeq));
  EXPECT_EQ(undescribed(), 0U);
  EXPECT_EQ(state_.window().history(moved).home, kSeq);
  EXPECT_EQ(state_.window().history(moved).described, 1U);
  receive();
  const FailurePlace next = state_.describe(moved);
  EXPECT_EQ(next.home, kSeq);
  EXPECT_EQ(next.slot, 1U);
  state_.ack(moved, time_);
  EXPECT_EQ(undescribed(), 3U);
}

TEST_F(Descriptions, AttemptsSayForHowLongTheLeaseWasHeld) {
  receive();
  state_.extend(kSeq, time_ + 15s);
  state_.extend(kSeq, time_ + 25s);
  (void)state_.release(kSeq, {}, time_ + 7s);
  receive();
  EXPECT_TRUE(state_.expire(time_ + 10s, 10));
  const auto kept = state_.window().history(kSeq).attempts->kept;
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].held_ms, 7000U);
  EXPECT_EQ(kept[0].extended, 2U);
  EXPECT_EQ(kept[1].held_ms, 10'000U);
  EXPECT_EQ(kept[1].extended, 0U);
}

TEST_F(Descriptions, CountsExtensionsUpToTheLimit) {
  receive();
  for (std::uint32_t i = 0; i < limits::kCountedExtensions + 2; ++i) state_.extend(kSeq, time_ + 15s);
  (void)state_.release(kSeq, {}, time_);
  EXPECT_EQ(state_.window().history(kSeq).attempts->kept[0].extended, limits::kCountedExtensions);
}

}  // namespace
}  // namespace holdfast
