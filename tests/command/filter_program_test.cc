// A program of the user decides what a redrive does with each dead letter.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/command/dlq_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

using FilterProgram = DlqTest;

// The program answers each line as a shell script can.
TEST_F(FilterProgram, DecidesWhatHappens) {
  const auto script = dir_ / "decide.sh";
  std::ofstream(script) << R"(while read -r line; do
  case "$line" in
    *'"category":"timeout"'*) echo '{"action":"redrive","body":"new","set_attributes":{"by":"script"}}' ;;
    *'"seq":"1",'*) echo '{"action":"discard"}' ;;
    *) echo '{"action":"skip"}' ;;
  esac
done
)";
  const std::string program = "sh " + script.string();
  const auto planned =
      holdfast_json({"dlq", "redrive", "orders-dlq", "--filter-program", program, "--dry-run"})
          .objects()
          .at(0);
  EXPECT_EQ(planned.at("moved"), 1);
  EXPECT_EQ(planned.at("skipped").get<int>() + planned.at("discarded").get<int>(), 2);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3U);
  EXPECT_THAT(holdfast({"dlq", "redrive", "orders-dlq", "--filter-program", program, "--dry-run"}).out,
              HasSubstr("would redrive 1 message from orders-dlq"));
  const Outcome done =
      holdfast({"dlq", "redrive", "orders-dlq", "--filter-program", program, "--yes", "--actor", "ada"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out, "redrove 1 message from orders-dlq, 1 of them changed; discarded 1; left 1 in place\n");
  const auto message = holdfast_json({"receive", "orders"}).objects().at(0);
  EXPECT_EQ(message.at("body"), "new");
  const std::string shown = holdfast({"dlq", "show", "orders-dlq", message.at("id")}).out;
  EXPECT_THAT(shown, HasSubstr("UTC ada: redriven to orders\n"));
}

// The command may be started by a program that ignores how its children end.
TEST_F(FilterProgram, AnEndThatTheSystemForgetsTouchesNothing) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", "--filter-program",
                                    "sed 's/.*/{\"action\":\"redrive\"}/'; exit 1", "--yes"});
  (void)std::signal(SIGCHLD, before);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("does not say with which status"));
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3U);
}

TEST_F(FilterProgram, ABadFilterProgramTouchesNothing) {
  const auto refused = [this](const std::string& program, const std::string& why) {
    const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", "--filter-program", program, "--yes"});
    EXPECT_EQ(outcome.status, 2) << program;
    EXPECT_THAT(outcome.err, HasSubstr(why));
    EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3U) << program;
  };
  refused("true", "gave 0 answers for");
  refused("cat", "line 1 of the filter program");
  refused("sed 's/.*/{\"action\":\"redrive\"}/'; exit 3", "ended with status 3");
  refused("sed 's/.*/{\"action\":\"burn\"}/'", "neither redrive nor skip nor discard");
  refused("sed 's/.*/{\"action\":\"skip\",\"body\":\"\"}/'", "only redrive takes 'body'");
  const std::string deep = "head -c 100000 /dev/zero | tr '\\0' ";
  refused("while read -r line; do printf '{\"action\":'; " + deep + "'['; " + deep + "']'; echo '}'; done",
          "nested deeper than");
  refused(R"(sed 's/.*/{"action":"skip","action":"discard"}/')", "has the member 'action' twice");
  refused(R"(sed 's/.*/{"action":"redrive","body":"a","body_base64":"Yg=="}/')",
          "body and body_base64 are both given");
  refused("/nowhere/at/all", "ended with status 127");
  refused(R"(sed 's/.*/{"action":"redrive"}/; 3s/.*/{"action":"redrive","set_attributes":{"":"x"}}/')",
          "line 3 of the filter program");
  EXPECT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--filter-program", "cat", "--rate", "3"}).status, 2);
}

TEST_F(FilterProgram, AFilterProgramIsFedWhatShowPrintsOfTextsThatAreNotUtf8) {
  reject("x", "caf\xe9", "na\xefve");
  const auto seen = dir_ / "seen.json";
  const Outcome done = holdfast({"dlq", "redrive", "orders-dlq", "--category", "caf\xe9", "--filter-program",
                                 "tee " + seen.string() + R"( | sed 's/.*/{"action":"skip"}/')"});
  EXPECT_EQ(done.status, 0) << done.err;
  const auto fed = nlohmann::json::parse(std::ifstream(seen));
  EXPECT_EQ(fed.at("category"), "caf\xef\xbf\xbd");
  const std::string seq = fed.at("seq").get<std::string>();
  EXPECT_EQ(fed, holdfast_json({"dlq", "show", "orders-dlq", seq}).objects().at(0));
}

TEST_F(FilterProgram, AFilterProgramIsNotAskedAboutWhatIsAbandoned) {
  const std::string program = R"(sed 's/.*/{"action":"redrive"}/')";
  const auto redrive = [&](std::vector<std::string> which) {
    which.insert(which.begin(), {"dlq", "redrive", "orders-dlq", "--filter-program", program});
    return holdfast(which);
  };
  ASSERT_EQ(holdfast({"dlq", "abandon", "orders-dlq", "1", "2", "--yes"}).status, 0);
  const Outcome skipped =
      holdfast({"dlq", "redrive", "orders-dlq", "--filter-program", R"(sed 's/.*/{"action":"skip"}/')"});
  EXPECT_EQ(skipped.status, 0) << "the program wanted none";
  EXPECT_EQ(redrive({"--dry-run"}).out,
            "would redrive 1 message from orders-dlq, 0 of them changed; discard 0; leave 2 in place: 2 "
            "abandoned\n");
  const Outcome one = redrive({});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out,
            "redrove 1 message from orders-dlq, 0 of them changed; discarded 0; left 2 in place: 2 "
            "abandoned\n");
  const Outcome none = redrive({});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("nothing was moved: left 2 dead letters in orders-dlq: 2 abandoned"));
  // An abandoned dead letter goes back if it is asked for, by name or by its status.
  EXPECT_THAT(redrive({"1"}).out, HasSubstr("redrove 1 message from orders-dlq"));
  EXPECT_THAT(redrive({"--status", "abandoned"}).out, HasSubstr("redrove 1 message from orders-dlq"));
}

TEST_F(FilterProgram, AFilterProgramIsAskedAboutWhatIsThere) {
  const auto asked = dir_ / "asked";
  const std::string program = "tee " + asked.string() + R"( | sed 's/.*/{"action":"redrive"}/')";
  const auto redrive = [&](std::vector<std::string> which) {
    which.insert(which.begin(), {"dlq", "redrive", "orders-dlq", "--filter-program", program});
    return holdfast(which);
  };
  const Outcome none = redrive({"998", "999"});
  EXPECT_EQ(none.status, 7);
  EXPECT_THAT(none.err, HasSubstr("no such dead letter in 'orders-dlq'"));
  EXPECT_FALSE(std::filesystem::exists(asked));
  const Outcome some = redrive({"1", "999"});
  EXPECT_EQ(some.status, 7);
  EXPECT_THAT(some.out, HasSubstr("redrove 1 message from orders-dlq"));
  EXPECT_THAT(some.err, HasSubstr("1 of the 2 dead letters that were named"));
  EXPECT_EQ(redrive({"2", "3", "--max", "1"}).status, 0);
}

TEST_F(FilterProgram, AFilterProgramWhoseRedrivesAreAllRefusedIsNoSuccess) {
  const std::string program = R"(sed 's/.*/{"action":"redrive"}/')";
  const auto redrive = [&] {
    return holdfast({"dlq", "redrive", "orders-dlq", "--category", "timeout", "--max-replays", "1",
                     "--filter-program", program});
  };
  ASSERT_EQ(redrive().status, 0);
  ASSERT_EQ(holdfast({"reject", receive("orders"), "--category", "timeout"}).status, 0);
  const Outcome refused = redrive();
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("nothing was moved: left 1 dead letter in orders-dlq: 1 over the replay limit"));
}

}  // namespace
}  // namespace holdfast::command
