// The summary of a dead letter that people are told of is one line of limited length.
#include "client/worker/escalation.h"

#include <gmock/gmock.h>

namespace holdfast::worker {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Summary, IsALine) {
  DeadLetter letter;
  letter.record.source_queue = "orders";
  letter.record.cause = DeathCause::kMaxDeliveries;
  letter.record.reason = "delivered 3 times without an ack";
  letter.record.deliveries = 3;
  EXPECT_EQ(summary_of("dlq", letter),
            "dlq: max_deliveries: delivered 3 times without an ack; from orders, 3 deliveries");
  letter.record.category = "timeout";
  letter.record.reason = std::string(1000, 'x') + "\nmore";
  letter.record.replays = 1;
  const std::string cut = summary_of("dlq", letter);
  EXPECT_EQ(cut.size(), 256U);
  EXPECT_THAT(cut, EndsWith("...; from orders, 3 deliveries, 1 replay"));
  EXPECT_THAT(cut, Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace holdfast::worker
