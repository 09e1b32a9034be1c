#include "server/flags.h"

#include <gmock/gmock.h>

#include <sstream>

namespace holdfast::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  std::variant<Flags, ExitStatus> result;
  std::string out;
  std::string err;
};

Parsed parse(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  auto result = parse_flags(arguments, out, err);
  return {std::move(result), out.str(), err.str()};
}

TEST(Flags, HaveDefaults) {
  const auto parsed = parse({"--data", "d"});
  const auto& flags = std::get<Flags>(parsed.result);
  EXPECT_EQ(flags.data, "d");
  EXPECT_THAT(flags.server.listen, ElementsAre("127.0.0.1:7700"));
  EXPECT_FALSE(flags.server.allow_insecure);
  EXPECT_EQ(flags.stop_timeout, std::chrono::seconds(10));
  EXPECT_EQ(flags.log_level, spdlog::level::info);
}

TEST(Flags, AreRead) {
  const auto parsed =
      parse({"--listen", "127.0.0.1:0", "--data=d", "--listen", "unix:/s", "--log-level", "debug",
             "--stop-timeout", "3", "--allow-insecure", "--max-connections", "7", "--max-calls", "9"});
  const auto& flags = std::get<Flags>(parsed.result);
  EXPECT_THAT(flags.server.listen, ElementsAre("127.0.0.1:0", "unix:/s"));
  EXPECT_TRUE(flags.server.allow_insecure);
  EXPECT_EQ(flags.server.max_connections, 7U);
  EXPECT_EQ(flags.server.max_calls, 9U);
  EXPECT_EQ(flags.stop_timeout, std::chrono::seconds(3));
  EXPECT_EQ(flags.log_level, spdlog::level::debug);
}

TEST(Flags, HelpAndVersionAreAnswered) {
  const auto help = parse({"--help"});
  EXPECT_EQ(std::get<ExitStatus>(help.result).value, 0);
  EXPECT_THAT(help.out, HasSubstr("--listen ADDR"));
  EXPECT_THAT(help.out, HasSubstr("Examples:"));
  const auto version = parse({"--version"});
  EXPECT_EQ(std::get<ExitStatus>(version.result).value, 0);
  EXPECT_THAT(version.out, HasSubstr("holdfastd "));
}

TEST(Flags, MistakesAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{}, "--data"},
      {{"--data", "d", "--listne", "x"}, "--listne"},
      {{"--data", "d", "--log-level", "loud"}, "loud"},
      {{"--data", "d", "--stop-timeout", "-1"}, "--stop-timeout"},
      {{"--data", "d", "--max-calls", "0"}, "--max-calls"},
      {{"--data", "d", "--listen", "nowhere:port"}, "nowhere:port"},
      {{"--data", "d", "extra"}, "extra"},
  };
  for (const auto& [arguments, name] : mistakes) {
    const auto parsed = parse(arguments);
    ASSERT_TRUE(std::holds_alternative<ExitStatus>(parsed.result)) << name;
    EXPECT_EQ(std::get<ExitStatus>(parsed.result).value, 2);
    EXPECT_THAT(parsed.err, HasSubstr(name));
  }
}

}  // namespace
}  // namespace holdfast::server
