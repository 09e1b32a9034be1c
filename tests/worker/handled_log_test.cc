// The log of what was handled lately forgets the oldest first.
#include "holdfast/handled_log.h"

#include <gtest/gtest.h>

#include "tests/support/result_matchers.h"

namespace holdfast {
namespace {

using testing::must;

TEST(RecentlyHandledTest, ForgetsTheOldestFirst) {
  RecentlyHandled handled(2);
  EXPECT_FALSE(must(handled.was_handled("a")));
  for (const char* key : {"a", "b", "a"}) must(handled.note_handled(key));
  EXPECT_TRUE(must(handled.was_handled("a")));
  EXPECT_TRUE(must(handled.was_handled("b")));
  must(handled.note_handled("c"));
  EXPECT_FALSE(must(handled.was_handled("a")));
  EXPECT_TRUE(must(handled.was_handled("b")));
  EXPECT_TRUE(must(handled.was_handled("c")));
}

}  // namespace
}  // namespace holdfast
