// Tests that the limits agree with each other: defaults lie within them, and the largest message fits into a
// batch.
#include "holdfast/limits.h"

#include <gtest/gtest.h>

#include "holdfast/broker.h"

namespace holdfast {
namespace {

TEST(Limits, HoldTheDefaults) {
  const QueueOptions queue;
  EXPECT_GE(queue.retry.max_deliveries, limits::kMaxDeliveriesMin);
  EXPECT_LE(queue.retry.max_deliveries, limits::kMaxDeliveriesMax);
  EXPECT_GE(queue.lease, limits::kLeaseMin);
  EXPECT_LE(queue.lease, limits::kLeaseMax);
  EXPECT_LE(ReceiveOptions{}.max, limits::kReceiveMax);
  EXPECT_LE(ListDeadLettersOptions{}.max, limits::kListPage);
}

TEST(Limits, LetTheLargestMessageIntoABatch) {
  EXPECT_LE(limits::kBodyBytes + limits::kAttributesTotalBytes, limits::kBatchBytes);
  EXPECT_LE(limits::kAttributeNameBytes + limits::kAttributeValueBytes, limits::kAttributesTotalBytes);
}

}  // namespace
}  // namespace holdfast
