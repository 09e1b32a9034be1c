// The worker's leases: when each is extended, when a failed extension is tried again, and when a lease counts
// as lost.
#include "client/worker/leases.h"

#include <gmock/gmock.h>

#include "holdfast/limits.h"

namespace holdfast::worker {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Timestamp kStart{};

Receipt receipt(std::uint64_t seq) { return {QueueId{1}, Seq{seq}, LeaseId{7}}; }

TEST(LeasesTest, AreExtendedWhenHalfIsOver) {
  Leases leases(10s);
  EXPECT_EQ(leases.next_due(), Timestamp::max());
  leases.add(receipt(1), kStart);
  leases.add(receipt(2), kStart + 3s);
  EXPECT_EQ(leases.next_due(), kStart + 5s);
  EXPECT_THAT(leases.take_due(kStart + 5s - 1us), IsEmpty());
  EXPECT_THAT(leases.take_due(kStart + 5s), ElementsAre(receipt(1)));
  EXPECT_THAT(leases.take_due(kStart + 5s), IsEmpty());
  EXPECT_THAT(leases.take_due(kStart + 10s), ElementsAre(receipt(2), receipt(1)));
  leases.remove(receipt(1));
  EXPECT_THAT(leases.take_due(kStart + 1h), ElementsAre(receipt(2)));
  leases.remove(receipt(2));
  leases.remove(receipt(2));
  EXPECT_EQ(leases.next_due(), Timestamp::max());
}

// One call extends no more, and what is left is due at once.
TEST(LeasesTest, ComeInBatches) {
  Leases leases(10s);
  for (std::uint64_t seq = 0; seq <= limits::kBatchEntries; ++seq) leases.add(receipt(seq), kStart);
  EXPECT_EQ(leases.take_due(kStart + 5s).size(), limits::kBatchEntries);
  EXPECT_EQ(leases.next_due(), kStart + 5s);
  EXPECT_EQ(leases.take_due(kStart + 5s).size(), 1U);
}

TEST(LeasesTest, AnExtensionThatFailedIsTriedAgainUntilTheLeaseIsOver) {
  Leases leases(10s);
  leases.add(receipt(1), kStart);
  for (Timestamp time = kStart + 5s; time <= kStart + 10s; time += 1s) {
    EXPECT_EQ(leases.next_due(), time);
    ASSERT_THAT(leases.take_due(time), ElementsAre(receipt(1)));
    EXPECT_THAT(leases.take_due(time), IsEmpty());
    leases.try_again(receipt(1), time);
  }
  EXPECT_THAT(leases.take_due(kStart + 11s), ElementsAre(receipt(1)));
  EXPECT_EQ(leases.next_due(), kStart + 16s) << "that one did not fail";
}

TEST(LeasesTest, WhatWasSettledOrLostMeanwhileIsNotTriedAgain) {
  Leases leases(10s);
  leases.add(receipt(1), kStart);
  leases.add(receipt(2), kStart);
  leases.remove(receipt(1));
  leases.lose(receipt(2));
  for (const std::uint64_t seq : {1U, 2U}) leases.try_again(receipt(seq), kStart);
  EXPECT_EQ(leases.next_due(), Timestamp::max());
  EXPECT_TRUE(leases.is_lost(receipt(2), kStart));
}

TEST(LeasesTest, OneThatIsLostIsNotExtendedAgain) {
  Leases leases(10s);
  leases.add(receipt(1), kStart);
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart));
  leases.lose(receipt(1));
  EXPECT_TRUE(leases.is_lost(receipt(1), kStart));
  EXPECT_THAT(leases.take_due(kStart + 1h), IsEmpty());
  leases.remove(receipt(1));
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart));
  leases.lose(receipt(1));
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart)) << "it was settled meanwhile";
}

TEST(LeasesTest, OneThatMayBeOverIsLostUntilItIsRenewed) {
  Leases leases(10s);
  leases.add(receipt(1), kStart);
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart + 10s)) << "its extension is under way";
  leases.try_again(receipt(1), kStart + 5s);
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart + 10s - 1us));
  EXPECT_TRUE(leases.is_lost(receipt(1), kStart + 10s));
  leases.renewed(receipt(1), kStart + 6s);
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart + 10s));
  leases.try_again(receipt(1), kStart + 12s);
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart + 16s - 1us));
  EXPECT_TRUE(leases.is_lost(receipt(1), kStart + 16s));
  leases.remove(receipt(1));
  leases.renewed(receipt(1), kStart + 16s);
  EXPECT_FALSE(leases.is_lost(receipt(1), kStart + 1h));
  EXPECT_EQ(leases.next_due(), Timestamp::max());
}

}  // namespace
}  // namespace holdfast::worker
