// The filter of request ids never takes an id for new that was used lately.
#include "engine/services/request_filter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace holdfast {
namespace {

TEST(RequestFilterTest, KnowsWhatWasUsedInThisBucketAndTheOneBefore) {
  RequestFilter filter;
  EXPECT_FALSE(filter.use("a", 10));
  EXPECT_TRUE(filter.use("a", 10));
  EXPECT_TRUE(filter.may_know("a", 11));
  EXPECT_FALSE(filter.may_know("a", 12));
  EXPECT_FALSE(filter.use("b", 11));
  EXPECT_TRUE(filter.may_know("a", 11));
  EXPECT_FALSE(filter.use("c", 12));
  EXPECT_FALSE(filter.may_know("a", 12));
  EXPECT_TRUE(filter.may_know("b", 12));
  EXPECT_FALSE(filter.may_know("d", 12));
}

TEST(RequestFilterTest, DoesNotKnowWhatIsBeforeItsTime) {
  RequestFilter filter;
  filter.know_from(11);
  EXPECT_TRUE(filter.may_know("a", 10));
  EXPECT_TRUE(filter.may_know("a", 11)) << "it may have been used in bucket 10";
  EXPECT_FALSE(filter.may_know("a", 12));
  EXPECT_FALSE(filter.use("b", 20));
  EXPECT_TRUE(filter.may_know("c", 19)) << "time went backwards";
}

// Compares the filter with a map. No id that was used, and that would be looked for, may be taken for new.
TEST(RequestFilterTest, NeverForgetsTooEarly) {
  constexpr std::uint64_t kSeed = 20;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  RequestFilter filter;
  std::map<std::string, std::uint64_t> used;  // each id's newest bucket
  std::uint64_t bucket = 100;
  int taken_for_known = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 500 == 0) bucket += random() % 4;
    if (random() % 900 == 0) bucket -= random() % 3;
    const std::string id = std::to_string(random() % 3000);
    const auto found = used.find(id);
    const bool is_there = found != used.end() && (found->second == bucket || found->second + 1 == bucket);
    const bool known = filter.use(id, bucket);
    if (is_there) {
      EXPECT_TRUE(known) << id << " in bucket " << bucket;
    } else {
      taken_for_known += known ? 1 : 0;
    }
    used[id] = bucket;
  }
  EXPECT_LT(taken_for_known, 10'000);
}

}  // namespace
}  // namespace holdfast
