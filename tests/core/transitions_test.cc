// The transitions of a queue's state, one at a time. The model test drives them together.
#include <gtest/gtest.h>

#include "engine/core/lane_state.h"
#include "engine/core/queue_state.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kStart{std::chrono::hours(1000)};

class Transitions : public ::testing::Test {
 protected:
  Transitions() {
    state_.policy().max_deliveries = 2;
    for (int i = 0; i < 4; ++i) state_.append(i == 0, false);
    state_.close_group();
  }

  std::vector<Grant> receive(std::size_t max, LeaseId lease = LeaseId{1}) {
    return receive(state_, max, lease);
  }
  static std::vector<Grant> receive(LaneState& state, std::size_t max, LeaseId lease) {
    ByteBudget any;
    return state.receive(max, {lease, kStart + 30s, nullptr}, any);
  }
  void expect_counts(std::uint64_t ready, std::uint64_t waiting, std::uint64_t leased) {
    EXPECT_EQ(state_.states().tally().counts(),
              (QueueCounts{.ready = ready, .waiting = waiting, .leased = leased}));
  }

  LaneState state_;
};

TEST_F(Transitions, ReceiveLeasesTheOldest) {
  const auto grants = receive(3);
  ASSERT_EQ(grants.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(grants[i].index, i);
    EXPECT_EQ(grants[i].deliveries, 1U);
  }
  expect_counts(1, 0, 3);
  EXPECT_EQ(state_.states().due().next(), kStart + 30s);
}

TEST_F(Transitions, WhatIsOverIsNotSettledAgain) {
  receive(1);
  state_.ack(Seq{1}, kStart);
  EXPECT_DEATH(state_.ack(Seq{1}, kStart), "only a leased message is settled, extended or described");
  EXPECT_DEATH(state_.extend(Seq{2}, kStart + 30s),
               "only a leased message is settled, extended or described");
  EXPECT_DEATH(state_.revive(Seq{2}), "only an exhausted message is ready again");
}

TEST_F(Transitions, ACallThatIsNotAllowedStopsTheProcess) {
  const Seq unknown{99};
  EXPECT_DEATH((void)state_.window().due_of(unknown), "only a message of the window is asked when it is due");
  EXPECT_DEATH(state_.keep_place(Seq{1}), "only a message on its way to the tail");
  EXPECT_DEATH(state_.take_descriptions_along(unknown), "only a message of the window has descriptions");
  EXPECT_DEATH(state_.remove(unknown, {.first = Seq{1}, .count = 4}), "with the chunk that it is in");
  EXPECT_DEATH(state_.expire_message(unknown, {.first = Seq{1}, .count = 4}), "with the chunk that it is in");
  EXPECT_DEATH((void)state_.chunk_for_row(unknown), "that close_group\\(\\) gave as dirty");
  EXPECT_DEATH(state_.pack(unknown), "only a chunk of the window is packed");
  EXPECT_DEATH(state_.compact_chunk(unknown), "only a chunk in the store is stored anew");
  EXPECT_DEATH(LaneState().append(false, false), "to an open chunk of its kind");
  EXPECT_DEATH(QueueState().end_reading(), "each reading that began ends once");
}

TEST(Invariants, ABrokenOneStopsTheProcess) {
  EXPECT_DEATH(Tally().change(EntryState::kLeased, EntryState::kDone, 0), "a leased message is counted");
  EXPECT_DEATH(ChunkLog(Seq{5}, Seq{5}).move_cursor(Seq{4}), "the cursor never goes back");
  EXPECT_DEATH((void)ChunkState().bytes_of(0), "only a message of the chunk has bytes in it");
  EXPECT_DEATH((void)QueueState(std::vector<LaneState>{}), "a queue has a first lane");
  const FailurePolicy policy{.retry = {.kind = RetryKind::kStages}};
  EXPECT_DEATH((void)policy.retry_delay(1, 0), "a policy of stages has a stage");
}

TEST_F(Transitions, ReceiveEndsBeforeTheFirstThatDoesNotFit) {
  LaneState state;
  for (const std::uint32_t bytes : {40U, 50U, 20U, 5U})
    state.append(state.states().tally().fresh() == 0, false, {}, {}, false, bytes);
  const LeaseTerms terms{LeaseId{1}, kStart + 30s, nullptr};
  ByteBudget budget(100);
  EXPECT_EQ(state.receive(10, terms, budget).size(), 2U);
  EXPECT_TRUE(budget.spent());
  EXPECT_TRUE(state.receive(10, terms, budget).empty());
  ByteBudget small(1);
  EXPECT_EQ(state.receive(10, terms, small).size(), 1U);
  EXPECT_EQ(state.states().tally().counts(), (QueueCounts{.ready = 1, .leased = 3}));
}

TEST_F(Transitions, AckOfAllFinishesTheChunk) {
  for (const Grant& grant : receive(4)) state_.ack(grant.chunk + grant.index, Timestamp{});
  expect_counts(0, 0, 0);
  const auto changes = state_.close_group();
  ASSERT_EQ(changes.finished.size(), 1U);
  EXPECT_TRUE(changes.finished[0].stored);
  EXPECT_TRUE(changes.dirty.empty());
  EXPECT_EQ(state_.window().check(Seq{1}, LeaseId{1}), ReceiptCheck::kGone);
}

// A redrive that has read the chunk before the chunk was finished must not move its messages again.
TEST_F(Transitions, WhatLeftAChunkBeforeTheCursorCameStaysGoneWhenTheChunkIs) {
  receive(2);
  for (const Seq seq : {Seq{3}, Seq{4}}) state_.remove(seq, {Seq{1}, 4, false});
  for (const Seq seq : {Seq{1}, Seq{2}}) state_.ack(seq, Timestamp{});
  ASSERT_EQ(state_.close_group().finished.size(), 1U);
  for (const Seq seq : {Seq{1}, Seq{2}, Seq{3}, Seq{4}})
    EXPECT_EQ(state_.log().check_free(seq), ReceiptCheck::kGone);
  expect_counts(0, 0, 0);
  state_.append(true, false);
  state_.close_group();
  ASSERT_EQ(receive(2).size(), 1U);
}

TEST_F(Transitions, AReceiptIsOfOneDelivery) {
  receive(1, LeaseId{1});
  EXPECT_EQ(state_.window().check(Seq{1}, LeaseId{1}), ReceiptCheck::kValid);
  EXPECT_EQ(state_.window().check(Seq{1}, LeaseId{2}), ReceiptCheck::kStale);
  EXPECT_FALSE(state_.release(Seq{1}, {}, kStart));
  EXPECT_EQ(state_.window().check(Seq{1}, LeaseId{1}), ReceiptCheck::kStale);
  EXPECT_EQ(receive(1, LeaseId{2})[0].deliveries, 2U);
  EXPECT_EQ(state_.window().check(Seq{1}, LeaseId{2}), ReceiptCheck::kValid);
}

TEST_F(Transitions, ReleaseChargesOnlyWhenAsked) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(receive(1)[0].deliveries, 1U);
    EXPECT_FALSE(state_.release(Seq{1}, {.charge = false}, kStart));
  }
  receive(1);
  EXPECT_FALSE(state_.release(Seq{1}, {}, kStart));
  receive(1);
  EXPECT_TRUE(state_.release(Seq{1}, {}, kStart + 1s));
  EXPECT_TRUE(state_.window().is_exhausted(Seq{1}));
  const FailureHistory history = state_.window().history(Seq{1});
  EXPECT_EQ(history.deliveries, 2U);
  EXPECT_EQ(history.first_failed_at, kStart);
  EXPECT_EQ(history.last_failed_at, kStart + 1s);
  state_.revive(Seq{1});
  expect_counts(4, 0, 0);
}

TEST_F(Transitions, ADelayWaits) {
  receive(1);
  EXPECT_FALSE(state_.release(Seq{1}, {.visible_at = kStart + 5s}, kStart));
  expect_counts(3, 1, 0);
  EXPECT_FALSE(state_.expire(kStart + 5s - 1us, 10));
  EXPECT_TRUE(state_.expire(kStart + 5s, 10));
  expect_counts(4, 0, 0);
}

TEST_F(Transitions, ALeaseRunsOutOnceItIsDueUnlessExtended) {
  receive(2);
  state_.extend(Seq{2}, kStart + 60s);
  EXPECT_TRUE(state_.expire(kStart + 30s, 10));
  expect_counts(3, 0, 1);
  EXPECT_EQ(state_.states().due().next(), kStart + 60s);
  EXPECT_EQ(state_.window().history(Seq{1}).first_failed_at, kStart + 30s);
}

TEST_F(Transitions, RemovePastTheCursorLeavesTheRestInOrder) {
  EXPECT_EQ(state_.log().check_free(Seq{3}), ReceiptCheck::kValid);
  state_.remove(Seq{3}, {Seq{1}, 4, false});
  EXPECT_EQ(state_.log().check_free(Seq{3}), ReceiptCheck::kGone);
  const auto grants = receive(10);
  ASSERT_EQ(grants.size(), 3U);
  EXPECT_EQ(grants[2].index, 3U);
  EXPECT_EQ(state_.log().check_free(Seq{1}), ReceiptCheck::kStale);
}

// The state keeps nothing of a finished chunk past the cursor, while the store may still have the chunk.
TEST_F(Transitions, WhatIsFinishedPastTheCursorStaysGoneForThoseWhoReadMeanwhile) {
  const ChunkSpan span{state_.append(true, false), 2, false};
  state_.append(false, false);
  state_.close_group();
  state_.remember_finished(true);
  for (const Seq seq : {Seq{5}, Seq{6}}) state_.remove(seq, span);
  EXPECT_TRUE(state_.states().changes().removes_past_cursor());
  for (const Seq seq : {Seq{5}, Seq{6}}) {
    EXPECT_EQ(state_.log().check_free(seq), ReceiptCheck::kGone);
    EXPECT_FALSE(state_.log().peek(seq));
    state_.expire_message(seq, span);
  }
  expect_counts(4, 0, 0);
  EXPECT_EQ(state_.log().check_free(Seq{4}), ReceiptCheck::kValid);
  state_.append(true, false);
  EXPECT_EQ(state_.log().check_free(Seq{7}), ReceiptCheck::kValid);
}

TEST_F(Transitions, WhatIsFinishedWhileItIsReadAheadIsNotHandedOut) {
  LaneState restored(Seq{201}, Seq{1}, 200);
  const std::vector<ChunkSpan> chunks{{Seq{1}, 100, false}, {Seq{101}, 100, false}};
  restored.remember_finished(true);
  for (std::uint64_t i = 0; i < 100; ++i) restored.remove(Seq{101 + i}, chunks[1]);
  restored.add_ahead(Seq{1}, chunks, Seq{201});
  restored.remember_finished(false);
  EXPECT_EQ(receive(restored, 1000, LeaseId{1}).size(), 100U);
  EXPECT_FALSE(restored.load_from());
}

TEST_F(Transitions, ARestoredWindowGoesOn) {
  receive(2);
  state_.close_group();
  LaneState restored(state_.log().next_seq(), state_.log().cursor(), state_.states().tally().fresh(), 0);
  restored.restore_chunk(Seq{1}, state_.chunk_for_row(Seq{1}));
  EXPECT_EQ(restored.states().tally().counts(), state_.states().tally().counts());
  EXPECT_EQ(restored.window().check(Seq{2}, LeaseId{1}), ReceiptCheck::kValid);
  EXPECT_EQ(receive(restored, 10, LeaseId{2}).size(), 2U);
  EXPECT_FALSE(restored.load_from().has_value());
}

TEST_F(Transitions, ABacklogIsAskedOfTheStore) {
  LaneState restored(Seq{1001}, Seq{1}, 1000);
  EXPECT_TRUE(receive(restored, 1, LeaseId{1}).empty());
  ASSERT_EQ(restored.load_from(), Seq{1});
  const std::vector<ChunkSpan> chunks{{Seq{1}, 100, false}, {Seq{101}, 100, false}};
  restored.add_ahead(Seq{2}, chunks, Seq{201});  // the load asked for Seq 1
  EXPECT_EQ(restored.load_from(), Seq{1});
  restored.add_ahead(Seq{1}, chunks, Seq{201});
  EXPECT_EQ(receive(restored, 1000, LeaseId{1}).size(), 200U);
  EXPECT_EQ(restored.load_from(), Seq{201});
}

TEST_F(Transitions, ALongWaitIsTakenOutOfTheWindowAndComesBackReady) {
  receive(1);
  EXPECT_FALSE(state_.release(Seq{1}, {.visible_at = kStart + LaneState::kHorizon + 1us}, kStart));
  EXPECT_EQ(state_.states().due().next(), Timestamp::min());
  const auto far = state_.far_waiting(kStart, 10);
  ASSERT_EQ(far.size(), 1U);
  EXPECT_EQ(far[0].seq(), Seq{1});
  const FailureHistory history = state_.window().history(Seq{1});
  state_.remove(Seq{1}, *state_.window().span_of(Seq{1}));
  state_.keep_far_waiting(Seq{1});

  const Seq back = state_.append(true, false);
  state_.reenter(back, history, ReturnTo::kHead);
  expect_counts(4, 0, 0);
  const auto grants = receive(10, LeaseId{2});
  ASSERT_EQ(grants.size(), 4U);
  EXPECT_EQ(grants[0].chunk + grants[0].index, back);
  EXPECT_EQ(grants[0].deliveries, 2U);
}

TEST_F(Transitions, AWaitWithinTheHorizonStays) {
  receive(1);
  EXPECT_FALSE(state_.release(Seq{1}, {.visible_at = kStart + LaneState::kHorizon}, kStart));
  EXPECT_TRUE(state_.far_waiting(kStart, 10).empty());
  EXPECT_GT(state_.states().due().next(), kStart);
}

TEST_F(Transitions, PurgeLeavesNothing) {
  receive(2);
  EXPECT_EQ(state_.purge(), 4U);
  expect_counts(0, 0, 0);
  EXPECT_EQ(state_.close_group().purged_before, Seq{5});
  EXPECT_EQ(state_.window().check(Seq{1}, LeaseId{1}), ReceiptCheck::kGone);
  state_.append(true, false);
  EXPECT_EQ(receive(10).size(), 1U);
}

}  // namespace
}  // namespace holdfast
