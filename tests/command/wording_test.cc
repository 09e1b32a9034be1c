// Tests what the command says of a mistake: it uses the words in which the mistake was typed, gives the
// reason, and says what may stand there in its place.
#include "tests/command/dlq_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Wording = DlqTest;

TEST_F(Wording, ARefusalNamesTheOptionAsItIsTyped) {
  struct Case {
    std::vector<std::string> arguments;
    std::string said;
  };
  const std::vector<Case> cases{
      {{"dlq", "park", "orders-dlq", "1"}, "queue 'orders-dlq' has no --parking-queue, and --to names none"},
      {{"dlq", "redrive", "orders-dlq", "1", "--to", "orders-dlq"}, "--to is the queue itself"},
      {{"queue", "alter", "orders-dlq", "--alert", "depth=3", "--alert", "depth.clear-at=5"},
       "--alert depth.clear-at is 5, which is more than --alert depth, 3"},
      {{"queue", "alter", "orders-dlq", "--alert", "depth-high.fire-after=9000d"},
       "--alert depth-high.fire-after is 9000d, it must be"},
      {{"queue", "alter", "orders-dlq", "--auto-redrive", "max-replays=0"},
       "--auto-redrive max-replays is 0"},
      {{"queue", "alter", "orders", "--journal", "entries=1"}, "--journal entries must be 0 or at least"},
      {{"queue", "alter", "orders", "--journal", "keep=1h"},
       "--journal keep is set, but --journal entries is 0"},
      {{"queue", "alter", "orders", "--brake", "delay=2h"}, "--brake delay is 2h"},
      {{"queue", "alter", "orders", "--retry", "fixed:0s"}, "--retry base is 0s"},
      {{"queue", "alter", "orders", "--retry", "fixed:1s:jitter=2"}, "--retry jitter must be 0..1"},
      {{"queue", "create", "new", "--ttl", "1h"},
       "--ttl is set and --on-expiry is dead-letter, but there is no dead letter queue"},
      {{"queue", "create", "new", "--on-overflow", "dead-letter-head", "--max-length", "3"},
       "--on-overflow is dead-letter-head, but there is no dead letter queue"},
      {{"queue", "create", "new", "--on-overflow", "drop-head"},
       "--on-overflow is set, but there is no --max-length or --max-bytes"},
      {{"queue", "alter", "orders", "--dedup-window", "0s"}, "--dedup-window is 0s"},
      {{"queue", "alter", "orders", "--priorities", "99"}, "--priorities is 99, it must be 1..16"},
      {{"queue", "create", "new", "--ordered", "--priorities", "3"},
       "--priorities and --ordered/--fair contradict each other"},
      {{"queue", "alter", "orders", "--lease", "0s"}, "--lease is 0s"},
      {{"dlq", "note", "orders-dlq", "1", "--text", ""}, "--text is empty"},
      {{"dlq", "list", "orders-dlq", "--attribute", std::string(300, 'n') + "=v"},
       "--attribute: a name has 300"},
      {{"send", "orders", "x", "--delay", "1s", "--visible-at", "2030-01-01T00:00:00Z"},
       "--delay and --visible-at are both set"},
      {{"send", "orders", "x", "--dedup-id", std::string(2000, 'd')}, "--dedup-id has 2000 bytes"},
  };
  for (const auto& [arguments, said] : cases) {
    const Outcome outcome = holdfast(arguments);
    EXPECT_NE(outcome.status, 0) << said;
    EXPECT_THAT(outcome.err, HasSubstr(said));
  }
}

TEST_F(Wording, ACreateThatDiffersNamesOptionsAsTheyAreTyped) {
  ASSERT_EQ(
      holdfast({"queue", "create", "jobs", "--dead-letter-queue", "orders-dlq", "--create-missing"}).status,
      0);
  const Outcome outcome = holdfast({"queue",
                                    "create",
                                    "jobs",
                                    "--alert",
                                    "oldest.severity=critical",
                                    "--alert",
                                    "oldest=2h",
                                    "--dedup",
                                    "id",
                                    "--ordered",
                                    "--ttl",
                                    "1h",
                                    "--on-expiry",
                                    "drop",
                                    "--retry",
                                    "fixed:5s",
                                    "--brake",
                                    "deaths=9",
                                    "--discard-rejected",
                                    "--dead-letter-queue",
                                    "orders-dlq",
                                    "--dead-letter-route",
                                    "fraud=orders-dlq"});
  EXPECT_EQ(outcome.status, 5);
  for (const char* part :
       {"--alert oldest.severity is warning, not critical", "--alert oldest is 1d, not 2h",
        "--dedup is none, not id", "--ordered/--fair is none, not ordered", "--ttl is 0s, not 1h",
        "--on-expiry is dead-letter, not drop", "--retry is immediate, not fixed:5s",
        "--brake deaths is 0, not 9", "--discard-rejected is no, not yes",
        "--dead-letter-route fraud is none, not orders-dlq"}) {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  EXPECT_THAT(outcome.err, AllOf(Not(HasSubstr("terms")), Not(HasSubstr("kind"))));
}

TEST_F(Wording, AFileThatCannotBeReadSaysWhy) {
  const std::string nowhere = (dir_ / "nowhere").string();
  const std::string directory = dir_.path().string();
  for (const std::string option : {"--stack-trace-file", "--partial-output-file"}) {
    EXPECT_THAT(holdfast({"reject", "1.2.3", option, nowhere}).err,
                HasSubstr("cannot read file '" + nowhere + "': No such file or directory"));
    EXPECT_THAT(holdfast({"reject", "1.2.3", option, directory}).err,
                HasSubstr("cannot read file '" + directory + "': Is a directory"));
  }
}

TEST_F(Wording, AnEnumerationListsItsValuesInHelpAndError) {
  struct Case {
    std::vector<std::string> verb;
    std::string option;
    std::vector<std::string> values;
  };
  const std::vector<std::string> statuses{"new", "investigating", "fixed", "replayed", "abandoned"};
  const std::vector<Case> cases{
      {{"dlq", "list", "orders-dlq"},
       "--cause",
       {"max_deliveries", "rejected", "expired", "retry_budget", "overflow", "sent"}},
      {{"dlq", "list", "orders-dlq"}, "--status", statuses},
      {{"dlq", "status", "orders-dlq", "1"}, "--to", {"investigating", "fixed", "abandoned"}},
      {{"dlq", "group", "orders-dlq"},
       "--by",
       {"fingerprint", "category", "code", "cause", "status", "assignee", "source", "consumer_version"}},
      {{"dlq", "tasks"},
       "--state",
       {"running", "done", "cancelled", "failed", "interrupted", "canary_failed"}},
      {{"queue", "create", "new"}, "--on-expiry", {"dead-letter", "drop"}},
      {{"queue", "create", "new"}, "--on-overflow", {"reject-send", "dead-letter-head", "drop-head"}},
      {{"queue", "create", "new"}, "--dedup", {"none", "id", "content"}},
      {{"queue", "create", "new"}, "--durability", {"fsync", "buffered"}},
      {{"queue", "create", "new"}, "--direct-sends", {"yes", "no"}},
      {{"queue", "list"}, "--color", {"auto", "always", "never"}},
  };
  for (auto [verb, option, values] : cases) {
    const std::string help = holdfast({verb[0], verb[1], "--help"}).out;
    verb.insert(verb.end(), {option, "nonsense"});
    const Outcome outcome = holdfast(verb);
    EXPECT_EQ(outcome.status, 2) << option;
    for (const std::string& value : values) {
      EXPECT_THAT(outcome.err, HasSubstr(value)) << option;
      EXPECT_THAT(help, HasSubstr(value)) << option;
    }
  }
  EXPECT_THAT(holdfast({"queue", "alter", "orders-dlq", "--alert", "depth.severity=nonsense"}).err,
              HasSubstr("'nonsense' is neither warning nor critical"));
}

TEST_F(Wording, RedriveAndParkTakeEverythingAsDiscardDoes) {
  EXPECT_THAT(holdfast({"dlq", "redrive", "orders-dlq", "--all", "--dry-run"}).out, HasSubstr("3"));
  // The command asks about --all alone, and does not ask with --yes.
  EXPECT_THAT(holdfast({"dlq", "redrive", "orders-dlq", "--all"}).err,
              HasSubstr("redrive all of 'orders-dlq'"));
  EXPECT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--all", "--yes"}).out,
            "redrove 3 messages from orders-dlq\n");
}

TEST_F(Wording, ADirectSendHasNoSource) {
  ASSERT_EQ(holdfast({"queue", "alter", "orders-dlq", "--direct-sends", "yes"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders-dlq", "x"}).status, 0);
  const std::string shown = holdfast({"dlq", "show", "orders-dlq", "4"}).out;
  EXPECT_THAT(shown, AllOf(HasSubstr("source            none: it was sent to this queue\n"),
                           Not(HasSubstr("seq 0"))));
}

TEST_F(Wording, TasksSayWhatBecameOfThoseThatWent) {
  ASSERT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--yes"}).status, 0);
  ASSERT_EQ(holdfast({"ack", receive("orders")}).status, 0);
  ASSERT_EQ(holdfast({"reject", receive("orders"), "--reason", "again"}).status, 0);
  const std::string tasks = holdfast({"dlq", "tasks"}).out;
  EXPECT_THAT(tasks, AllOf(HasSubstr("BECAME OF THEM"), HasSubstr("1 acked, 1 died again, 1 pending")));
}

}  // namespace
}  // namespace holdfast::command
