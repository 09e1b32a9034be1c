// The lines of the log, as text and as JSON, and what calls leave in the log.
#include "server/logging/log_line.h"

#include <spdlog/details/log_msg.h>

#include "server/logging/json_log.h"
#include "server/logging/line_limit.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"
#include "tests/support/random.h"

namespace holdfast::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LogLine, QuotesWhatWouldBeMisread) {
  const auto text = LogLine("call refused")
                        .add("connection", 7)
                        .add("peer", "[::1]:40000")
                        .add("nothing", "")
                        .add("message", "a \"b\"=c\n")
                        .text();
  EXPECT_EQ(text, R"(call refused connection=7 peer=[::1]:40000 message="a \"b\"=c\n")");
}

TEST(LogLine, IsReadAsItWasWritten) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    LogLine line("some event: of words");
    std::vector<std::pair<std::string_view, std::string>> fields;
    for (const std::string_view name : {"connection", "message", "error_code"}) {
      std::string value(1 + random.below(20), ' ');
      for (char& c : value) c = static_cast<char>(1 + random.below(127));
      line.add(name, value);
      fields.emplace_back(name, value);
    }
    const auto parsed = parse_log_line(line.text());
    EXPECT_EQ(parsed.event, "some event: of words");
    EXPECT_EQ(parsed.fields, fields);
  }
}

TEST(LogLine, OtherLinesAreAllEvent) {
  for (const char* text :
       {"", "listening on 127.0.0.1:7700", "a=b", "x a=b c", "x a=", "x =b", "x a=\"b", "x a=b  c=d"}) {
    const auto parsed = parse_log_line(text);
    EXPECT_EQ(parsed.event, text);
    EXPECT_TRUE(parsed.fields.empty()) << text;
  }
}

TEST(JsonLog, WritesAnObjectALine) {
  const std::string text =
      LogLine("slow call").add("connection", 7).add("request", "7-42").add("peer", "a b\xff").text();
  spdlog::details::log_msg line("test", spdlog::level::warn, text);
  line.time = spdlog::log_clock::time_point(std::chrono::milliseconds(1'772'357'400'012));
  spdlog::memory_buf_t out;
  JsonLog().format(line, out);
  EXPECT_EQ(
      std::string(out.data(), out.size()),
      "{\"time\":\"2026-03-01T09:30:00.012Z\",\"level\":\"warning\",\"event\":\"slow call\",\"connection\":7,"
      "\"request\":\"7-42\",\"peer\":\"a b\xEF\xBF\xBD\"}\n");
}

TEST(LineLimit, HoldsBackWhatIsTooMuchForASecond) {
  LineLimit limit;
  const LineLimit::Time now{std::chrono::hours(1)};
  for (std::uint64_t i = 0; i < LineLimit::kLines; ++i) EXPECT_TRUE(limit.admit(now));
  EXPECT_FALSE(limit.admit(now));
  EXPECT_FALSE(limit.admit(now + 999ms));
  EXPECT_TRUE(limit.admit(now + 1s));
  EXPECT_EQ(limit.held_back(), 2U);
  EXPECT_EQ(limit.held_back(), 0U);
}

class CallLogTest : public ServerFixture {
 protected:
  CallLogTest() { must(engine_->create_queue("orders")); }
};

TEST_F(CallLogTest, RefusedCallsAreNamedWithTheirClientAndRequest) {
  start({.limits = {.max_send_bytes = 10}});
  auto client = connect();
  must(client->send("orders", {{.body = "x"}}).wait(scope_));
  EXPECT_THAT(client->send("orders", {{.body = "secret body"}}).wait(scope_),
              FailsWith(ErrorCode::kOverloaded));
  client = nullptr;
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr("call refused connection=1 peer=127.0.0.1:"));
  EXPECT_THAT(text,
              HasSubstr(" request=1-2 method=sendBatch error=overloaded message=\"the bytes being sent"));
  EXPECT_THAT(text, Not(HasSubstr("secret body")));
}

TEST_F(CallLogTest, SlowCallsAreNamedUnlessTheyWait) {
  start({.slow_call = 1us});
  auto client = connect();
  must(client->send("orders", {{.body = "x"}}).wait(scope_));
  must(client->receive("orders", {}).wait(scope_));
  server_->set_slow_call(0s);
  must(client->send("orders", {{.body = "x"}}).wait(scope_));
  client = nullptr;
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr("slow call connection=1 peer=127.0.0.1:"));
  EXPECT_THAT(text, HasSubstr(" request=1-1 method=sendBatch ms="));
  EXPECT_THAT(text, Not(HasSubstr("method=receive")));
  EXPECT_THAT(text, Not(HasSubstr("request=1-3")));
}

TEST_F(CallLogTest, TokensAreNeverThere) {
  start({.tokens = tokens_of({token_with("good-secret", "app", "all:*")})});
  auto client = connect();
  for (const char* token : {"good-secret", "bad-secret"}) {
    auto request = client->broker().authenticateRequest();
    request.setToken(token);
    request.send().wait(scope_);
  }
  client = nullptr;
  const std::string text = log();
  EXPECT_THAT(text, AllOf(HasSubstr("authenticated connection=1"), HasSubstr(" principal=app")));
  EXPECT_THAT(text, HasSubstr("method=authenticate error=permission_denied"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace holdfast::server
