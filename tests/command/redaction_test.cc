// These tests check what the command leaves out of messages, because it is told to or because the server
// hides it, and why a redrive left some messages.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "server/access/tokens.h"
#include "server/net/server.h"
#include "tests/command/command_fixture.h"
#include "tests/support/result_matchers.h"

namespace holdfast::command {
namespace {

using holdfast::testing::must;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RedactionTest : public CommandTest {
 protected:
  void SetUp() override {
    Engine engine = must(Engine::open(dir_ / "data"));
    must(engine.create_queue("dlq"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (int i = 0; i < 2; ++i) {
      must(engine.send("orders", {.body = "SECRET body", .attributes = {{"correlation-id", "SECRET id"}}}));
      must(engine.reject(must(engine.receive("orders")).front().receipt,
                         {.category = "timeout", .reason = "why", .partial_output = "SECRET output"}));
    }
  }

  // Runs the command over `server`, with a token from whose holder bodies are hidden.
  static Outcome by_night(const server::Server& server, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--json", "--server", server.addresses().front()});
    // NOLINTBEGIN(concurrency-mt-unsafe): no other thread of the test reads the environment.
    ::setenv("HOLDFAST_TOKEN", "night", 1);
    Outcome outcome = run_command(arguments);
    ::unsetenv("HOLDFAST_TOKEN");
    // NOLINTEND(concurrency-mt-unsafe)
    return outcome;
  }
  static server::ServerOptions with_tokens() {
    const std::vector<server::TokenEntry> entries{
        {.hash = server::hash_of("night"),
         .rights = {.name = "night",
                    .grants = {must(server::parse_grant("operate:*"))},
                    .hidden = {.bodies = true, .attributes = {"correlation-id"}}}}};
    return {.listen = {"127.0.0.1:0"}, .tokens = std::make_shared<const server::Tokens>(entries)};
  }

  const std::vector<std::string> redact_{"--redact", "--redact-attribute", "correlation-id"};
  // Every verb that shows dead letters or messages is in this list.
  const std::vector<std::vector<std::string>> shows_{{"dlq", "list", "dlq", "--bodies"},
                                                     {"dlq", "show", "dlq", "1"},
                                                     {"dlq", "group", "dlq"},
                                                     {"dlq", "watch", "dlq", "--once"},
                                                     {"dlq", "redrive", "dlq", "--dry-run"},
                                                     {"peek", "dlq", "--bodies"}};
};

TEST_F(RedactionTest, IsHonouredByEveryVerbThatShowsMessages) {
  for (const auto& verb : shows_) {
    SCOPED_TRACE(::testing::PrintToString(verb));
    std::vector<std::string> redacted = verb;
    redacted.insert(redacted.end(), redact_.begin(), redact_.end());
    const Outcome outcome = holdfast_json(redacted);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("SECRET")));
    EXPECT_THAT(holdfast_json(verb).out, HasSubstr("SECRET"));
    EXPECT_THAT(outcome.out, HasSubstr("attribute correlation-id"));
  }
  EXPECT_THAT(holdfast({"dlq", "list", "dlq", "--bodies", "--redact"}).out, HasSubstr("(redacted)"));
  EXPECT_THAT(holdfast({"peek", "dlq", "--bodies", "--redact"}).out, HasSubstr("(redacted)"));
  EXPECT_THAT(holdfast({"dlq", "list", "dlq", "--bodies", "--redact-attribute", "x"}).out,
              HasSubstr("SECRET body"));
  EXPECT_EQ(holdfast({"dlq", "redrive", "dlq", "--redact", "--yes"}).status, 2);
}

TEST_F(RedactionTest, AProgramIsNotShownItAndMayNotChangeIt) {
  const auto seen = dir_ / "seen";
  const auto run = [&](const std::string& answer) {
    return holdfast({"dlq", "redrive", "dlq", "1", "--redact", "--redact-attribute", "correlation-id",
                     "--filter-program", "tee " + seen.string() + " | sed 's/.*/" + answer + "/'"});
  };
  const Outcome body = run(R"({"action":"redrive","body":"new"})");
  EXPECT_EQ(body.status, 2);
  EXPECT_THAT(body.err, AllOf(HasSubstr("line 1"), HasSubstr("the body was redacted"),
                              HasSubstr("nothing was touched")));
  EXPECT_THAT(run(R"({"action":"redrive","set_attributes":{"correlation-id":"x"}})").err,
              HasSubstr("the attribute correlation-id was redacted"));
  EXPECT_THAT(run(R"({"action":"redrive","drop_attributes":["correlation-id"]})").err,
              HasSubstr("the attribute correlation-id was redacted"));
  EXPECT_EQ(run(R"({"action":"redrive","set_attributes":{"by":"script"}})").status, 0);
  const std::string fed = (std::ostringstream() << std::ifstream(seen).rdbuf()).str();
  EXPECT_THAT(fed, AllOf(HasSubstr(R"("reason":"why")"), Not(HasSubstr("SECRET"))));
  EXPECT_THAT(holdfast_json({"receive", "orders"}).out, HasSubstr("SECRET body"));
}

TEST_F(RedactionTest, TheServerHidesWhatATokenMayNotSee) {
  auto engine = must(Engine::open(dir_ / "data"));
  const server::Server server = must(server::Server::start(engine, with_tokens()));
  for (const auto& verb : shows_) {
    SCOPED_TRACE(::testing::PrintToString(verb));
    const Outcome outcome = by_night(server, verb);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("SECRET")));
  }
  const std::string file = (dir_ / "letters.zst").string();
  const Outcome exported = by_night(server, {"dlq", "export", "dlq", file});
  EXPECT_NE(exported.status, 0);
  EXPECT_THAT(exported.err, HasSubstr("could not be imported"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(by_night(server, {"dlq", "export", "dlq", file, "--redact"}).status, 0);
  EXPECT_NE(by_night(server, {"receive", "dlq"}).status, 0);
  EXPECT_EQ(by_night(server, {"dlq", "note", "dlq", "1", "--text", "seen"}).status, 0);
  EXPECT_EQ(by_night(server, {"dlq", "redrive", "dlq", "1"}).objects().at(0).at("moved"), 1);
}

TEST_F(RedactionTest, ARedriveSaysWhatItLeftAndWhy) {
  ASSERT_EQ(holdfast({"dlq", "abandon", "dlq", "1", "--yes"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "redrive", "dlq", "--max-replays", "1", "--yes"}).out,
            "redrove 1 message from dlq\nleft 1 in place: 1 abandoned\n");
  ASSERT_EQ(holdfast({"reject", receive("orders")}).status, 0);
  const std::vector<std::string> again{"dlq", "redrive", "dlq", "--max-replays", "1", "--yes"};
  const Outcome nothing = holdfast(again);
  EXPECT_EQ(nothing.status, 1);
  EXPECT_EQ(nothing.out,
            "redrove 0 messages from dlq\nleft 2 in place: 1 abandoned, 1 over the replay limit\n");
  EXPECT_THAT(nothing.err, HasSubstr("left 2 dead letters in dlq: 1 abandoned, 1 over the replay limit"));
  const auto status = holdfast_json(again).objects().at(0);
  EXPECT_EQ(status.at("skipped"), 2);
  EXPECT_EQ(status.at("left").at("abandoned"), 1);
  EXPECT_EQ(status.at("left").at("replay_limit"), 1);
  EXPECT_EQ(status.at("left").at("leased"), 0);
  std::vector<std::string> planned = again;
  planned.emplace_back("--dry-run");
  EXPECT_EQ(holdfast(planned).out,
            "would move 0 messages, park 0, leave 2 in place: 1 abandoned, 1 over the replay limit\n");
  EXPECT_EQ(holdfast_json(planned).objects().at(0).at("left").at("abandoned"), 1);
  EXPECT_THAT(holdfast({"dlq", "tasks"}).out, HasSubstr("1 abandoned, 1 over the replay limit"));
}

TEST_F(RedactionTest, TheFirstDeathIsShown) {
  ASSERT_EQ(holdfast({"dlq", "redrive", "dlq", "2"}).status, 0);
  EXPECT_EQ(holdfast_json({"dlq", "show", "dlq", "2"}).objects().at(0).at("first_death"), nullptr);
  ASSERT_EQ(holdfast({"reject", receive("orders"), "--reason", "second"}).status, 0);
  const auto letter = holdfast_json({"dlq", "list", "dlq", "--newest"}).objects().at(0);
  EXPECT_EQ(letter.at("reason"), "second");
  EXPECT_EQ(letter.at("first_death").at("reason"), "why");
  EXPECT_EQ(letter.at("first_death").at("category"), "timeout");
  const std::string seq = letter.at("seq").get<std::string>();
  EXPECT_THAT(holdfast({"dlq", "show", "dlq", seq}).out,
              AllOf(HasSubstr("first reason      why\n"), HasSubstr(", rejected in orders\n")));
}

TEST_F(RedactionTest, ACancelledTaskSaysByWhom) {
  const auto started =
      holdfast_json({"dlq", "redrive", "dlq", "--canary", "1", "--detach", "--yes"}).objects().at(0);
  const std::string task = std::to_string(started.at("task").get<std::uint64_t>());
  EXPECT_THAT(holdfast({"dlq", "cancel", task, "--actor", "ann"}).out, HasSubstr("is cancelled by ann"));
  EXPECT_EQ(holdfast_json({"dlq", "tasks"}).objects().at(0).at("cancelled_by"), "ann");
  EXPECT_THAT(holdfast({"dlq", "tasks"}).out, HasSubstr("cancelled by ann"));
}

}  // namespace
}  // namespace holdfast::command
