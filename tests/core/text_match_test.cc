// These tests are about the search for a part of a text, whatever its case. No normalised form is ruled out
// whose text has the part.
#include "engine/base/helpers/text_match.h"

#include <gtest/gtest.h>

#include "engine/base/helpers/fingerprint.h"
#include "tests/support/random.h"

namespace holdfast {
namespace {

using testing::Random;

TEST(TextMatch, LooksWhateverTheCase) {
  EXPECT_TRUE(contains("Connection REFUSED by 10.0.0.1", "refused BY 10"));
  EXPECT_FALSE(contains("Connection refused", "refuse to"));
  EXPECT_TRUE(contains("", ""));
  EXPECT_FALSE(contains("", "x"));
}

TEST(TextMatch, RulesOutFormsThatNoTextWithThePartHas) {
  const std::string form = normalised("order 4711 of 17 refused at 0x7ff");
  EXPECT_EQ(form, "order # of # refused at #");
  for (const char* part : {"order", "ER 12", "4711", "12 OF 5", "at 0xdead", "beef", "", "#"}) {
    EXPECT_TRUE(may_contain(form, part)) << part;
  }
  for (const char* part : {"order g", "order  12", "refused at 12 again", "17 refused by", "?"}) {
    EXPECT_FALSE(may_contain(form, part)) << part;
  }
  EXPECT_TRUE(may_contain(normalised("field 'a' is odd"), "whatever was in quotes"));
  EXPECT_TRUE(may_contain(normalised("a.rb:9:in 'check': bad"), "in 'check': b"));
  EXPECT_TRUE(may_contain(normalised("a.rb:9:in `check': bad"), "`check"));
  const std::string plain = normalised("connection refused");
  for (const char* part : {"refusal", "connection  refused", "refused.", "1"}) {
    EXPECT_FALSE(may_contain(plain, part)) << part;
  }
}

// Returns a text of pieces that normalised() treats differently.
std::string text_of_random_pieces(Random& random) {
  const std::vector<std::string> pieces = {"order",
                                           " ",
                                           "it's",
                                           "'a b'",
                                           "\"",
                                           "`x`",
                                           "12",
                                           "0x7F",
                                           "dead",
                                           "5f3a9c",
                                           "v2.1",
                                           "#",
                                           "?",
                                           "utf8",
                                           ":in 'check'",
                                           ":in `check'",
                                           "-",
                                           "_",
                                           "550e8400-e29b-41d4-a716-446655440000"};
  std::string text;
  for (std::uint64_t i = random.below(12); i > 0; --i) text += random.pick(pieces);
  return text;
}

TEST(TextMatch, NeverRulesOutATextThatHasThePart) {
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    Random random(seed);
    const std::string text = text_of_random_pieces(random);
    const std::size_t from = random.below(text.size() + 1);
    std::string part = text.substr(from, random.below(text.size() - from + 1));
    if (random.one_in(2)) {
      for (char& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    ASSERT_TRUE(contains(text, part)) << "seed " << seed;
    ASSERT_TRUE(may_contain(normalised(text), part)) << "seed " << seed << ": " << part << " in " << text;
  }
}

}  // namespace
}  // namespace holdfast
