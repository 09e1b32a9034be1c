// The verbs that send, receive, settle, peek at and trace messages: what they print for people and for
// programs, and that a command that is interrupted gives back what it holds.
#include <fstream>

#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/command/command_fixture.h"
#include "tests/command/command_process.h"
#include "tests/support/result_matchers.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class MessageVerbs : public CommandTest {
 protected:
  void SetUp() override { create_orders(); }
};

TEST_F(MessageVerbs, SendAndReceiveForPeople) {
  EXPECT_THAT(holdfast({"send", "orders", "42 widgets", "-a", "correlation-id=c-17"}).out,
              StartsWith("sent "));
  const Outcome outcome = holdfast({"receive", "orders"});
  EXPECT_THAT(outcome.out, HasSubstr("delivery 1"));
  EXPECT_THAT(outcome.out, HasSubstr("  receipt "));
  EXPECT_THAT(outcome.out, HasSubstr("  correlation-id: c-17\n\n  42 widgets\n"));
  EXPECT_THAT(holdfast({"receive", "orders"}).err,
              StartsWith("no messages: 1 is leased; the next lease or wait ends in "));
}

TEST_F(MessageVerbs, NoMessagesSaysWhy) {
  const auto why = [&] { return holdfast({"receive", "orders"}).err; };
  EXPECT_EQ(why(), "no messages\n");
  ASSERT_EQ(holdfast({"send", "orders", "a", "--delay", "1h"}).status, 0);
  EXPECT_THAT(why(), StartsWith("no messages: 1 is scheduled for later; the next lease or wait ends in "));
  ASSERT_EQ(holdfast({"queue", "alter", "orders", "--max-leased", "1"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "b\nc\n").status, 0);
  receive("orders");
  EXPECT_THAT(
      why(), StartsWith("no messages: 1 is leased, as many as the queue allows; 1 is ready; 1 is scheduled"));
}

TEST_F(MessageVerbs, SendAndReceiveForPrograms) {
  const auto sent = holdfast_json({"send", "orders", "42 widgets", "-a", "k=v", "-a", "k=w"}).objects().at(0);
  EXPECT_EQ(sent.at("durability"), "fsync");
  const auto message = holdfast_json({"receive", "orders", "--lease", "5m"}).objects().at(0);
  EXPECT_EQ(message.at("id"), sent.at("id"));
  EXPECT_EQ(message.at("body"), "42 widgets");
  EXPECT_EQ(message.at("deliveries"), 1);
  EXPECT_EQ(message.at("attributes").dump(), R"([{"name":"k","value":"v"},{"name":"k","value":"w"}])");
}

TEST_F(MessageVerbs, BodiesComeFromInputAndFiles) {
  const std::string path = dir_ / "body";
  std::ofstream(path) << "from a file";
  ASSERT_EQ(holdfast({"send", "orders", "-"}, "from\ninput").status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "--file", path}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "--file", "-", "--lines"}, "one\n\nthree").out,
            "sent 3 messages (fsync)\n");
  ASSERT_EQ(holdfast({"send", "orders", "--lines"}, "four\n").out, "sent 1 message (fsync)\n");
  EXPECT_EQ(holdfast({"receive", "orders", "--max", "10", "--raw"}).out,
            "from\ninput\nfrom a file\none\n\nthree\nfour\n");
  EXPECT_EQ(holdfast({"send", "orders"}, "five\n").status, 2);
  EXPECT_EQ(holdfast({"send", "orders", "--file", dir_ / "missing"}).status, 2);
}

TEST_F(MessageVerbs, ARepeatedRequestHasItsEffectOnce) {
  const auto send = [&] {
    return holdfast({"send", "orders", "-", "--lines", "--request-id", "one"}, "a\nb\n").out;
  };
  EXPECT_EQ(send(), "sent 2 messages (fsync)\n");
  EXPECT_EQ(send(), "sent 2 messages (fsync)\n");
  EXPECT_EQ(holdfast({"receive", "orders", "--max", "10", "--raw"}).out, "a\nb\n");
  EXPECT_EQ(holdfast({"send", "orders", "c", "--request-id", "one.0"}).status, 2);
}

TEST_F(MessageVerbs, EmptyBodyIsABodyButNoneIsNot) {
  EXPECT_EQ(holdfast({"send", "orders", ""}).status, 0);
  EXPECT_EQ(holdfast({"send", "orders"}).status, 2);
}

TEST_F(MessageVerbs, BinaryBodiesAreSafeToShow) {
  ASSERT_EQ(holdfast({"send", "orders", "-"}, "\x1b[31m\xff").status, 0);
  EXPECT_EQ(holdfast_json({"receive", "orders", "--lease", "1ms"}).objects().at(0).at("body_base64"),
            "G1szMW3/");
  EXPECT_THAT(holdfast({"receive", "orders", "--wait", "10s"}).out, HasSubstr("  \\x1b[31m\\xff\n"));
}

TEST_F(MessageVerbs, ReceiveWithAckIsDone) {
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\n").status, 0);
  EXPECT_EQ(holdfast({"receive", "orders", "--max", "2", "--ack", "--raw"}).out, "a\nb\n");
  const auto info = holdfast_json({"queue", "describe", "orders"}).objects().at(0);
  EXPECT_EQ(info.at("counts").at("leased"), 0);
  EXPECT_EQ(info.at("totals").at("acked"), 2);
}

TEST_F(MessageVerbs, RawBodiesAreNoJson) {
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  const Outcome both = holdfast_json({"receive", "orders", "--raw", "--ack"});
  EXPECT_EQ(both.status, 2);
  EXPECT_EQ(both.error().at("error"), "invalid_argument");
  EXPECT_EQ(both.out, "");
  EXPECT_EQ(holdfast({"receive", "orders", "--raw"}).out, "a\n") << "nothing was received before";
}

// The receipt would name a delivery that is over.
TEST_F(MessageVerbs, ReceiveWithAckPrintsNoReceipt) {
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\n").status, 0);
  EXPECT_THAT(holdfast({"receive", "orders", "--ack"}).out, ::testing::Not(HasSubstr("receipt")));
  EXPECT_FALSE(holdfast_json({"receive", "orders", "--ack"}).objects().at(0).contains("receipt"));
}

TEST_F(MessageVerbs, TheLastLineBreakMayBeLeftOut) {
  for (const char* input : {"a\n", "a\r\n", "a"})
    ASSERT_EQ(holdfast({"send", "orders", "-", "--strip-newline"}, input).status, 0);
  EXPECT_EQ(holdfast({"receive", "orders", "--max", "3", "--ack", "--raw"}).out, "a\na\na\n");
  ASSERT_EQ(holdfast({"send", "orders", "-"}, "a\n").status, 0);
  EXPECT_EQ(holdfast_json({"receive", "orders"}).objects().at(0).at("body"), "a\n");
  EXPECT_EQ(holdfast({"send", "orders", "-", "--lines", "--strip-newline"}, "a\n").status, 2);
}

// The pipe stays open, but no line waits for the rest of the input.
TEST_F(MessageVerbs, LinesAreSentWhenTheirInputPauses) {
  CommandProcess send({"--data", dir_ / "data", "--json", "send", "orders", "-", "--lines"});
  send.type("a\nb\nhalf a li");
  EXPECT_TRUE(send.wait_for_lines(2));
  send.type("ne\n");
  EXPECT_TRUE(send.wait_for_lines(3));
  send.close_input();
  EXPECT_EQ(send.exit_status(), 0);
  EXPECT_EQ(holdfast({"receive", "orders", "--max", "10", "--raw"}).out, "a\nb\nhalf a line\n");
}

TEST_F(MessageVerbs, LinesSayWhatBecameOfThem) {
  ASSERT_EQ(holdfast({"queue", "create", "once", "--dedup", "content", "--max-body-bytes", "3",
                      "--durability", "buffered"})
                .status,
            0);
  const Outcome outcome = holdfast({"send", "once", "-", "--lines"}, "a\nfour\nb\na\n");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, "sent 2 messages (buffered), 1 was sent before, 1 line was refused\n");
}

TEST_F(MessageVerbs, CtrlCGivesBackWhatIsHeld) {
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\n").status, 0);
  CommandProcess follow({"--data", dir_ / "data", "receive", "orders", "--follow"});
  ASSERT_TRUE(follow.wait_for("  b\n"));
  follow.signal(SIGINT);
  EXPECT_EQ(follow.exit_status(), 128 + SIGINT);
  const auto counts = holdfast_json({"queue", "describe", "orders"}).objects().at(0).at("counts");
  EXPECT_EQ(counts.at("ready"), 2);
  EXPECT_EQ(counts.at("leased"), 0);
  // The delivery was not charged.
  EXPECT_EQ(holdfast_json({"receive", "orders"}).objects().at(0).at("deliveries"), 1);
}

// One call gives back no more than a batch may have.
TEST_F(MessageVerbs, CtrlCGivesBackMoreThanABatch) {
  std::string lines;
  for (std::size_t i = 0; i <= limits::kBatchEntries; ++i) lines += "x\n";
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, lines + "last\n").status, 0);
  CommandProcess follow(
      {"--data", dir_ / "data", "receive", "orders", "--follow", "--max", "1000", "--lease", "10m", "--raw"});
  ASSERT_TRUE(follow.wait_for("last\n"));
  follow.signal(SIGINT);
  EXPECT_EQ(follow.exit_status(), 128 + SIGINT);
  EXPECT_EQ(holdfast_json({"queue", "describe", "orders"}).objects().at(0).at("counts").at("leased"), 0);
}

TEST_F(MessageVerbs, APeekThatStoppedSaysSoToPrograms) {
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\nc\n").status, 0);
  const Outcome stopped = holdfast_json({"peek", "orders", "-n", "2"});
  EXPECT_EQ(stopped.error().at("more"), true);
  const std::string from = stopped.error().at("from");
  EXPECT_EQ(holdfast_json({"peek", "orders", "--from", from}).objects().size(), 1U);
  EXPECT_EQ(holdfast_json({"peek", "orders"}).err, "");
}

TEST_F(MessageVerbs, ATerminalThatIsClosedGivesBackToo) {
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  CommandProcess follow({"--data", dir_ / "data", "receive", "orders", "--follow"});
  ASSERT_TRUE(follow.wait_for("  a\n"));
  follow.signal(SIGHUP);
  EXPECT_EQ(follow.exit_status(), 128 + SIGHUP);
  EXPECT_EQ(holdfast_json({"queue", "describe", "orders"}).objects().at(0).at("counts").at("ready"), 1);
}

TEST_F(MessageVerbs, AReaderThatGoesAwayGivesBackToo) {
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  CommandProcess follow({"--data", dir_ / "data", "receive", "orders", "--follow"});
  ASSERT_TRUE(follow.wait_for("  a\n"));
  follow.close_output();
  follow.signal(SIGPIPE);  // a write to a closed pipe raises it
  EXPECT_EQ(follow.exit_status(), 128 + SIGPIPE);
  EXPECT_EQ(holdfast_json({"queue", "describe", "orders"}).objects().at(0).at("counts").at("ready"), 1);
}

TEST_F(MessageVerbs, WhatCannotBeReadSaysWhy) {
  EXPECT_THAT(holdfast({"send", "orders", "--file", dir_ / "missing"}).err,
              HasSubstr("missing': No such file or directory"));
  EXPECT_THAT(holdfast({"send", "orders", "--file", dir_.path()}).err, HasSubstr("': Is a directory"));
  EXPECT_THAT(holdfast({"redrive", "orders-dlq", "--patch", dir_ / "missing"}).err,
              HasSubstr("missing': No such file or directory"));
}

TEST_F(MessageVerbs, AckSettlesOnce) {
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  const std::string receipt = receive("orders");
  EXPECT_EQ(holdfast({"ack", receipt}).out, "acknowledged " + receipt + "\n");
  const Outcome again = holdfast_json({"ack", receipt});
  EXPECT_NE(again.status, 0);
  EXPECT_EQ(again.error().at("receipt"), receipt);
  EXPECT_EQ(again.error().at("exit_status"), again.status);
}

TEST_F(MessageVerbs, ExtendAndReleaseGiveTheMessageBack) {
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  const std::string first = receive("orders");
  EXPECT_EQ(holdfast({"extend", first, "--lease", "1h"}).status, 0);
  EXPECT_EQ(holdfast({"release", first, "--uncharged"}).status, 0);
  const auto message = holdfast_json({"receive", "orders"}).objects().at(0);
  EXPECT_EQ(message.at("deliveries"), 1);
  EXPECT_EQ(holdfast({"release", message.at("receipt"), "--delay", "1h"}).status, 0);
  const auto info = holdfast_json({"queue", "describe", "orders"}).objects().at(0);
  EXPECT_EQ(info.at("counts").at("waiting"), 1);
}

TEST_F(MessageVerbs, PeekShowsWithoutReceiving) {
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\nc\n").status, 0);
  receive("orders");
  const auto all = holdfast_json({"peek", "orders", "--bodies"}).objects();
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].at("state"), "leased");
  EXPECT_EQ(all[1].at("state"), "ready");
  EXPECT_EQ(all[1].at("body"), "b");
  const std::string from = all[1].at("seq").get<std::string>();
  EXPECT_EQ(holdfast_json({"peek", "orders", "--from", from, "-n", "1"}).objects().at(0).at("id"),
            all[1].at("id"));
  EXPECT_THAT(holdfast({"peek", "orders", "--id", all[2].at("id")}).out, HasSubstr(all[2].at("id")));
  EXPECT_THAT(holdfast({"peek", "orders", "-n", "1"}).err, HasSubstr("more: --from "));
  EXPECT_EQ(holdfast({"peek", "orders", "--id", "nonsense"}).status, 2);
  EXPECT_EQ(holdfast({"peek", "orders-dlq"}).err, "no messages\n");
  EXPECT_EQ(holdfast({"peek", "orders", "--from", "1000"}).err, "no messages from 1000 on\n");
}

TEST_F(MessageVerbs, TraceTellsWhereAMessageHasBeen) {
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders", "--journal", "entries=1000", "--journal", "keep=7d"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "orders"}).out,
              HasSubstr("journal          1000 entries, for 7d\n"));
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  const auto message = holdfast_json({"receive", "orders"}).objects().at(0);
  const std::string id = message.at("id");
  ASSERT_EQ(holdfast({"reject", message.at("receipt"), "--category", "poison", "--reason", "bad"}).status, 0);
  const auto steps = holdfast_json({"history", id}).objects();
  ASSERT_EQ(steps.size(), 3);
  EXPECT_EQ(steps[0].at("step"), "sent");
  EXPECT_EQ(steps[1].at("step"), "delivered");
  EXPECT_EQ(steps[2].at("step"), "dead_lettered");
  EXPECT_EQ(steps[2].at("to"), "orders-dlq");
  EXPECT_EQ(steps[2].at("category"), "poison");
  EXPECT_EQ(steps[2].at("cause"), "rejected");
  EXPECT_EQ(steps[1].at("consumer").at("instance"), "holdfast");
  EXPECT_TRUE(steps[0].at("cause").is_null());
  EXPECT_TRUE(steps[0].at("until").is_null());
  EXPECT_THAT(holdfast({"history", id}).out, HasSubstr("to orders-dlq, delivery 1, rejected, poison, bad"));
  EXPECT_THAT(holdfast({"history", "01890a5d-ac96-774b-bcce-b302099a8057"}).err,
              HasSubstr("no queue remembers"));
  EXPECT_EQ(holdfast({"history", "nonsense"}).status, 2);
}

TEST_F(MessageVerbs, AHistoryThatIsTooLongSaysThatItsBeginIsLeftOut) {
  using holdfast::testing::must;
  ASSERT_EQ(holdfast({"queue", "alter", "orders", "--journal", "entries=20000"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  const auto message = holdfast_json({"receive", "orders", "--lease", "1h"}).objects().at(0);
  const std::string id = message.at("id");
  EXPECT_EQ(holdfast_json({"history", id}).err, "");
  {
    Engine engine = must(Engine::open(dir_ / "data"));
    const std::vector<Receipt> again(limits::kHistorySteps - 1,
                                     must(Receipt::parse(message.at("receipt").get<std::string>())));
    for (const auto& extended : must(engine.extend_batch(again, std::chrono::hours(1)))) must(extended);
  }
  const Outcome cut = holdfast_json({"history", id});
  EXPECT_EQ(cut.status, 0);
  const auto steps = cut.objects();
  ASSERT_EQ(steps.size(), limits::kHistorySteps);
  EXPECT_EQ(steps.front().at("step"), "delivered") << "the send is the step that is left out";
  EXPECT_EQ(steps.back().at("step"), "extended");
  EXPECT_EQ(cut.error(), (nlohmann::json{{"truncated", true}}));
  EXPECT_EQ(holdfast({"history", id}).err, "earlier steps were left out\n");
}

TEST_F(MessageVerbs, ProgramsAreToldWhatBecameOfEachReceipt) {
  const auto settled = [&](const std::string& verb, const std::string& receipt, const std::string& outcome) {
    EXPECT_EQ(holdfast_json({verb, receipt}).objects().at(0),
              (nlohmann::json{{"receipt", receipt}, {"outcome", outcome}}))
        << verb;
  };
  for (const char* body : {"a", "b"}) ASSERT_EQ(holdfast({"send", "orders", body}).status, 0);
  const std::string first = receive("orders");
  settled("extend", first, "extended");
  settled("release", first, "released");
  const auto prefetched = holdfast_json({"receive", "orders", "--prefetch"}).objects().at(0);
  settled("start", prefetched.at("receipt"), "started");
  settled("ack", prefetched.at("receipt"), "acknowledged");
  settled("reject", receive("orders"), "rejected");
  const Outcome over = holdfast_json({"ack", first});
  EXPECT_NE(over.status, 0);
  EXPECT_EQ(over.error().at("receipt"), first);
  EXPECT_EQ(over.out, "");
}

TEST_F(MessageVerbs, PeekShowsWhatWaits) {
  ASSERT_EQ(holdfast({"send", "orders", "a", "--delay", "1h"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "b", "--delay", "2h"}).status, 0);
  EXPECT_THAT(holdfast({"peek", "orders"}).err, StartsWith("no messages: 2 are scheduled for later; "));
  const auto all = holdfast_json({"peek", "orders", "--scheduled", "--bodies"}).objects();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].at("body"), "a");
  EXPECT_EQ(all[0].at("state"), "waiting");
  const std::string second = all[1].at("scheduled");
  EXPECT_EQ(holdfast_json({"peek", "orders", "--scheduled", "--from", second}).objects().at(0).at("id"),
            all[1].at("id"));
  EXPECT_THAT(holdfast({"peek", "orders", "--scheduled", "-n", "1"}).err,
              HasSubstr("more: --from " + second));
  EXPECT_THAT(holdfast({"peek", "orders", "--id", all[1].at("id")}).out, HasSubstr(second));
  EXPECT_EQ(holdfast({"peek", "orders", "--scheduled", "--from", "7"}).status, 2);
}

TEST_F(MessageVerbs, ReleaseToTheTailLetsTheOthersGoFirst) {
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\n").status, 0);
  EXPECT_EQ(holdfast({"release", receive("orders"), "--to-tail"}).status, 0);
  EXPECT_EQ(holdfast_json({"receive", "orders"}).objects().at(0).at("body"), "b");
}

TEST_F(MessageVerbs, StartCountsAPrefetchedDelivery) {
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  const auto first = holdfast_json({"receive", "orders", "--prefetch"}).objects().at(0);
  ASSERT_EQ(holdfast({"release", first.at("receipt")}).status, 0);
  const std::string second = holdfast_json({"receive", "orders", "--prefetch"}).objects().at(0).at("receipt");
  EXPECT_EQ(holdfast({"start", second}).out, "started " + second + "\n");
  ASSERT_EQ(holdfast({"release", second}).status, 0);
  EXPECT_EQ(holdfast_json({"receive", "orders"}).objects().at(0).at("deliveries"), 2);
}

TEST_F(MessageVerbs, SendMayWait) {
  ASSERT_EQ(holdfast({"send", "orders", "a", "--delay", "1h"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "b", "--visible-at", "2020-01-01T00:00:00.5Z"}).status, 0);
  EXPECT_EQ(holdfast({"send", "orders", "c", "--visible-at", "tomorrow"}).status, 2);
  EXPECT_EQ(holdfast({"send", "orders", "d", "--delay", "1h", "--visible-at", "2020-01-01T00:00:00Z"}).status,
            2);
  const auto info = holdfast_json({"queue", "describe", "orders"}).objects().at(0);
  EXPECT_EQ(info.at("counts").at("waiting"), 1);
  EXPECT_EQ(info.at("counts").at("ready"), 1);
}

TEST_F(MessageVerbs, MissingQueueHasItsExitStatus) {
  const Outcome outcome = holdfast_json({"send", "nowhere", "a"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.error().at("error"), "queue_not_found");
  EXPECT_EQ(holdfast({"receive", "nowhere"}).status, 4);
}

TEST_F(MessageVerbs, LinesThatDoNotFitAreNamed) {
  const std::string long_line((1 << 20) + 1, 'x');
  const Outcome outcome = holdfast_json({"send", "orders", "-", "--lines"}, "a\n" + long_line + "\nb\n");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.error().at("line"), 2);
  EXPECT_EQ(outcome.objects().size(), 2);
}

TEST_F(MessageVerbs, LinesThatBreakOffAreNoSuccess) {
  BrokenBuffer buffer("a\nb\nhalf a li");
  std::istream lines(&buffer);
  const Outcome outcome = holdfast({"send", "orders", "-", "--lines"}, lines);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("stopped after line 2: sent 2 messages (fsync)\n"));
  EXPECT_THAT(outcome.err, HasSubstr("cannot read standard input"));
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(holdfast({"receive", "orders", "--max", "10", "--raw"}).out, "a\nb\n");
}

TEST_F(MessageVerbs, ABodyThatBreaksOffIsNotSent) {
  BrokenBuffer buffer("half a bo");
  std::istream body(&buffer);
  const Outcome outcome = holdfast({"send", "orders", "-"}, body);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot read standard input"));
  EXPECT_EQ(holdfast({"receive", "orders"}).err, "no messages\n");
}

}  // namespace
}  // namespace holdfast::command
