// Runs the command as a person does, on a terminal.
#include <algorithm>
#include <filesystem>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "server/net/server.h"
#include "tests/client/holding_proxy.h"
#include "tests/command/command_fixture.h"
#include "tests/command/command_process.h"
#include "tests/support/result_matchers.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

using holdfast::testing::must;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Terminal : public ::testing::Test {
 protected:
  void SetUp() override {
    must(engine_->create_queue("orders-dlq"));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  }
  void kill(const std::string& body, const std::string& category, const std::string& reason) {
    must(engine_->send("orders", {.body = body}));
    must(engine_->reject(must(engine_->receive("orders")).at(0).receipt,
                         {.category = category, .reason = reason}));
  }
  DeadLetter letter(std::uint64_t seq) { return must(engine_->get_dead_letter("orders-dlq", Seq{seq})); }
  std::vector<std::string> with_server(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--server", server_->addresses().front()});
    return arguments;
  }
  // Returns everything that the command shows on the terminal.
  std::string shown(const std::vector<std::string>& arguments, CommandProcess::Size size = {},
                    const CommandProcess::Environment& environment = {}) const {
    CommandProcess process(with_server(arguments), size, environment);
    return process.output_to_end();
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(CommandProcess::without_sequences(text));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  holdfast::testing::TempDir dir_;
  Result<Engine> engine_ = Engine::open(dir_ / "data");
  Result<server::Server> server_ = server::Server::start(*engine_, {.listen = {"127.0.0.1:0"}});
};

TEST_F(Terminal, ColoursAreForATerminalThatWantsThem) {
  const std::string bold = "\x1b[1mQUEUE";
  EXPECT_THAT(shown({"queue", "list"}), HasSubstr(bold));
  EXPECT_THAT(shown({"queue", "list"}, {}, {{"NO_COLOR", "1"}}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(shown({"queue", "list"}, {}, {{"TERM", "dumb"}}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(shown({"queue", "list", "--color", "never"}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(shown({"queue", "list", "--color", "always"}, {}, {{"NO_COLOR", "1"}}), HasSubstr(bold));
  EXPECT_THAT(shown({"--json", "queue", "list"}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(shown({"queue", "describe", "none"}), HasSubstr("\x1b[31mholdfast:\x1b[0m"));
  EXPECT_THAT(run_command(with_server({"queue", "list"})).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(run_command(with_server({"queue", "list", "--color", "always"})).out, HasSubstr(bold));
  EXPECT_EQ(run_command({"queue", "list", "--color", "green"}).status, 2);
}

TEST_F(Terminal, TablesFitItsWidth) {
  kill("x", "在庫切れ", "注文が失敗しました、倉庫からの応答がありません、後でもう一度お試しください");
  kill("x", "timeout", std::string(200, 'w'));
  for (const unsigned short columns : std::vector<unsigned short>{50, 60, 80, 120}) {
    const std::string out = shown({"dlq", "list", "orders-dlq"}, {.columns = columns});
    const auto lines = lines_of(out);
    ASSERT_GE(lines.size(), 3U) << out;
    std::size_t widest = 0;
    for (std::size_t i = 0; i < 3; ++i) widest = std::max(widest, display_width(lines[i]));
    EXPECT_EQ(widest, columns) << out;
    EXPECT_THAT(lines[1], HasSubstr("注文"));
  }
  EXPECT_THAT(shown({"dlq", "list", "orders-dlq"}, {.columns = 50}), HasSubstr("no room for STATUS, CODE, "));
  EXPECT_THAT(shown({"dlq", "list", "orders-dlq"}, {.columns = 400}), Not(HasSubstr("no room")));
}

TEST_F(Terminal, ShowKeepsLineBreaksAndIndentsJson) {
  kill("{\"order\":4711,\"price\":1.10,\"note\":\"\\u001b[31m\"}", "validation", "first\nsecond \x1b[2J\x9b");
  const std::string out = shown({"dlq", "show", "orders-dlq", "1", "--color", "never"});
  EXPECT_THAT(out, HasSubstr("body\r\n  {\r\n    \"order\": 4711,\r\n    \"price\": 1.10,\r\n"
                             "    \"note\": \"\\u001b[31m\"\r\n  }\r\n"));
  EXPECT_THAT(out, HasSubstr("reason\r\n  first\r\n  second \\x1b[2J\\x9b\r\n"));
  EXPECT_THAT(out, HasSubstr(" ago)"));
  EXPECT_THAT(out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run_command(with_server({"dlq", "show", "orders-dlq", "1"})).out, HasSubstr("first\\nsecond"));
}

// A stack trace is indented by tabs, which a terminal shows in no other way. Other control characters are
// made visible.
TEST_F(Terminal, ShowExpandsTabs) {
  must(engine_->send("orders", {.body = "a\tb"}));
  must(engine_->reject(
      must(engine_->receive("orders")).at(0).receipt,
      {.category = "c\td", .reason = "r", .stack_trace = "Error: x\n\tat f\x1b[2J\n\tat gg\th"}));
  const std::string out = shown({"dlq", "show", "orders-dlq", "1", "--color", "never"});
  EXPECT_THAT(out,
              HasSubstr("stack trace\r\n  Error: x\r\n          at f\\x1b[2J\r\n          at gg   h\r\n"));
  EXPECT_THAT(out, AllOf(HasSubstr("c       d\r\n"), HasSubstr("a       b\r\n"), Not(HasSubstr("\\t"))));
  EXPECT_THAT(run_command(with_server({"dlq", "show", "orders-dlq", "1"})).out,
              HasSubstr("  \\tat gg\\th\n"));
}

// The promise holds however narrow the terminal is. Text is cut to a few columns first, and then columns that
// have no room are left out and named.
TEST_F(Terminal, NoLineOfATableIsWiderThanIt) {
  kill("x", "在庫切れ", "e\u0301\u0301 注文が失敗しました、倉庫からの応答がありません");
  kill("x", "timeout", std::string(200, 'w'));
  const std::vector<std::vector<std::string>> verbs{{"dlq", "find"},
                                                    {"dlq", "list", "orders-dlq"},
                                                    {"dlq", "group", "orders-dlq"},
                                                    {"dlq", "stats", "orders-dlq"},
                                                    {"queue", "list"},
                                                    {"queue", "describe", "orders", "orders-dlq"},
                                                    {"status"}};
  for (const unsigned short columns : std::vector<unsigned short>{14, 24, 32, 60}) {
    for (const auto& verb : verbs) {
      const std::string out = shown(verb, {.columns = columns});
      for (const std::string& line : lines_of(out)) {
        EXPECT_LE(display_width(line.substr(0, line.find('\r'))), columns) << columns << '\n' << out;
      }
    }
  }
}

TEST_F(Terminal, StatusNamesTheColumnsForWhichThereIsNoRoom) {
  kill("x", "timeout", "why");
  const std::string out = shown({"status", "--color", "never"}, {.columns = 60});
  EXPECT_THAT(out, HasSubstr("no room for "));
  EXPECT_THAT(out, HasSubstr("a wider terminal, a pipe or --json has all"));
  EXPECT_THAT(shown({"status"}, {.columns = 200}), Not(HasSubstr("no room")));
}

TEST_F(Terminal, DescribeGoesOnInTheNextLineWhereOneIsTooShort) {
  must(engine_->create_queue("jobs",
                             {.tags = {{"team", "在庫切れ 注文が失敗しました 倉庫からの応答がありません"}}}));
  const std::string narrow = shown({"queue", "describe", "jobs"}, {.columns = 60});
  EXPECT_THAT(narrow, AllOf(HasSubstr("  since creation   0 sent, 0 delivered, 0 acked, 0\r\n"
                                      "                   dead-lettered, 0 discarded, 0 redriven, 0\r\n"),
                            HasSubstr("  tag              team=在庫切れ 注文が失敗しました\r\n"
                                      "                   倉庫からの応答がありません\r\n")));
  EXPECT_THAT(shown({"queue", "describe", "jobs"}, {.columns = 30}),
              HasSubstr("  now\r\n    0 ready, 0 waiting, 0\r\n    leased; 0 of them dead\r\n"));
  EXPECT_THAT(run_command(with_server({"queue", "describe", "jobs"})).out,
              HasSubstr("0 sent, 0 delivered, 0 acked, 0 dead-lettered, 0 discarded, 0 redriven, 0 parked"));
}

class Watch : public Terminal {
 protected:
  CommandProcess watch(std::vector<std::string> more = {}, CommandProcess::Size size = {}) {
    more.insert(more.begin(), {"dlq", "watch", "orders-dlq", "--actor", "bob", "--color", "never"});
    return {with_server(more), size};
  }
};

TEST_F(Watch, ShowsTotalsRatesAndAlerts) {
  kill("a", "timeout", "no answer");
  CommandProcess process = watch();
  EXPECT_TRUE(process.wait_for_page("orders-dlq  1 dead letter in 1 group, 0 leased"));
  EXPECT_TRUE(process.wait_for_page("ALERT  warning: depth is 1 since "));
  EXPECT_THAT(process.page(),
              AllOf(HasSubstr("died in the last whole minute"), HasSubstr(">   1 "), HasSubstr("q quit")));
  kill("b", "timeout", "later");
  EXPECT_TRUE(process.wait_for_page("2 dead letters"));
  process.type("q");
  EXPECT_EQ(process.exit_status(), 0);
  // The screen is as it was before.
  EXPECT_THAT(process.output_to_end(), ::testing::EndsWith("\x1b[?25h\x1b[?1049l"));
}

TEST_F(Watch, ScrollsThroughAllAndShowsOneWithEverything) {
  for (int i = 1; i <= 30; ++i)
    kill("body " + std::to_string(i), "timeout", "reason " + std::to_string(i) + ".");
  CommandProcess process = watch({}, {.rows = 12, .columns = 80});
  ASSERT_TRUE(process.wait_for_page(">  30 "));
  EXPECT_THAT(process.page(), Not(HasSubstr("reason 20.")));
  process.type("\x1b[B\x1b[Bj");
  ASSERT_TRUE(process.wait_for_page(">  27 "));
  process.type("\x1b[F");
  ASSERT_TRUE(process.wait_for_page(">   1 "));
  process.type("k\r");
  ASSERT_TRUE(process.wait_for_page("dead letter       "));
  EXPECT_TRUE(process.wait_for_page("seq 2\n"));
  process.type("\x1b[6~\x1b[6~\x1b[6~\x1b[6~");
  EXPECT_TRUE(process.wait_for_page("body 2\n"));
  process.type("q");
  ASSERT_TRUE(process.wait_for_page(">   2 "));  // the chosen letter is still chosen
  process.type("\x1b");
  process.signal(SIGINT);
  EXPECT_EQ(process.exit_status(), 0);
}

// The watch has read the first letters only. It reads on until it has the oldest letter.
TEST_F(Watch, GoesToTheVeryEnd) {
  must(engine_->send_batch("orders", std::vector<Message>(900, {.body = "x"})));
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = 900})))
    must(engine_->reject(delivery.receipt, {.reason = "why"}, {.durability = Durability::kBuffered}));
  CommandProcess process = watch();
  ASSERT_TRUE(process.wait_for_page("> 900 "));
  process.type("G");
  ASSERT_TRUE(process.wait_for_page(">   1 "));
  process.type("\x1b[H");
  ASSERT_TRUE(process.wait_for_page("> 900 "));
  process.type("q");
  EXPECT_EQ(process.exit_status(), 0);
}

TEST_F(Watch, ErasesAWordOrAllOfWhatIsTyped) {
  kill("a", "timeout", "why");
  CommandProcess process = watch({}, {.columns = 60});
  ASSERT_TRUE(process.wait_for_page(">   1 "));
  process.type("/category=timeout 在庫切れ  ");
  ASSERT_TRUE(process.wait_for_page("=, ...): category=timeout 在庫切れ  _"));  // the end of the text is seen
  process.type("\x17");
  ASSERT_TRUE(process.wait_for_page("category=timeout _"));
  process.type("\x15status=new");
  ASSERT_TRUE(process.wait_for_page(": status=new_"));
  process.type("\r");
  ASSERT_TRUE(process.wait_for_page("filter: status=new (esc"));
  process.type("q");
  EXPECT_EQ(process.exit_status(), 0);
}

TEST_F(Watch, AssignsRedrivesAndAbandons) {
  kill("a", "timeout", "first");
  kill("b", "timeout", "second");
  kill("c", "timeout", "third");
  CommandProcess process = watch();
  ASSERT_TRUE(process.wait_for_page(">   3 "));
  process.type("a");
  ASSERT_TRUE(process.wait_for_page("assign SEQ 3 to (empty: nobody): bob_"));
  process.type(
      "\x7f\x7f\x7f"
      "ann\r");
  ASSERT_TRUE(process.wait_for_page("assigned 1 dead letter to ann"));
  EXPECT_EQ(letter(3).triage.assignee, "ann");
  EXPECT_EQ(letter(3).triage.audit.back().actor, "bob");
  process.type("jx");
  ASSERT_TRUE(process.wait_for_page("abandon SEQ 2? [y/N]"));
  process.type("n");
  ASSERT_TRUE(process.wait_for_page("nothing was touched"));
  process.type("xy");
  ASSERT_TRUE(process.wait_for_page("abandoned 1 dead letter"));
  EXPECT_EQ(letter(2).triage.status, DeadLetterStatus::kAbandoned);
  process.type("jr");
  ASSERT_TRUE(process.wait_for_page("redrive SEQ 1? [y/N]"));
  process.type("y");
  ASSERT_TRUE(process.wait_for_page("redrove 1 dead letter"));
  EXPECT_EQ(must(engine_->receive("orders")).at(0).body, "a");
  process.type("q");
  EXPECT_EQ(process.exit_status(), 0);
}

// The server does not answer what the watch has asked.
TEST_F(Watch, IsLeftThoughTheServerSaysNothing) {
  kill("a", "timeout", "first");
  holdfast::testing::HoldingProxy proxy(server_->addresses().front());
  CommandProcess process({"--server", proxy.address(), "dlq", "watch", "orders-dlq", "--every", "1h"}, {});
  ASSERT_TRUE(process.wait_for_page(">   1 "));
  proxy.hold_answers();
  process.type("xy");
  proxy.wait_for_answer();
  process.type("q");
  EXPECT_EQ(process.exit_status(), 18);
  EXPECT_EQ(letter(1).triage.status, DeadLetterStatus::kAbandoned);
}

TEST_F(Watch, TellsWhatFailsWhileItIsLeft) {
  kill("a", "timeout", "first");
  CommandProcess process = watch({"--every", "1h"});
  ASSERT_TRUE(process.wait_for_page(">   1 "));
  for (const char* queue : {"orders", "orders-dlq"}) must(engine_->delete_queue(queue));
  process.type("xyq");
  EXPECT_EQ(process.exit_status(), 4);
}

TEST_F(Watch, FiltersByWhatIsTypedAndByGroup) {
  kill("a", "timeout", "the warehouse was silent");
  kill("b", "validation", "quantity must be > 0");
  kill("c", "validation", "quantity must be > 0");
  CommandProcess process = watch({"--status", "new"});
  ASSERT_TRUE(process.wait_for_page("silent"));
  process.type("/category=validation quantity\r");
  ASSERT_TRUE(process.wait_for_page("filter: category=validation quantity"));
  ASSERT_TRUE(process.wait_for_page("in 1 group"));
  EXPECT_THAT(process.page(), Not(HasSubstr("silent")));
  process.type("/ status=asleep\r");
  ASSERT_TRUE(process.wait_for_page(
      "'asleep' is not a known status: new, investigating, fixed, replayed, abandoned"));
  process.type("\x1b");
  ASSERT_TRUE(process.wait_for_page("in 2 groups"));
  process.type("g");
  ASSERT_TRUE(process.wait_for_page("ALIKE"));
  ASSERT_TRUE(process.wait_for_page(">     2 "));
  process.type("x");
  ASSERT_TRUE(process.wait_for_page("abandon all 2 that look alike ("));
  process.type("n\r");
  ASSERT_TRUE(process.wait_for_page("filter: fingerprint="));
  ASSERT_TRUE(process.wait_for_page("in 1 group"));
  process.type("q");
  EXPECT_EQ(process.exit_status(), 0);
}

// A stranger may have put control characters into a body or a reason.
TEST_F(Watch, ShowsNoControlCharacterOfAMessage) {
  kill("\x1b]0;title\x07 body", "c\x1b[5m",
       "reason \x1b[31m\x9b"
       "2J");
  CommandProcess process = watch();
  ASSERT_TRUE(process.wait_for("reason \\x1b[31m\\x9b2J"));
  process.type("\r");
  ASSERT_TRUE(process.wait_for_page("dead letter "));
  process.type("\x1b[6~\x1b[6~");
  ASSERT_TRUE(process.wait_for_page("\\x1b]0;title\\x07 body"));
  process.type("qq");
  EXPECT_EQ(process.exit_status(), 0);
  EXPECT_THAT(process.output_to_end(),
              AllOf(Not(HasSubstr("\x1b]0")), Not(HasSubstr("\x1b[5m")), Not(HasSubstr("\x1b[31m"))));
}

TEST_F(Terminal, StatusMayBeWatched) {
  CommandProcess process(with_server({"status", "--watch", "--every", "50ms"}), {});
  ASSERT_TRUE(process.wait_for_page("orders      0"));
  must(engine_->send("orders", {.body = "x"}));
  EXPECT_TRUE(process.wait_for_page("orders      1"));
  process.type("q");
  EXPECT_EQ(process.exit_status(), 0);
}

// Idle queues do not push what needs attention off the page.
TEST_F(Terminal, StatusShowsWhatNeedsSomebodyHoweverManyQueuesThereAre) {
  for (int i = 0; i < 26; ++i) must(engine_->create_queue("idle-" + std::to_string(i)));
  must(engine_->pause_queue("idle-25", {.sends = true}));
  kill("x", "timeout", "why");
  CommandProcess process(with_server({"status", "--watch", "--color", "never"}), {});
  ASSERT_TRUE(process.wait_for_page("2 need a look: "));
  EXPECT_THAT(process.page(),
              AllOf(HasSubstr("idle-25 (paused: sends)"), HasSubstr("orders-dlq (warning: depth is 1)"),
                    HasSubstr("DEAD LETTER QUEUE"), HasSubstr("\norders-dlq "),
                    HasSubstr("more: a taller terminal or --max shows them\n")));
  process.type("q");
  EXPECT_EQ(process.exit_status(), 0);
}

TEST_F(Terminal, StatusIsWatchedOnATerminalOrAsJson) {
  const auto result = run_command(with_server({"status", "--watch"}));
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("--watch needs a terminal, or --json"));
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace holdfast::command
