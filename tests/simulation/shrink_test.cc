// Shrinking a run keeps just the steps without which it does not fail.
#include "tests/simulation/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/random.h"

namespace holdfast::simulation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool has(const Steps& steps, std::uint64_t step) { return std::ranges::binary_search(steps, step); }

TEST(Shrink, KeepsJustWhatIsNeeded) {
  testing::Random random(1);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t count = random.between(1, 300);
    std::set<std::uint64_t> needed;
    for (std::uint64_t n = random.below(6); n > 0; --n) needed.insert(random.between(1, count));
    const Steps fewest =
        shrink(all_steps(count), [&](const Steps& steps) { return std::ranges::includes(steps, needed); });
    EXPECT_EQ(fewest, Steps(needed.begin(), needed.end()));
  }
}

// Step 20 undoes what step 10 does, unless step 30 comes after it.
TEST(Shrink, LeavesOutWhatOnlyHides) {
  const auto fails = [](const Steps& steps) {
    return has(steps, 10) && (!has(steps, 20) || has(steps, 30)) && has(steps, 40);
  };
  EXPECT_THAT(shrink(all_steps(50), fails), ElementsAre(10, 40));
}

TEST(Shrink, OneStepAndNoneAreNotTooFew) {
  EXPECT_THAT(shrink({7}, [](const Steps& steps) { return has(steps, 7); }), ElementsAre(7));
  EXPECT_THAT(shrink({7}, [](const Steps&) { return true; }), IsEmpty());
}

}  // namespace
}  // namespace holdfast::simulation
