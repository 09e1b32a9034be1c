// Receipts as text: each comes back from its text, and malformed ones are refused.
#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "holdfast/ids.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast {
namespace {

using testing::FailsWith;
using testing::Random;
using testing::Succeeds;

Receipt receipt(std::uint64_t queue, std::uint64_t seq, std::uint64_t lease) {
  return {.queue = QueueId{queue}, .seq = Seq{seq}, .lease = LeaseId{lease}};
}

TEST(ReceiptTest, PrintsAsThreeHexNumbers) {
  EXPECT_EQ(receipt(1, 42, 0x100000001).to_string(), "1.2a.100000001");
  EXPECT_EQ(receipt(0, 0, 0).to_string(), "0.0.0");
}

TEST(ReceiptTest, ParsesWhatItPrints) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const auto any = [&] { return random.one_in(10) ? kMax : random.below(kMax) >> random.below(64); };
    const Receipt original = receipt(any(), any(), any());
    const auto parsed = Receipt::parse(original.to_string());
    ASSERT_THAT(parsed, Succeeds()) << original.to_string();
    ASSERT_EQ(*parsed, original);
  }
}

class MalformedReceipt : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedReceipt, IsRefused) {
  EXPECT_THAT(Receipt::parse(GetParam()), FailsWith(ErrorCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(Each, MalformedReceipt,
                         ::testing::Values("", ".", "..", "1", "1.2", "1.2.", ".1.2", "1..2", "1.2.3.4",
                                           "1.2.3.", ".1.2.3", "g.1.1", "1.2.x", "-1.2.3", "+1.2.3",
                                           "0x1.2.3", " 1.2.3", "1.2.3 ", "1. 2.3", "1.2.3\n",
                                           "10000000000000000.1.1", "1.10000000000000000.1",
                                           "1.1.10000000000000000", "1,2,3", std::string("1.2.3\0", 6)));

}  // namespace
}  // namespace holdfast
