// The server's configuration from the command line, the environment and a file: which one counts, how a
// mistake is named, and what a reload takes over.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "server/config/config_check.h"
#include "server/config/load.h"
#include "server/config/values.h"
#include "server/process/reloader.h"
#include "tests/server/server_fixture.h"
#include "tests/support/certificates.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using holdfast::testing::TestAuthority;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Parsed {
  std::variant<CommandLine, ExitStatus> result;
  std::string out;
  std::string err;
};

Parsed parse(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  auto result = parse_command_line(arguments, out, err);
  return {std::move(result), out.str(), err.str()};
}

Result<Loaded> load(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  const auto parsed = parse(arguments);
  return load_config(std::get<CommandLine>(parsed.result), environment);
}

class ConfigTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    const auto path = directory_ / "holdfastd.toml";
    std::ofstream(path) << text;
    return path.string();
  }
  std::string mistake(const std::string& text) {
    const auto path = file(text);
    const auto loaded = load({"--data", "d", "--config", path});
    return loaded ? "(none)" : loaded.error().message.substr(path.size());
  }
  TempDir directory_;
};

TEST_F(ConfigTest, HasDefaults) {
  const auto loaded = must(load({"--data", "d"}));
  EXPECT_EQ(loaded.config.data, "d");
  EXPECT_THAT(loaded.config.server.listen, ElementsAre("127.0.0.1:7700"));
  EXPECT_FALSE(loaded.config.server.allow_insecure);
  EXPECT_EQ(loaded.config.stop_timeout, 10s);
  EXPECT_EQ(loaded.config.log_level, spdlog::level::info);
}

TEST_F(ConfigTest, TheCommandLineIsRead) {
  const auto loaded = must(load({"--listen", "127.0.0.1:0", "--data=d", "--listen", "unix:/s", "--log-level",
                                 "debug", "--stop-timeout", "3", "--allow-insecure", "--max-connections", "7",
                                 "--max-calls", "9", "--free-space-reserve", "2MiB"}));
  EXPECT_THAT(loaded.config.server.listen, ElementsAre("127.0.0.1:0", "unix:/s"));
  EXPECT_TRUE(loaded.config.server.allow_insecure);
  EXPECT_EQ(loaded.config.server.limits.max_connections, 7U);
  EXPECT_EQ(loaded.config.server.limits.max_calls, 9U);
  EXPECT_EQ(loaded.config.stop_timeout, 3s);
  EXPECT_EQ(loaded.config.log_level, spdlog::level::debug);
  EXPECT_EQ(loaded.config.free_space_reserve, 2U << 20);
}

TEST_F(ConfigTest, TheFileIsRead) {
  const auto loaded = must(load({"--config", file("data = 'd'\n"
                                                  "listen = ['127.0.0.1:0', 'unix:/s']\n"
                                                  "allow-insecure = true\n"
                                                  "max-calls = 9\n"
                                                  "max-send-bytes = '1KiB'\n"
                                                  "max-unread-bytes = 77\n")}));
  EXPECT_EQ(loaded.config.data, "d");
  EXPECT_THAT(loaded.config.server.listen, ElementsAre("127.0.0.1:0", "unix:/s"));
  EXPECT_TRUE(loaded.config.server.allow_insecure);
  EXPECT_EQ(loaded.config.server.limits.max_calls, 9U);
  EXPECT_EQ(loaded.config.server.limits.max_send_bytes, 1024U);
  EXPECT_EQ(loaded.config.server.limits.max_unread_bytes, 77U);
}

TEST_F(ConfigTest, TheCommandLineGoesBeforeTheEnvironmentAndThatBeforeTheFile) {
  const auto path = file("max-calls = 1\nmax-connections = 1\nstop-timeout = 1\nlisten = 'unix:/f'\n");
  const Environment environment = {{"HOLDFAST_CONFIG", path},
                                   {"HOLDFAST_MAX_CALLS", "2"},
                                   {"HOLDFAST_MAX_CONNECTIONS", "2"},
                                   {"HOLDFAST_LISTEN", "unix:/a,unix:/b"},
                                   {"HOLDFAST_SERVER", "somewhere"}};
  const auto loaded = must(load({"--data", "d", "--max-calls", "3"}, environment));
  EXPECT_EQ(loaded.config.server.limits.max_calls, 3U);
  EXPECT_EQ(loaded.config.server.limits.max_connections, 2U);
  EXPECT_EQ(loaded.config.stop_timeout, 1s);
  EXPECT_THAT(loaded.config.server.listen, ElementsAre("unix:/a", "unix:/b"));
}

TEST_F(ConfigTest, AWebHookIsAUrl) {
  const auto loaded = must(load({"--data", "d", "--alert-webhook", "https://h/x", "--alert-webhook-deaths"}));
  EXPECT_EQ(loaded.config.webhook.url, "https://h/x");
  EXPECT_TRUE(loaded.config.webhook.deaths);
  EXPECT_THAT(mistake("alert-webhook = 'h:80'\n"), HasSubstr("begins with neither http:// nor https://"));
  EXPECT_EQ(must(load({"--data", "d", "--alert-webhook-shape", "slack"})).config.webhook.shape,
            WebhookShape::kSlack);
  EXPECT_THAT(mistake("alert-webhook-shape = 'teams'\n"), HasSubstr("alert-webhook-shape"));
}

TEST_F(ConfigTest, SaysWhatHoldsAndWhereItWasSaid) {
  const auto path = file("# first\nmax-calls = 5\nlisten = ['unix:/s']\n");
  const auto text = to_text(must(load({"--data", "d", "--config", path}, {{"HOLDFAST_STOP_TIMEOUT", "4"}})));
  EXPECT_THAT(text, HasSubstr("data = \"d\"  # --data\n"));
  EXPECT_THAT(text, HasSubstr("max-calls = 5  # " + path + ":2: max-calls\n"));
  EXPECT_THAT(text, HasSubstr("stop-timeout = 4  # HOLDFAST_STOP_TIMEOUT\n"));
  EXPECT_THAT(text, HasSubstr("log-level = \"info\"  # default\n"));
  EXPECT_THAT(text, HasSubstr("# backups is not set\n"));
}

TEST_F(ConfigTest, WhatItSaysIsAFileThatSaysTheSame) {
  const auto loaded = must(load({"--data", "d\"\\\n\x1b", "--listen", "unix:/a", "--allow-insecure"}));
  const auto again = must(load({"--config", file(to_text(loaded))}));
  EXPECT_THAT(changed_options(loaded.config, again.config), IsEmpty());
}

TEST_F(ConfigTest, EachOptionCanBeSaidInEachPlaceAndShownAgain) {
  for (const Option& option : option_table()) {
    SCOPED_TRACE(option.name);
    const Config defaults;
    const Values values = option.get(defaults);
    if (values.empty()) continue;
    Config config;
    must(option.set(config, values));
    EXPECT_EQ(option.get(config), values);
    const auto help = parse({"--help"});
    EXPECT_THAT(help.out, HasSubstr("--" + std::string(option.name)));
  }
}

TEST_F(ConfigTest, HelpAndVersionAreAnswered) {
  const auto help = parse({"--help"});
  EXPECT_EQ(std::get<ExitStatus>(help.result).value, 0);
  EXPECT_THAT(help.out, HasSubstr("--listen ADDR"));
  EXPECT_THAT(help.out, HasSubstr("[1024]"));
  EXPECT_THAT(help.out, HasSubstr("Examples:"));
  const auto version = parse({"--version"});
  EXPECT_EQ(std::get<ExitStatus>(version.result).value, 0);
  EXPECT_THAT(version.out, HasSubstr("holdfastd "));
}

TEST_F(ConfigTest, MistakesOnTheCommandLineAreNamed) {
  for (const std::string typo : {"--listne", "extra"}) {
    const auto parsed = parse({"--data", "d", typo});
    ASSERT_TRUE(std::holds_alternative<ExitStatus>(parsed.result)) << typo;
    EXPECT_EQ(std::get<ExitStatus>(parsed.result).value, 2);
    EXPECT_THAT(parsed.err, HasSubstr(typo));
  }
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{}, "data: no directory is set"},
      {{"--data", "d", "--log-level", "loud"}, "--log-level: 'loud' is not one of debug"},
      {{"--data", "d", "--stop-timeout", "-1"}, "--stop-timeout: '-1' is not a whole number of 0 or more"},
      {{"--data", "d", "--max-calls", "99999999999999999999"}, "' is not in 1..1000000000"},
      {{"--data", "d", "--max-calls", "0"}, "--max-calls: '0' is not in 1..1000000000"},
      {{"--data", "d", "--free-space-reserve", "much"}, "--free-space-reserve: 'much' is not a size"},
      {{"--data", "d", "--write-buffer", "1023KiB"}, "--write-buffer: '1023KiB' is"},
      {{"--data", "d", "--listen", "nowhere:port"}, "--listen: address 'nowhere:port'"},
      {{"--data", "d", "--config", ""}, "--config: '' is empty"},
      {{"--data", "d", "--tokens", ""}, "--tokens: '' is empty"},
  };
  for (const auto& [arguments, message] : mistakes) {
    const auto loaded = load(arguments);
    ASSERT_FALSE(loaded) << message;
    EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(loaded.error().message, HasSubstr(message));
  }
}

TEST_F(ConfigTest, MistakesInTheEnvironmentAreNamed) {
  EXPECT_THAT(load({"--data", "d"}, {{"HOLDFAST_MAX_CALLS", "many"}}),
              FailsNaming(ErrorCode::kInvalidArgument, "HOLDFAST_MAX_CALLS: 'many' is not a whole number"));
  EXPECT_THAT(load({"--data", "d"}, {{"HOLDFAST_CONFIG", ""}}),
              FailsNaming(ErrorCode::kInvalidArgument, "HOLDFAST_CONFIG: '' is empty"));
}

TEST_F(ConfigTest, MistakesInTheFileAreNamedWithTheirLine) {
  EXPECT_EQ(mistake("\nmax-cals = 3\n"), ":2: unknown key 'max-cals'");
  EXPECT_EQ(mistake("max-calls = '3'\n"), ":1: max-calls: the value must be an integer");
  EXPECT_EQ(mistake("\n\nmax-calls = 0\n"), ":3: max-calls: '0' is not in 1..1000000000");
  EXPECT_EQ(mistake("listen = [1]\n"), ":1: listen: the value must be an array of strings");
  EXPECT_EQ(mistake("listen = []\n"), ":1: listen: the list is empty");
  EXPECT_EQ(mistake("allow-insecure = 'yes'\n"), ":1: allow-insecure: the value must be true or false");
  EXPECT_EQ(mistake("log-level = 3\n"), ":1: log-level: the value must be a string");
  EXPECT_EQ(mistake("max-send-bytes = -1\n"),
            ":1: max-send-bytes: '-1' is not a size, such as 512KiB or 1GiB");
  EXPECT_THAT(mistake("data = 'd'\nmax-calls = = 3\n"), ::testing::StartsWith(":2: "));
  EXPECT_THAT(mistake("[section]\nmax-calls = 3\n"), HasSubstr(":1: unknown key 'section'"));
  EXPECT_THAT(load({"--data", "d", "--config", "/nowhere"}).error().message,
              ::testing::StartsWith("/nowhere: "));
  EXPECT_EQ(load({"--data", "d", "--config", "/"}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ConfigTest, WhatAStartWouldRefuseIsFoundBefore) {
  const TestAuthority authority(directory_ / "ca");
  const auto data = (directory_ / "data").string();
  const auto plain = file("");
  const auto ca = authority.file().string();
  const auto socket = "unix:" + (directory_ / "socket").string();
  const auto long_name = "/" + std::string(256, 'n');
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"--listen", "0.0.0.0:7700"}, "can be reached from other machines"},
      {{"--listen", "unix:" + plain}, "is not a socket"},
      {{"--listen", "unix:/nope/x"}, "listen: '/nope' cannot be used: No such file"},
      {{"--listen", "127.0.0.1:1", "--listen", "127.0.0.1:1"}, "listen: 127.0.0.1:1 is given twice"},
      {{"--listen", socket, "--listen", socket}, "listen: " + socket + " is given twice"},
      {{"--metrics-listen", "127.0.0.1:7700"}, "metrics-listen: 127.0.0.1:7700 is given twice"},
      {{"--metrics-listen", "0.0.0.0:0"}, "metrics-listen: 0.0.0.0:0 can be reached"},
      {{"--metrics-listen", "unix:/x"}, "'unix:/x' is not host:port"},
      {{"--metrics-listen", "tls://127.0.0.1:1"}, "is not host:port"},
      {{"--metrics-listen", "127.0.0.1"}, "is not host:port"},
      {{"--pid-file", "/nope/x/y"}, "pid-file: '/nope/x' cannot be used: No such file"},
      {{"--pid-file", directory_.path().string()}, "is not a file"},
      {{"--data", plain}, "data: '" + plain + "' is not a directory"},
      {{"--data", plain + "/d"}, "data: '" + plain + "' is not a directory"},
      {{"--data", data + long_name}, "data: '" + data + long_name + "' cannot be used: File name too long"},
      {{"--data", data + "/new" + long_name + "/d"}, "/d' cannot be used: File name too long"},
      {{"--pid-file", data + long_name}, "pid-file: '" + data + long_name + "' cannot be used: File name"},
      {{"--alert-webhook-deaths"}, "alert-webhook-deaths: alert-webhook is not set"},
      {{"--alert-webhook-shape", "slack"}, "alert-webhook-shape: alert-webhook is not set"},
      {{"--alert-webhook-key", ca}, "alert-webhook-key is only for alert-webhook-shape pagerduty"},
      {{"--alert-webhook", "http://h/", "--alert-webhook-shape", "pagerduty"},
       "alert-webhook-key is missing"},
      {{"--alert-webhook", "http://h/", "--alert-webhook-shape", "template", "--alert-webhook-template", ca},
       "alert-webhook-template: " + ca + ": is not JSON"},
      {{"--free-space-reserve", "255MiB"},
       "free-space-reserve: 255MiB is less than 4 times the write-buffer of 64MiB"},
      {{"--write-buffer", "65MiB"}, "free-space-reserve: 256MiB is less than 4 times"},
      {{"--tls-key", ca}, "tls-key: the server listens on no address that begins with tls://"},
      {{"--tls-client-ca", ca}, "tls-client-ca: the server listens on no address that begins with tls://"},
  };
  for (const auto& [arguments, message] : mistakes) {
    std::vector<std::string> all = arguments;
    if (arguments.front() != "--data") all.insert(all.end(), {"--data", data});
    const auto checked = check_config(must(load(all)).config);
    ASSERT_FALSE(checked) << message;
    EXPECT_THAT(checked.error().message, HasSubstr(message));
  }
  const auto good =
      check_config(must(load({"--data", data, "--pid-file", data + "/pid", "--listen", "127.0.0.1:0",
                              "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"}))
                       .config);
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_THAT(good->warnings, IsEmpty());
  EXPECT_TRUE(check_config(must(load({"--data", data + "/" + std::string(255, 'n')})).config));
  for (const std::vector<std::string>& space : {std::vector<std::string>{"--free-space-reserve", "256MiB"},
                                                {"--free-space-reserve", "0"},
                                                {"--free-space-reserve", "4MiB", "--write-buffer", "1MiB"}}) {
    std::vector<std::string> all{"--data", data};
    all.insert(all.end(), space.begin(), space.end());
    EXPECT_TRUE(check_config(must(load(all)).config)) << space[1];
  }
  EXPECT_FALSE(std::filesystem::exists(data));
}

TEST_F(ConfigTest, ACertificateThatIsOverIsWarnedOf) {
  TestAuthority authority(directory_ / "ca");
  const auto warnings = [&](long begin, long end) {
    const auto [certificate, key] = authority.issue("server", "IP:127.0.0.1", begin, end);
    return must(check_config(
                    must(load({"--data", (directory_ / "data").string(), "--listen", "tls://127.0.0.1:0",
                               "--tls-certificate", certificate.string(), "--tls-key", key.string()}))
                        .config))
        .warnings;
  };
  EXPECT_THAT(warnings(-1, 1), IsEmpty());
  EXPECT_THAT(warnings(-2, -1), ElementsAre(HasSubstr("server.pem' expired at 20")));
  EXPECT_THAT(warnings(1, 2), ElementsAre(HasSubstr("server.pem' is not valid before 20")));
}

TEST(ConfigValues, SizesHaveUnits) {
  for (const auto& [text, bytes] : std::map<std::string, std::uint64_t>{{"0", 0},
                                                                        {"7", 7},
                                                                        {"7B", 7},
                                                                        {"1k", 1024},
                                                                        {"2KB", 2048},
                                                                        {"3MiB", 3 << 20},
                                                                        {"4Mi", 4 << 20},
                                                                        {"1g", 1 << 30}}) {
    EXPECT_EQ(must(parse_size(text, 0)), bytes) << text;
    EXPECT_EQ(must(parse_size(size_text(bytes), 0)), bytes);
  }
  EXPECT_EQ(size_text(256 << 20), "256MiB");
  EXPECT_EQ(size_text(1000), "1000");
  for (const std::string wrong : {"", "x", "-1", "1 MiB", "1iB", "1Mx", "4194305T", "99999999999999999999"}) {
    EXPECT_FALSE(parse_size(wrong, 0)) << wrong;
  }
  EXPECT_FALSE(parse_size("1K", 1025));
}

using ReloaderTest = ServerFixture;

TEST_F(ReloaderTest, TakesOverWhatItCanAndSaysWhatMustWait) {
  const auto path = directory_ / "holdfastd.toml";
  std::ofstream(path) << "max-calls = 5\nlog-level = 'debug'\n";
  start();
  const auto parsed = parse({"--data", "d", "--config", path.string()});
  const auto& line = std::get<CommandLine>(parsed.result);
  const Environment none;
  const auto loaded = must(load_config(line, none));
  Reloader reloader(line, none, loaded.config, *server_, *log_);

  std::ofstream(path) << "max-calls = 1\nlisten = ['unix:/elsewhere']\nlog-level = 'debug'\n";
  reloader.reload();
  EXPECT_EQ(reloader.config().server.limits.max_calls, 1U);
  EXPECT_THAT(reloader.config().server.listen, ElementsAre("127.0.0.1:7700"));
  must(engine_->create_queue("orders"));
  auto client = connect();
  auto waiting = client->receive("orders", {.wait = 1h});
  EXPECT_EQ(client->receive("orders", {}).wait(scope_).error().code, ErrorCode::kOverloaded);

  std::ofstream(path) << "max-calls = 2\nlog-level = 'loud'\n";
  reloader.reload();
  EXPECT_EQ(reloader.config().server.limits.max_calls, 1U);
  client = nullptr;
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr("configuration: max-calls=1\n"));
  EXPECT_THAT(text, HasSubstr("configuration: listen=unix:/elsewhere takes effect at the next start\n"));
  EXPECT_THAT(text, HasSubstr("configuration not reloaded: " + path.string() + ":2: log-level: 'loud'"));
  EXPECT_THAT(text, Not(HasSubstr("max-calls=2")));
}

TEST_F(ReloaderTest, LogsOfAWebhookOnlyWhereItLeads) {
  const auto path = directory_ / "holdfastd.toml";
  const auto write = [&](const std::string& url) {
    std::ofstream(path) << "alert-webhook = '" << url << "'\n";
  };
  write("https://hooks.example/secret1");
  start();
  const auto parsed = parse({"--data", "d", "--config", path.string()});
  const auto& line = std::get<CommandLine>(parsed.result);
  const Environment none;
  const auto loaded = must(load_config(line, none));
  Reloader reloader(line, none, loaded.config, *server_, *log_);
  write("https://hooks.example:8443/secret2?key=secret3");
  reloader.reload();
  write("https://user:secret4@hooks.example/secret5");
  reloader.reload();
  const std::string text = log();
  EXPECT_THAT(text,
              HasSubstr("configuration: alert-webhook=hooks.example:8443 takes effect at the next start\n"));
  EXPECT_THAT(text, HasSubstr("configuration not reloaded: " + path.string() + ":1: alert-webhook: "));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace holdfast::server
