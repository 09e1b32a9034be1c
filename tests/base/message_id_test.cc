// Message ids as text: each comes back from its text, they sort as their texts do, and malformed ones are
// refused.
#include <gmock/gmock.h>

#include <string>
#include <unordered_set>

#include "holdfast/ids.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast {
namespace {

using testing::FailsWith;
using testing::Random;
using testing::Succeeds;

constexpr std::string_view kText = "01890a5d-ac96-774b-bcce-b302099a8057";

TEST(MessageIdTest, PrintsAsAUuid) {
  MessageId id;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<std::uint8_t>(i * 17);
  EXPECT_EQ(id.to_string(), "00112233-4455-6677-8899-aabbccddeeff");
}

TEST(MessageIdTest, ParsesWhatItPrints) {
  const auto id = MessageId::parse(kText);
  ASSERT_THAT(id, Succeeds());
  EXPECT_EQ(id->to_string(), kText);

  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    MessageId any;
    for (auto& byte : any.bytes) byte = static_cast<std::uint8_t>(random.below(256));
    const auto parsed = MessageId::parse(any.to_string());
    ASSERT_THAT(parsed, Succeeds());
    ASSERT_EQ(*parsed, any);
  }
}

TEST(MessageIdTest, SortsAsItsTextDoes) {
  const auto earlier = MessageId::parse("01890a5d-ac96-774b-bcce-b302099a8057");
  const auto later = MessageId::parse("01890a5d-ac97-7000-8000-000000000000");
  ASSERT_THAT(earlier, Succeeds());
  ASSERT_THAT(later, Succeeds());
  EXPECT_LT(*earlier, *later);
}

TEST(MessageIdTest, HashesByValue) {
  std::unordered_set<MessageId> ids;
  EXPECT_TRUE(ids.insert(*MessageId::parse(kText)).second);
  EXPECT_FALSE(ids.insert(*MessageId::parse(kText)).second);
}

class MalformedMessageId : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedMessageId, IsRefused) {
  EXPECT_THAT(MessageId::parse(GetParam()), FailsWith(ErrorCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(
    Each, MalformedMessageId,
    ::testing::Values("", "-", "01890a5d", "01890a5d-ac96-774b-bcce-b302099a805",
                      "01890a5d-ac96-774b-bcce-b302099a80577", "01890a5dac96774bbcceb302099a8057",
                      "01890a5d-ac96-774b-bcceb-302099a8057", "01890a5d_ac96_774b_bcce_b302099a8057",
                      "01890a5g-ac96-774b-bcce-b302099a8057", " 1890a5d-ac96-774b-bcce-b302099a8057",
                      "+1890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a805 ",
                      "{01890a5d-ac96-774b-bcce-b302099a8057}",
                      std::string("01890a5d-ac96-774b-bcce-b302099a805\0", 36),
                      "0189-0a5dac96-774b-bcce-b302099a8057"));

}  // namespace
}  // namespace holdfast
