// redrive, its dry runs, edits, canaries and tasks, and park, as the command has them: what moves, what
// stays, and what people and programs are told.
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "tests/command/dlq_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using DlqRedrive = DlqTest;

TEST_F(DlqRedrive, RedriveBringsBackACategoryOrAll) {
  EXPECT_EQ(holdfast({"redrive", "orders-dlq", "--category", "validation"}).out,
            "redrove 2 messages from orders-dlq\n");
  EXPECT_EQ(holdfast_json({"dlq", "redrive", "orders-dlq", "--yes"}).objects().at(0).at("moved"), 1);
  const auto messages = holdfast_json({"receive", "orders", "--max", "10"}).objects();
  ASSERT_EQ(messages.size(), 3);
  EXPECT_EQ(messages[0].at("replays"), 1);
  EXPECT_EQ(messages[0].at("deliveries"), 1);
}

TEST_F(DlqRedrive, DryRunMovesNothing) {
  EXPECT_THAT(holdfast({"dlq", "redrive", "orders-dlq", "--dry-run", "--category", "validation"}).out,
              HasSubstr("would move 2 messages, park 0, leave 0 in place\n"));
  const auto preview = holdfast_json({"dlq", "redrive", "orders-dlq", "--dry-run"}).objects().at(0);
  EXPECT_EQ(preview.at("move"), 3);
  EXPECT_EQ(preview.at("sample").size(), 3);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3);
}

TEST_F(DlqRedrive, RedriveEditsOnTheWay) {
  const auto patch = dir_ / "patch.json";
  std::ofstream(patch) << R"([{"op":"add","path":"/fixed","value":true}])";
  reject(R"({"a":1})", "json", "why");
  EXPECT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--category", "json", "--patch", patch.string(),
                      "--set-attribute", "by=ada", "--actor", "ada"})
                .out,
            "redrove 1 message from orders-dlq\n");
  const auto message = holdfast_json({"receive", "orders"}).objects().at(0);
  EXPECT_EQ(message.at("body"), R"({"a":1,"fixed":true})");
  EXPECT_EQ(message.at("attributes").at(0).at("name"), "by");
}

TEST_F(DlqRedrive, ADryRunShowsWhatTheEditMakesOfASample) {
  for (int i = 0; i < 9; ++i) reject("x", "timeout", "why");
  const auto dry = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"dlq", "redrive", "orders-dlq", "--category", "timeout", "--dry-run"});
    return more;
  };
  const auto shown = holdfast(dry({"--set-attribute", "by=ada", "--set-attribute-from", "from=from_dlq",
                                   "--set-attribute-from", "n=replays"}));
  EXPECT_THAT(shown.out, HasSubstr("would move 10 messages"));
  EXPECT_THAT(shown.out, HasSubstr("  attribute by\n    + ada\n  attribute from\n    + orders-dlq\n"
                                   "  attribute n\n    + 1\n"));
  EXPECT_THAT(shown.out, Not(HasSubstr("a sample")));
  reject("x", "timeout", "why");
  const auto sample = holdfast(dry({"--set-attribute", "by=ada"}));
  EXPECT_THAT(sample.out, HasSubstr("a sample, the first 10 of 11:\n"));
  const auto json = holdfast_json(dry({"--set-attribute", "by=ada", "--redact"})).objects().at(0);
  EXPECT_EQ(json.at("sample").size(), 10U);
  EXPECT_EQ(json.at("sample").at(0).at("attributes").at(0).at("value"), "ada");
  EXPECT_EQ(json.at("sample").at(0).at("original").at("attributes").size(), 0U);
  EXPECT_EQ(json.at("sample").at(0).at("body"), "");
  EXPECT_FALSE(holdfast_json(dry({})).objects().at(0).at("sample").at(0).contains("body"));
  for (const char* wrong : {"n", "=time", "n=now", "n="}) {
    const auto outcome = holdfast(dry({"--set-attribute-from", wrong}));
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_THAT(outcome.err, HasSubstr("is not NAME=from_dlq, NAME=time or NAME=replays"));
  }
}

TEST_F(DlqRedrive, WithoutItsPatchNothingMoves) {
  const auto refused = [this](const std::filesystem::path& patch, const std::string& why) {
    const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", "--yes", "--patch", patch.string()});
    EXPECT_EQ(outcome.status, 2) << patch;
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  const auto empty = dir_ / "empty.json";
  std::ofstream(empty).close();
  refused(empty, empty.string() + " is empty");
  const auto closed = dir_ / "socket";  // exists, but not even root can open it
  ASSERT_EQ(::mknod(closed.c_str(), S_IFSOCK | S_IRUSR, 0), 0);
  refused(closed, "cannot read the patch '" + closed.string() + "': No such device or address");
  refused(dir_.path(), "directory");
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3U);
  EXPECT_THAT(holdfast({"dlq", "tasks"}).err, HasSubstr("no redrive tasks"));
}

TEST_F(DlqRedrive, AnOptionWithAnEmptyValueMovesNothing) {
  const auto refused = [this](const char* verb, const char* option) {
    const Outcome outcome = holdfast({"dlq", verb, "orders-dlq", "--yes", option, ""});
    EXPECT_EQ(outcome.status, 2) << verb << option;
    EXPECT_THAT(outcome.err, HasSubstr(std::string(option) + ": is empty"));
  };
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--parking-queue", "parked", "--create-missing"}).status, 0);
  refused("park", "--to");
  for (const char* option : {"--filter-program", "--to", "--unless-version"}) refused("redrive", option);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3U);
}

TEST_F(DlqRedrive, ReplayedOnesSayWhatBecameOfThem) {
  ASSERT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--yes", "--set-attribute", "by=ada"}).status, 0);
  ASSERT_EQ(holdfast({"ack", receive("orders")}).status, 0);
  std::map<std::string, int> outcomes;
  for (const auto& letter : holdfast_json({"dlq", "list", "orders-dlq", "--status", "replayed"}).objects())
    ++outcomes[letter.at("replay").at("outcome")];
  EXPECT_EQ(outcomes["acked"], 1);
  EXPECT_EQ(outcomes["pending"], 2);
  const auto acked = holdfast_json({"dlq", "list", "orders-dlq", "--history"}).objects().at(0);
  const auto shown = holdfast({"dlq", "show", "orders-dlq", acked.at("message_id")});
  EXPECT_THAT(shown.out, HasSubstr("outcome"));
  EXPECT_THAT(shown.out, HasSubstr("body before it"));
}

TEST_F(DlqRedrive, ACanaryThatDiesKeepsTheRest) {
  const auto started =
      holdfast_json({"dlq", "redrive", "orders-dlq", "--canary", "1", "--detach", "--yes"}).objects().at(0);
  EXPECT_TRUE(started.contains("task"));
  EXPECT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--canary-percent", "50"}).status, 2);
}

TEST_F(DlqRedrive, TasksSayWhetherTheyParkAndWhereTo) {
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--parking-queue", "parked", "--create-missing"}).status, 0);
  ASSERT_EQ(holdfast({"dlq", "park", "orders-dlq", "--category", "timeout"}).status, 0);
  ASSERT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--yes"}).status, 0);
  const auto tasks = holdfast_json({"dlq", "tasks"}).objects();
  EXPECT_EQ(tasks.at(0).at("action"), "redrive");
  EXPECT_EQ(tasks.at(1).at("action"), "park");
  const std::string table = holdfast({"dlq", "tasks"}).out;
  EXPECT_THAT(table, ContainsRegex("redrive +orders-dlq +origin"));
  EXPECT_THAT(table, ContainsRegex("park +orders-dlq +parking queue"));
}

TEST_F(DlqRedrive, TasksAreListedAndCancelled) {
  EXPECT_THAT(holdfast({"dlq", "tasks"}).err, HasSubstr("no redrive tasks"));
  const auto started =
      holdfast_json({"dlq", "redrive", "orders-dlq", "--rate", "1", "--detach", "--yes"}).objects().at(0);
  const auto task = std::to_string(started.at("task").get<std::uint64_t>());
  EXPECT_EQ(holdfast_json({"dlq", "tasks"}).objects().at(0).at("state"), "running");
  // Anybody may give any name.
  EXPECT_THAT(holdfast({"dlq", "cancel", task, "--actor", "ann\x1b[31m"}).out,
              HasSubstr("task " + task + " is cancelled by ann\\x1b[31m;"));
  EXPECT_THAT(holdfast({"dlq", "tasks"}).out, HasSubstr("cancelled"));
  EXPECT_EQ(holdfast({"dlq", "cancel", "77"}).status, 21);
}

TEST_F(DlqRedrive, ParkPutsAside) {
  EXPECT_EQ(holdfast({"dlq", "park", "orders-dlq"}).status, 2);
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--parking-queue", "parked", "--create-missing"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "park", "orders-dlq", "--category", "timeout"}).out,
            "parked 1 message from orders-dlq\n");
  EXPECT_EQ(holdfast_json({"dlq", "list", "parked"}).objects().at(0).at("category"), "timeout");
}

TEST_F(DlqRedrive, RedriveOfTheSourcePointsToTheDeadLetterQueue) {
  EXPECT_THAT(holdfast({"redrive", "orders"}).err, HasSubstr("'orders' dead-letters to 'orders-dlq'"));
}

TEST_F(DlqRedrive, APatchKeepsTheNumbersItDoesNotTouch) {
  const auto patch = dir_ / "patch.json";
  std::ofstream(patch) << R"([{"op":"replace","path":"/quantity","value":1}])";
  reject(
      R"({"quantity": 0, "account": 12345678901234567890123, "price": 10.10, "rate": 0.12345678901234567891})",
      "json", "why");
  ASSERT_EQ(
      holdfast({"dlq", "redrive", "orders-dlq", "--category", "json", "--patch", patch.string()}).status, 0);
  EXPECT_EQ(holdfast_json({"receive", "orders"}).objects().at(0).at("body"),
            R"({"quantity":1,"account":12345678901234567890123,"price":10.1,"rate":0.12345678901234567891})");
}

TEST_F(DlqRedrive, TasksAreFoundByStateTheNewestFirst) {
  for (const char* category : {"validation", "none", "none"})
    ASSERT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--category", category}).status, 0);
  ASSERT_EQ(
      holdfast({"dlq", "redrive", "orders-dlq", "--rate", "1", "--canary", "1", "--detach", "--yes"}).status,
      0);
  const auto numbers = [this](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"dlq", "tasks"});
    std::vector<int> tasks;
    for (const auto& task : holdfast_json(arguments).objects()) tasks.push_back(task.at("task"));
    return tasks;
  };
  EXPECT_EQ(numbers({}), (std::vector{4, 3, 2, 1}));
  EXPECT_EQ(numbers({"--state", "running"}), std::vector{4});
  EXPECT_EQ(numbers({"--state", "done", "--state", "running", "--max", "2"}), (std::vector{4, 3}));
  EXPECT_EQ(numbers({"--max", "2", "--after", "3"}), (std::vector{2, 1}));
  EXPECT_EQ(numbers({"--state", "failed"}), std::vector<int>{});
  const Outcome stopped = holdfast_json({"dlq", "tasks", "--state", "done", "--max", "2"});
  EXPECT_EQ(stopped.error().at("more"), true);
  EXPECT_EQ(stopped.error().at("after"), "2");
  EXPECT_THAT(holdfast({"dlq", "tasks", "--max", "3"}).err,
              HasSubstr("3 shown; there may be more: --after 2"));
  EXPECT_EQ(holdfast({"dlq", "tasks", "--max", "4"}).err, "");
  EXPECT_THAT(holdfast({"dlq", "tasks", "--state", "failed"}).err, HasSubstr("no such redrive tasks"));
  EXPECT_EQ(holdfast({"dlq", "tasks", "orders-dlq"}).err, "");
  EXPECT_THAT(holdfast({"dlq", "tasks", "elsewhere"}).err, HasSubstr("no such redrive tasks"));
  EXPECT_EQ(holdfast({"dlq", "tasks", "--state", "asleep"}).status, 2);
}

TEST_F(DlqRedrive, WhatIsNotThereLeavesNoTask) {
  for (const char* option : {"--yes", "--dry-run", "--detach"}) {
    const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", "999", option});
    EXPECT_EQ(outcome.status, 7);
    EXPECT_THAT(outcome.err, HasSubstr("no such dead letter in 'orders-dlq'"));
  }
  EXPECT_THAT(holdfast({"dlq", "tasks"}).err, HasSubstr("no redrive tasks"));
}

TEST_F(DlqRedrive, WhatWasTakenOutBeforeIsSaidToBeHistory) {
  ASSERT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "1", "--yes"}).status, 0);
  const Outcome again = holdfast({"dlq", "redrive", "orders-dlq", "1", "--yes"});
  EXPECT_EQ(again.status, 7);
  EXPECT_THAT(again.err, HasSubstr("the dead letter in 'orders-dlq' is history: it was taken out before"));
}

TEST_F(DlqRedrive, ParkingIsTriedDry) {
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--parking-queue", "parked", "--create-missing"}).status, 0);
  EXPECT_THAT(holdfast({"dlq", "park", "orders-dlq", "--dry-run"}).out,
              HasSubstr("would park 3 messages, leave 0 in place\n"));
  EXPECT_THAT(holdfast({"dlq", "park", "orders-dlq", "--dry-run", "--to", "orders"}).err,
              HasSubstr("'orders' dead-letters to 'orders-dlq' itself: its consumers receive these"));
  const auto planned =
      holdfast_json({"dlq", "park", "orders-dlq", "--category", "timeout", "--dry-run", "--to", "aside"});
  EXPECT_EQ(planned.status, 4);  // no such queue
  const auto plan = holdfast_json({"dlq", "park", "orders-dlq", "--category", "timeout", "--dry-run"});
  EXPECT_EQ(plan.objects().at(0).at("park"), 1);
  EXPECT_EQ(plan.objects().at(0).at("dry_run"), true);
  EXPECT_EQ(plan.objects().at(0).at("sample").at(0).at("category"), "timeout");
  EXPECT_EQ(holdfast({"dlq", "park", "orders-dlq", "999", "--dry-run"}).status, 7);
  EXPECT_EQ(holdfast({"dlq", "park", "orders-dlq", "--category", "timeout", "--redact"}).status, 2);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3U);
  EXPECT_THAT(holdfast({"dlq", "tasks"}).err, HasSubstr("no redrive tasks"));
  EXPECT_THAT(holdfast({"dlq", "park", "orders-dlq", "--category", "timeout", "--to", "orders"}).err,
              HasSubstr("'orders' dead-letters to 'orders-dlq' itself"));
}

}  // namespace
}  // namespace holdfast::command
