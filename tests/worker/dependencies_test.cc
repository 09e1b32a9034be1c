// Each dependency of a handler has a breaker of its own, up to a number of names, and an outage is known from
// its beginning.
#include "client/worker/dependencies.h"

#include <gmock/gmock.h>

namespace holdfast::worker {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DependenciesTest : public ::testing::Test {
 protected:
  // Settles a message that asks for the dependency first, which is there or not. Returns whether the message
  // might use it.
  bool use(const std::string& name, bool there) {
    Uses uses;
    if (!dependencies_.may_use(name, time_, uses)) {
      dependencies_.settled(uses, name, false, time_);
      return false;
    }
    dependencies_.settled(uses, there ? "" : name, there, time_);
    return true;
  }

  Dependencies dependencies_{2, 1s, 4s};
  Timestamp time_{100s};
};

TEST_F(DependenciesTest, EachHasABreakerOfItsOwn) {
  EXPECT_TRUE(use("a", false));
  EXPECT_TRUE(use("b", true));
  EXPECT_TRUE(use("a", false));
  EXPECT_THAT(dependencies_.open(time_), ElementsAre("a"));
  EXPECT_FALSE(use("a", true));
  EXPECT_TRUE(use("b", true));
  EXPECT_EQ(dependencies_.pause("a"), 1s);
}

TEST_F(DependenciesTest, OneAtATimeTriesWhetherItIsThereAgain) {
  use("a", false);
  use("a", false);
  time_ += 1s;
  Uses first;
  Uses second;
  EXPECT_TRUE(dependencies_.may_use("a", time_, first));
  EXPECT_TRUE(dependencies_.may_use("a", time_, first)) << "the same answer";
  EXPECT_FALSE(dependencies_.may_use("a", time_, second));
  EXPECT_FALSE(dependencies_.settled(second, "a", false, time_)) << "it was not asked";
  EXPECT_TRUE(dependencies_.settled(first, "a", false, time_));
  EXPECT_EQ(dependencies_.pause("a"), 2s);
  time_ += 2s;
  EXPECT_TRUE(use("a", true));
  EXPECT_TRUE(use("a", true));
  EXPECT_THAT(dependencies_.open(time_), IsEmpty());
}

TEST_F(DependenciesTest, OneThatIsNotAskedForCountsToo) {
  const Uses none;
  EXPECT_FALSE(dependencies_.settled(none, "a", false, time_));
  EXPECT_TRUE(dependencies_.settled(none, "a", false, time_));
  EXPECT_FALSE(use("a", true));
}

TEST_F(DependenciesTest, SoManyAreToldApart) {
  for (std::size_t i = 0; i < Dependencies::kNames; ++i) {
    use("d" + std::to_string(i), false);
    use("d" + std::to_string(i), false);
  }
  EXPECT_EQ(dependencies_.open(time_).size(), Dependencies::kNames);
  EXPECT_TRUE(use("one more", false));
  EXPECT_TRUE(use("one more", false));
  EXPECT_TRUE(use("one more", false)) << "it has no breaker";
  time_ += 1s;
  EXPECT_TRUE(use("d0", true));  // so the breaker of d0 closes
  use("another", false);
  use("another", false);
  EXPECT_FALSE(use("another", false));
}

TEST(OutagesTest, AreRememberedFromTheirBeginning) {
  Outages outages;
  const MessageId message{};
  EXPECT_EQ(outages.note(message, 0, Timestamp(5s)), Timestamp(5s));
  EXPECT_EQ(outages.note(message, 0, Timestamp(9s)), Timestamp(5s));
  EXPECT_EQ(outages.note(message, 1, Timestamp(9s)), Timestamp(9s)) << "it was redriven";
  outages.forget(message);
  EXPECT_EQ(outages.note(message, 0, Timestamp(10s)), Timestamp(10s));
  for (std::size_t i = 0; i < Outages::kRemembered; ++i) {
    MessageId other{};
    other.bytes[0] = 1;
    other.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    other.bytes[2] = static_cast<std::uint8_t>(i);
    outages.note(other, 0, Timestamp(11s));
  }
  EXPECT_EQ(outages.note(message, 0, Timestamp(12s)), Timestamp(12s)) << "the oldest is forgotten";
}

}  // namespace
}  // namespace holdfast::worker
