// When a connection is ended because its client is silent, stuck or idle, and when it is left alone.
#include "server/bounds/connection_timeouts.h"

#include <gmock/gmock.h>

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConnectionTimeoutsTest : public ::testing::Test {
 protected:
  std::string_view judge(ConnectionTimeouts::Seen seen, std::chrono::milliseconds later) {
    now_ += later;
    return timeouts_.judge(seen, limits_, now_);
  }

  ServerLimits limits_{.greeting_timeout = 10s, .stall_timeout = 60s, .idle_timeout = 300s};
  ConnectionTimeouts::Time now_{1000h};
  ConnectionTimeouts timeouts_{now_};
};

TEST_F(ConnectionTimeoutsTest, AGreetingComesInTime) {
  EXPECT_THAT(judge({}, 9'999ms), IsEmpty());
  EXPECT_THAT(judge({.messages = 1}, 1h), IsEmpty());
}

TEST_F(ConnectionTimeoutsTest, WithoutAGreetingItEnds) {
  EXPECT_THAT(judge({}, 9'999ms), IsEmpty());
  EXPECT_THAT(judge({}, 1ms), HasSubstr("sent no message"));
}

TEST_F(ConnectionTimeoutsTest, WhoTakesALittleNowAndThenIsNotStuck) {
  std::uint64_t taken = 0;
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(judge({.messages = 1, .taken = ++taken, .behind = true, .busy = true}, 59s), IsEmpty());
  }
  EXPECT_THAT(judge({.messages = 1, .taken = taken, .behind = true, .busy = true}, 59'999ms), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .taken = taken, .behind = true, .busy = true}, 1ms),
              HasSubstr("not read"));
}

TEST_F(ConnectionTimeoutsTest, WhoHasEverythingIsNotStuck) {
  EXPECT_THAT(judge({.messages = 1, .busy = true}, 1h), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .behind = true, .busy = true}, 59s), IsEmpty());
}

TEST_F(ConnectionTimeoutsTest, WhoStopsInsideAMessageIsStuck) {
  EXPECT_THAT(judge({.messages = 1}, 1h), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .unfinished = 100, .busy = true}, 1h), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .unfinished = 100, .busy = true}, 59'999ms), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .unfinished = 100, .busy = true}, 1ms), HasSubstr("inside a message"));
}

TEST_F(ConnectionTimeoutsTest, WhoGoesOnWithAMessageIsNotStuck) {
  for (std::size_t steps = 1; steps <= 10; ++steps) {
    EXPECT_THAT(
        judge({.messages = 1, .unfinished = steps * ConnectionTimeouts::kStepBytes, .busy = true}, 59'999ms),
        IsEmpty());
  }
}

TEST_F(ConnectionTimeoutsTest, WhoGoesOnByALittleOnlyIsStuck) {
  EXPECT_THAT(judge({.messages = 1, .unfinished = 1, .busy = true}, 59'999ms), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .unfinished = ConnectionTimeouts::kStepBytes, .busy = true}, 59'999ms),
              IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .unfinished = ConnectionTimeouts::kStepBytes, .busy = true}, 1ms),
              HasSubstr("inside a message"));
}

TEST_F(ConnectionTimeoutsTest, WhoHasNotSaidWhoTheyAreSendsLittle) {
  const std::size_t most = ConnectionTimeouts::kUnauthenticatedBytes;
  EXPECT_THAT(judge({.messages = 1, .unfinished = most, .authenticated = false}, 1ms), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .unfinished = most + 1}, 1ms), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .unfinished = most + 1, .authenticated = false}, 1ms),
              HasSubstr("before it has shown a token"));
}

TEST_F(ConnectionTimeoutsTest, WhoEndsAMessageAndBeginsAnotherIsNotStuck) {
  for (std::uint64_t messages = 1; messages <= 10; ++messages) {
    EXPECT_THAT(judge({.messages = messages, .unfinished = 100, .busy = true}, 59'999ms), IsEmpty());
  }
  EXPECT_THAT(judge({.messages = 10, .busy = true}, 59'999ms), IsEmpty());
  EXPECT_THAT(judge({.messages = 10, .unfinished = 100, .busy = true}, 59'999ms), IsEmpty());
}

TEST_F(ConnectionTimeoutsTest, IdleIsWithoutCalls) {
  EXPECT_THAT(judge({.messages = 1}, 1s), IsEmpty());
  EXPECT_THAT(judge({.messages = 1, .busy = true}, 1h), IsEmpty());
  EXPECT_THAT(judge({.messages = 1}, 299s), IsEmpty());
  EXPECT_THAT(judge({.messages = 2}, 299s), IsEmpty());
  EXPECT_THAT(judge({.messages = 2}, 300s), HasSubstr("idle"));
}

TEST_F(ConnectionTimeoutsTest, IdlingCanBeAllowed) {
  limits_.idle_timeout = 0ms;
  EXPECT_THAT(judge({.messages = 1}, 1h), IsEmpty());
  EXPECT_THAT(judge({.messages = 1}, 100h), IsEmpty());
}

}  // namespace
}  // namespace holdfast::server
