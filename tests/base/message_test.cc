// These tests check how an attribute of a message is found by its name, the names of causes of death, and the
// system's clock.
#include "holdfast/message.h"

#include <gmock/gmock.h>

#include "holdfast/dead_letter.h"
#include "holdfast/time.h"

namespace holdfast {
namespace {

TEST(FindAttribute, GivesTheFirstOfThatName) {
  const Attributes attributes{{"color", "red"}, {"size", "9"}, {"color", "blue"}, {"empty", ""}};
  EXPECT_EQ(find_attribute(attributes, "color"), "red");
  EXPECT_EQ(find_attribute(attributes, "size"), "9");
  EXPECT_EQ(find_attribute(attributes, "empty"), "");
  EXPECT_EQ(find_attribute(attributes, "Color"), "");
  EXPECT_EQ(find_attribute({}, "color"), "");
}

TEST(DeathCauseTest, HasStableNames) {
  EXPECT_EQ(to_string(DeathCause::kMaxDeliveries), "max_deliveries");
  EXPECT_EQ(to_string(DeathCause::kRejected), "rejected");
  EXPECT_EQ(to_string(DeathCause::kExpired), "expired");
  EXPECT_EQ(to_string(DeathCause::kRetryBudget), "retry_budget");
  EXPECT_EQ(to_string(DeathCause::kOverflow), "overflow");
  EXPECT_EQ(to_string(DeathCause::kSent), "sent");
}

TEST(SystemClock, IsPastThisCodesWriting) {
  EXPECT_GT(system_clock().now(), Timestamp(std::chrono::seconds(1'750'000'000)));
}

}  // namespace
}  // namespace holdfast
