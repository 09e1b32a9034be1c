// Message groups in a queue's state, one transition at a time. tests/engine/messages/ordered_test.cc drives
// them at random.
#include <gmock/gmock.h>

#include "engine/core/group_index.h"
#include "engine/core/lane_state.h"
#include "engine/core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Timestamp kStart{std::chrono::hours(1000)};
constexpr GroupKey kA{1};
constexpr GroupKey kB{2};

LaneState with_grouping(Grouping grouping) {
  LaneState state;
  state.set_order(grouping, false);
  return state;
}

// Appends one chunk, with one message for each of these groups.
void append(LaneState& state, const std::vector<GroupKey>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) state.append(i == 0, false, {}, groups[i]);
  state.close_group();
}

std::vector<Seq> receive(LaneState& state, std::size_t max) {
  std::vector<Seq> seqs;
  ByteBudget any;
  for (const Grant& grant : state.receive(max, {LeaseId{1}, kStart + 30s, nullptr}, any)) {
    seqs.push_back(grant.chunk + grant.index);
  }
  return seqs;
}

TEST(OrderedGroups, AreHeldByOneBatchAtATime) {
  LaneState state = with_grouping(Grouping::kOrdered);
  append(state, {kA, kA, kB, kA, kB});
  EXPECT_THAT(receive(state, 2), ElementsAre(Seq{1}, Seq{2}));
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{3}, Seq{5}));
  EXPECT_THAT(receive(state, 10), IsEmpty());
  state.ack(Seq{1}, Timestamp{});
  EXPECT_THAT(receive(state, 10), IsEmpty());
  state.ack(Seq{2}, Timestamp{});
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{4}));
}

TEST(OrderedGroups, AWaitingHeadBlocks) {
  LaneState state = with_grouping(Grouping::kOrdered);
  append(state, {kA, kA, kB});
  EXPECT_THAT(receive(state, 1), ElementsAre(Seq{1}));
  EXPECT_FALSE(state.release(Seq{1}, {.visible_at = kStart + 5s}, kStart));
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{3}));
  EXPECT_TRUE(state.expire(kStart + 5s, 10));
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{1}, Seq{2}));
}

TEST(OrderedGroups, AWaitingMessageEndsTheBatch) {
  LaneState state = with_grouping(Grouping::kOrdered);
  append(state, {kA, kA, kA});
  EXPECT_EQ(receive(state, 3).size(), 3U);
  EXPECT_FALSE(state.release(Seq{3}, {}, kStart));
  EXPECT_FALSE(state.release(Seq{2}, {.visible_at = kStart + 5s}, kStart));
  EXPECT_THAT(receive(state, 10), IsEmpty());  // the first message is still leased
  EXPECT_FALSE(state.release(Seq{1}, {}, kStart));
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{1}));
}

TEST(OrderedGroups, AMessageOnItsWayOutBlocksUntilItIsGone) {
  LaneState state = with_grouping(Grouping::kOrdered);
  state.policy().max_deliveries = 1;
  append(state, {kA, kA});
  EXPECT_THAT(receive(state, 1), ElementsAre(Seq{1}));
  EXPECT_TRUE(state.release(Seq{1}, {}, kStart));
  EXPECT_THAT(receive(state, 10), IsEmpty());
  state.remove(Seq{1}, *state.window().span_of(Seq{1}));
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{2}));
}

TEST(FairGroups, TakeTurns) {
  LaneState state = with_grouping(Grouping::kFair);
  append(state, {kA, kA, kA, kA, kB, kB});
  EXPECT_THAT(receive(state, 1), ElementsAre(Seq{1}));
  EXPECT_THAT(receive(state, 1), ElementsAre(Seq{5}));
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{2}, Seq{6}, Seq{3}, Seq{4}));
}

// The cursor passes as many ready messages as the limit says, and not one more.
TEST(Groups, LookAheadEndsAtItsLimit) {
  for (const std::size_t behind : {limits::kGroupLookahead, limits::kGroupLookahead + 1}) {
    LaneState state = with_grouping(Grouping::kOrdered);
    append(state, {kA});
    EXPECT_THAT(receive(state, 1), ElementsAre(Seq{1}));
    append(state, std::vector<GroupKey>(behind - 1, kA));
    append(state, {kB});
    const Seq last = Seq{behind + 1};
    if (behind > limits::kGroupLookahead) {
      EXPECT_THAT(receive(state, 1), IsEmpty());
      EXPECT_FALSE(state.load_from().has_value());
      state.ack(Seq{1}, Timestamp{});
      EXPECT_THAT(receive(state, 1), ElementsAre(Seq{2}));
    }
    EXPECT_THAT(receive(state, 1), ElementsAre(last));
  }
}

TEST(Groups, ARestoredWindowIsReadBeforeAnythingIsHandedOut) {
  LaneState state = with_grouping(Grouping::kOrdered);
  append(state, {kA, kA, kB, kA});
  EXPECT_THAT(receive(state, 1), ElementsAre(Seq{1}));
  EXPECT_THAT(receive(state, 1), ElementsAre(Seq{3}));
  state.close_group();

  LaneState restored(state.log().next_seq(), state.log().cursor(), state.states().tally().fresh(), 0);
  restored.set_order(Grouping::kOrdered, false);
  ChunkState chunk = state.chunk_for_row(Seq{1});
  chunk.groups.clear();  // a chunk's row does not have the groups
  restored.restore_chunk(Seq{1}, std::move(chunk));
  EXPECT_THAT(receive(restored, 10), IsEmpty());
  EXPECT_TRUE(restored.load_from().has_value());
  EXPECT_THAT(restored.states().order().unread(), ElementsAre(Seq{1}));
  restored.set_contents(Seq{1}, {}, {kA, kA, kB, kA});
  EXPECT_THAT(restored.states().order().unread(), IsEmpty());
  EXPECT_THAT(receive(restored, 10), IsEmpty());
  restored.ack(Seq{1}, Timestamp{});
  EXPECT_THAT(receive(restored, 10), ElementsAre(Seq{2}, Seq{4}));
}

TEST(Groups, AChunkWhoseTimeIsReadKeepsItsGroups) {
  LaneState state = with_grouping(Grouping::kOrdered);
  append(state, {kA, kA, kA});
  EXPECT_EQ(receive(state, 3).size(), 3U);
  EXPECT_FALSE(state.release(Seq{3}, {}, kStart));
  state.set_order(Grouping::kOrdered, true);
  ASSERT_THAT(state.states().order().unread(), ElementsAre(Seq{1}));
  state.set_contents(Seq{1}, kStart, {kA, kA, kA});
  for (const Seq seq : {Seq{1}, Seq{2}}) state.ack(seq, Timestamp{});
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{3}));
}

TEST(Groups, AChunkWhoseTimeIsToBeReadGetsTheGroupOfAnotherMessage) {
  LaneState state = with_grouping(Grouping::kOrdered);
  state.append(true, false, {}, kA);
  EXPECT_THAT(receive(state, 1), ElementsAre(Seq{1}));
  state.set_order(Grouping::kOrdered, true);
  ASSERT_THAT(state.states().order().unread(), ElementsAre(Seq{1}));
  state.append(false, false, {}, kB);
  state.close_group();
  state.set_contents(Seq{1}, kStart, {kA, kB});
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{2}));
}

TEST(Groups, AChangeFromAStateThatNobodyToldStopsTheProcess) {
  GroupIndex ordered(Grouping::kOrdered);
  EXPECT_DEATH(ordered.change(kA, Seq{1}, EntryState::kLeased, EntryState::kReady),
               "a message that was held is counted in its group");
  GroupIndex fair(Grouping::kFair);
  EXPECT_DEATH(fair.change(kA, Seq{1}, EntryState::kReady, EntryState::kLeased),
               "a message that was ready is counted in its group");
}

TEST(Groups, TurnedOnWithAMessageInTheOpenChunk) {
  LaneState state;
  state.append(true, false, {}, kA);
  state.set_order(Grouping::kOrdered, false);
  state.append(false, false, {}, kB);
  state.close_group();
  EXPECT_THAT(receive(state, 10), IsEmpty());
  ASSERT_EQ(state.load_from(), Seq{1});
  const std::vector<ChunkSpan> without{{Seq{1}, 2, false}};
  state.add_ahead(Seq{1}, without, Seq{3});  // was read before groups were turned on
  EXPECT_EQ(state.load_from(), Seq{1});
  const std::vector<ChunkSpan> with{{Seq{1}, 2, false, {}, {kA, kB}}};
  state.add_ahead(Seq{1}, with, Seq{3});
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{1}, Seq{2}));
  state.set_order(Grouping::kNone, false);
  EXPECT_FALSE(state.release(Seq{2}, {}, kStart));
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{2}));
}

TEST(Groups, TurnedOffWhileChunksAreReadAhead) {
  LaneState state;
  state.append(true, false, {}, kA);
  state.close_group();
  state.set_order(Grouping::kOrdered, false);
  ASSERT_EQ(state.load_from(), Seq{1});
  state.set_order(Grouping::kNone, false);
  const std::vector<ChunkSpan> with{{Seq{1}, 1, false, {}, {kA}}};
  state.add_ahead(Seq{1}, with, Seq{2});  // was read before groups were turned off
  ASSERT_EQ(state.load_from(), Seq{1});
  const std::vector<ChunkSpan> without{{Seq{1}, 1, false}};
  state.add_ahead(Seq{1}, without, Seq{2});
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{1}));
}

TEST(Groups, AMessageTakenFromAheadLeavesTheRest) {
  LaneState state = with_grouping(Grouping::kFair);
  append(state, {kA, kB, kA});
  state.remove(Seq{2}, {Seq{1}, 3, false});
  EXPECT_THAT(state.states().order().unread(), ElementsAre(Seq{1}));
  state.set_contents(Seq{1}, {}, {kA, kB, kA});
  EXPECT_THAT(receive(state, 10), ElementsAre(Seq{1}, Seq{3}));
}

TEST(Groups, AReceiveEndsBeforeTheFirstThatDoesNotFit) {
  for (const Grouping grouping : {Grouping::kOrdered, Grouping::kFair}) {
    LaneState state = with_grouping(grouping);
    for (const std::uint32_t bytes : {40U, 50U, 20U, 5U})
      state.append(state.states().tally().fresh() == 0, false, {}, kA, false, bytes);
    state.close_group();
    ByteBudget budget(100);
    EXPECT_EQ(state.receive(10, {LeaseId{1}, kStart + 30s, nullptr}, budget).size(), 2U);
    EXPECT_TRUE(budget.spent());
    EXPECT_EQ(state.states().tally().counts(), (QueueCounts{.ready = 2, .leased = 2}));
  }
}

}  // namespace
}  // namespace holdfast
