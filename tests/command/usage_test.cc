// Help, version and usage errors of the command: every verb has examples, and a mistake exits with 2 and a
// text that names the mistake.
#include "tests/command/command_fixture.h"
#include "tools/cli/texts/natural_words.h"

namespace holdfast::command {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the verbs and groups of verbs that stand below these words.
std::vector<std::string> verbs_below(std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  words.emplace_back();
  std::vector<std::string> all;
  std::istringstream lines(run_command(words).out);
  for (std::string line; std::getline(lines, line);) all.push_back(line.substr(0, line.find('\t')));
  return all;
}

void expect_examples(const std::vector<std::string>& verb) {
  std::vector<std::string> arguments = verb;
  arguments.emplace_back("--help");
  const Outcome outcome = run_command(arguments);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ContainsRegex("Examples:\n  [^\n]*holdfast "))
      << ::testing::PrintToString(arguments);
  EXPECT_THAT(outcome.out, HasSubstr("--json")) << ::testing::PrintToString(arguments);
}

TEST(Usage, HelpHasExamplesForEveryVerb) {
  expect_examples({});
  for (const std::string& verb : verbs_below({})) {
    expect_examples({verb});
    // After `help`, completion offers verbs alone, and no values of arguments.
    for (const std::string& below : verbs_below({"help", verb})) expect_examples({verb, below});
  }
}

TEST(Usage, HelpOfAGroupHasItsOwnExamplesAndSaysOnceHowToReachAServer) {
  for (const std::string group : {"dlq", "queue"}) {
    const std::string help = run_command({group, "--help"}).out;
    const auto advice = help.find("'holdfast help connection'");
    EXPECT_THAT(help, HasSubstr("Examples:\n  holdfast " + group + ' '));
    EXPECT_NE(advice, std::string::npos) << group;
    EXPECT_EQ(advice, help.rfind("'holdfast help connection'")) << group;
  }
}

// Verbs that work on directories named by their arguments use neither a server nor a directory given by an
// option.
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
      {{"nack", "1.2a.3"}, "did you mean 'holdfast release' (to have it tried again) or 'holdfast reject'"},
      {{"dlq", "search", "orders-dlq"}, "did you mean 'holdfast dlq find' or 'holdfast dlq list'?"},
      {{"help", "qeue"}, "did you mean 'holdfast help queue'?"},
      {{"help", "queue", "ls"}, "did you mean 'holdfast queue list'?"},
      {{"replay", "dlq"}, "no verb 'replay'"},  // even if its queue is called 'dlq'
      {{"replay", "dlq"}, "did you mean 'holdfast redrive'?"},
      {{"send"}, "queue is required"},
      {{"send", "orders", "x", "--file", "y"}, "excludes"},
      {{"send", "orders", "x", "--attribute", "novalue"}, "'novalue' is not NAME=VALUE"},
      {{"queue", "create", "q", "--tag", "a=1", "--tag", "a=2"}, "--tag: 'a' is given twice"},
      {{"queue", "alter", "q", "--tag", "a=1", "--no-tags"}, "excludes"},
      {{"queue", "alter", "q", "--dead-letter-route", "a=b", "--no-dead-letter-routes"}, "excludes"},
      {{"queue", "alter", "q", "--keep-rejected", "--discard-rejected"}, "excludes"},
      {{"receive", "orders", "--lease", "5 parsecs"}, "'5 parsecs' is not a duration"},
      {{"status", "--watch", "--every", "0s"}, "--every: must be at least 10ms"},
      {{"dlq", "watch", "orders-dlq", "--every", "9ms"}, "--every: must be at least 10ms"},
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

// A number that is read as another one would do something else than what was typed.
TEST(Usage, NumbersAreWholeAndDecimal) {
  const std::vector<std::vector<std::string>> options{
      {"queue", "create", "q", "--max-length"},
      {"queue", "alter", "q", "--max-leased"},
      {"queue", "create", "q", "--max-deliveries"},
      {"queue", "create", "q", "--max-bytes"},
      {"queue", "alter", "q", "--max-body-bytes"},
      {"receive", "q", "--max"},
      {"peek", "q", "--max"},
      {"send", "q", "x", "--priority"},
      {"restore", "a", "b", "--number"},
      {"backup", "a", "--keep"},
      {"status", "--max"},
      {"dlq", "list", "q", "--max"},
      {"dlq", "list", "q", "--min-replays"},
      {"dlq", "find", "--max"},
      {"dlq", "group", "q", "--max"},
      {"dlq", "stats", "q", "--hours"},
      {"dlq", "stats", "q", "--days"},
      {"dlq", "tasks", "--after"},
      {"redrive", "q", "--rate"},
      {"redrive", "q", "--max-replays"},
      {"redrive", "q", "--canary", "5", "--canary-percent"},
      {"simulate", "--seed"},
      {"simulate", "--consumers"},
      {"simulate", "--max-deliveries"},
  };
  for (const auto& option : options) {
    for (const char* number : {"-1", "010", "0x10", "1.5", "", "99999999999999999999"}) {
      std::vector<std::string> arguments = option;
      arguments.emplace_back(number);
      const Outcome outcome = run_command(arguments);
      EXPECT_EQ(outcome.status, 2) << ::testing::PrintToString(arguments);
      EXPECT_THAT(outcome.err, HasSubstr("usage: ")) << ::testing::PrintToString(arguments);
    }
  }
  for (const char* size : {"-1Ki", "010Ki", "0x10Ki", "Ki", "1.5Ki", " 5", "5Qi"})
    EXPECT_THAT(run_command({"queue", "create", "q", "--max-bytes", size}).err, HasSubstr("usage: ")) << size;
  EXPECT_THAT(run_command({"dlq", "cancel", "010"}).err, HasSubstr("usage: task: must be a whole number"));
}

// In a script, an unset variable must mean neither another server nor another argument.
TEST(Usage, AnEmptyValueIsTheOptionsOwn) {
  for (const std::vector<std::string>& server : {std::vector<std::string>{"--server", ""}, {"--server="}}) {
    std::vector<std::string> arguments = server;
    arguments.insert(arguments.end(), {"queue", "purge", "orders", "--yes"});
    const Outcome outcome = run_command(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--server: is empty"));
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"redrive", "dlq", "--all", "--patch", ""},
        {"redrive", "dlq", "--all", "--reason="},
        {"dlq", "discard", "dlq", "--all", "--in-body="},
        {"dlq", "list", "dlq", "--redact-attribute="},
        {"peek", "orders", "--id="},
        {"send", "orders", "x", "--request-id="},
        {"compact", ""}}) {
    const Outcome refused = run_command(words);
    EXPECT_EQ(refused.status, 2) << ::testing::PrintToString(words);
    EXPECT_THAT(refused.err, HasSubstr("is empty")) << ::testing::PrintToString(words);
  }
  const Outcome outcome = run_command({"dlq", "discard", "orders-dlq", "--older-than=", "--yes"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'' is not a duration"));
  EXPECT_THAT(run_command({"dlq", "discard", "orders-dlq", "--customer=", "--yes"}).err,
              HasSubstr("--customer="));
}

// Somebody who types no verb wants to know which verbs there are. A script that does so has made a mistake.
TEST(Usage, NoVerbGivesHelp) {
  const Outcome bare = run_command({});
  EXPECT_EQ(bare.status, 2);
  EXPECT_EQ(bare.out, run_command({"--help"}).out);
  EXPECT_EQ(run_command({"queue"}).out, run_command({"queue", "--help"}).out);
  EXPECT_THAT(run_command({"--json"}).err, HasSubstr("a verb is needed"));
}

TEST(Usage, HelpIsAVerbToo) {
  EXPECT_EQ(run_command({"help"}).out, run_command({"--help"}).out);
  const Outcome help = run_command({"help", "queue", "create"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.out, run_command({"queue", "create", "--help"}).out);
}

TEST(Usage, TheConnectionHasAPageOfItsOwn) {
  const Outcome page = run_command({"help", "connection"});
  EXPECT_EQ(page.status, 0);
  for (const char* part : {"--server ", "--server-ca", "--client-key", "--data", "HOLDFAST_TOKEN"}) {
    EXPECT_THAT(page.out, HasSubstr(part));
    EXPECT_THAT(run_command({"send", "--help"}).out, ::testing::Not(HasSubstr(part)));
  }
  EXPECT_THAT(run_command({"send", "--help"}).out, HasSubstr("'holdfast help connection'"));
}

// Returns whether the verb exists and has the option, as in "receive --follow".
bool is_there(std::string_view lead) {
  std::istringstream words{std::string(lead)};
  std::vector<std::string> arguments;
  std::string option;
  for (std::string word; words >> word;) {
    if (word.starts_with("--") && option.empty()) {
      option = word;
    } else if (option.empty()) {
      arguments.push_back(word);
    }
  }
  arguments.emplace_back("--help");
  const Outcome help = run_command(arguments);
  return help.status == 0 && help.out.find(option) != std::string::npos;
}

TEST(Usage, NaturalWordsLeadToVerbsThatThereAre) {
  for (const NaturalWord& entry : natural_words()) {
    for (const Lead& lead : entry.leads) EXPECT_TRUE(is_there(lead.verb)) << lead.verb;
    for (const std::string_view word : entry.words) {
      std::vector<std::string> arguments{std::string(word)};
      if (!entry.group.empty()) arguments.insert(arguments.begin(), std::string(entry.group));
      const Outcome outcome = run_command(arguments);
      EXPECT_EQ(outcome.status, 2) << word;
      EXPECT_THAT(outcome.err, HasSubstr(entry.leads.front().verb)) << word;
    }
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
