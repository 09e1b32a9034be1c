#include "command_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Usage, HelpHasExamplesForEveryVerb) {
  const std::vector<std::vector<std::string>> verbs{
      {},
      {"queue", "create"},
      {"queue", "list"},
      {"queue", "describe"},
      {"queue", "alter"},
      {"ack"},
      {"queue", "delete"},
      {"queue", "purge"},
      {"send"},
      {"receive"},
      {"extend"},
      {"release"},
      {"reject"},
      {"dlq", "list"},
      {"dlq", "redrive"},
      {"dlq", "park"},
      {"dlq", "tasks"},
      {"dlq", "cancel"},
      {"redrive"},
  };
  for (auto arguments : verbs) {
    arguments.emplace_back("--help");
    const Outcome outcome = run_command(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Examples:\n  holdfast ")) << ::testing::PrintToString(arguments);
    EXPECT_THAT(outcome.out, HasSubstr("--json")) << ::testing::PrintToString(arguments);
  }
}

// What works on directories that its arguments name has neither a server nor a directory of its own.
TEST(Usage, OptionsThatDoNotApplyAreNotOffered) {
  for (const char* verb : {"salvage", "restore", "backups"}) {
    const Outcome help = run_command({verb, "--help"});
    EXPECT_THAT(help.out, HasSubstr("--json")) << verb;
    EXPECT_THAT(help.out, ::testing::Not(HasSubstr("--server"))) << verb;
    EXPECT_THAT(help.out, ::testing::Not(HasSubstr("--data"))) << verb;
  }
}

TEST(Usage, VersionIsPrinted) { EXPECT_THAT(run_command({"--version"}).out, HasSubstr("holdfast 0.")); }

TEST(Usage, MistakesExitWithTwoAndSuggest) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"sned", "orders"}, "did you mean 'holdfast send'?"},
      {{"queue", "lst"}, "did you mean 'holdfast queue list'?"},
      {{"queue", "list", "--jsno"}, "did you mean 'holdfast queue list --json'?"},
      {{"queue"}, "a verb is needed"},
      {{}, "a verb is needed"},
      {{"send"}, "queue is required"},
      {{"send", "orders", "x", "--file", "y"}, "excludes"},
      {{"send", "orders", "x", "--attribute", "novalue"}, "'novalue' is not NAME=VALUE"},
      {{"receive", "orders", "--lease", "5 parsecs"}, "'5 parsecs' is not a duration"},
      {{"ack", "not-a-receipt"}, "receipt"},
      {{"queue", "list", "--data", "a", "--server", "b"}, "exclude each other"},
  };
  for (const auto& [arguments, part] : mistakes) {
    const Outcome outcome = run_command(arguments);
    EXPECT_EQ(outcome.status, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_THAT(outcome.err, ::testing::StartsWith("holdfast: usage: "));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST(Usage, MistakesAreJsonForPrograms) {
  const auto error = run_command({"sned", "--json"}).error();
  EXPECT_EQ(error.at("error"), "usage");
  EXPECT_EQ(error.at("exit_status"), 2);
  EXPECT_EQ(error.at("hint"), "did you mean 'holdfast send'?");
}

}  // namespace
}  // namespace holdfast::command
