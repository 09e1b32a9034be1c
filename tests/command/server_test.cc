// The command against a server: verbs do the same as on a directory, drain and resume take the server out of
// service and back, and an error says what to do about it.
#include "server/net/server.h"

#include <atomic>
#include <fstream>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/queues/operations_conversion.h"
#include "schema/tls/tls.h"
#include "server/access/tokens.h"
#include "tests/client/fake_server.h"
#include "tests/command/command_fixture.h"
#include "tests/support/certificates.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::command {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ServerVerbs : public ::testing::Test {
 protected:
  Outcome holdfast(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--server", server_->addresses().front(), "--json"});
    return run_command(arguments);
  }

  holdfast::testing::TempDir dir_;
  Result<Engine> engine_ = Engine::open(dir_ / "data");
  Result<server::Server> server_ = server::Server::start(*engine_, {.listen = {"127.0.0.1:0"}});
};

TEST_F(ServerVerbs, AreTheSameAsOnADirectory) {
  ASSERT_TRUE(server_) << server_.error().message;
  ASSERT_EQ(
      holdfast({"queue", "create", "orders", "--dead-letter-queue", "orders-dlq", "--create-missing"}).status,
      0);
  ASSERT_EQ(holdfast({"send", "orders", "0 widgets"}).status, 0);
  const auto message = holdfast({"receive", "orders"}).objects().at(0);
  ASSERT_EQ(holdfast({"reject", message.at("receipt"), "--category", "validation"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "list", "orders-dlq"}).objects().at(0).at("message_id"), message.at("id"));
  EXPECT_EQ(holdfast({"redrive", "orders-dlq", "--yes"}).objects().at(0).at("moved"), 1);
  EXPECT_EQ(holdfast({"receive", "orders", "--ack"}).objects().at(0).at("replays"), 1);
  EXPECT_EQ(holdfast({"queue", "describe", "nowhere"}).status, 4);
}

TEST_F(ServerVerbs, AnAlertThatWaitsToClearSaysWhen) {
  ASSERT_EQ(
      holdfast({"queue", "create", "orders", "--dead-letter-queue", "orders-dlq", "--create-missing"}).status,
      0);
  ASSERT_EQ(holdfast({"send", "orders", "0 widgets"}).status, 0);
  const auto message = holdfast({"receive", "orders"}).objects().at(0);
  ASSERT_EQ(holdfast({"reject", message.at("receipt")}).status, 0);
  ASSERT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--all", "--yes"}).status, 0);
  const std::vector<std::string> to_server = {"--server", server_->addresses().front()};
  const auto text = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), to_server.begin(), to_server.end());
    return run_command(arguments).out;
  };
  EXPECT_THAT(text({"queue", "list"}), HasSubstr("warning: depth is 0, clears in "));
  EXPECT_THAT(text({"queue", "describe", "orders-dlq"}), HasSubstr(", clears in "));
  const auto alert = holdfast({"queue", "describe", "orders-dlq"}).objects().at(0).at("alerts").at(0);
  EXPECT_THAT(alert.at("clears_at").get<std::string>(), HasSubstr("T"));
}

TEST_F(ServerVerbs, FollowGoesOnUntilAnError) {
  ASSERT_EQ(holdfast({"queue", "create", "orders"}).status, 0);
  std::jthread others([this] {
    for (std::uint64_t i = 0; i < 3; ++i) {
      if (!engine_->send("orders", {.body = std::to_string(i)})) return;
      while (engine_->describe_queue("orders")->totals.acked <= i) std::this_thread::yield();
    }
    (void)engine_->delete_queue("orders");
  });
  const Outcome outcome = holdfast({"receive", "orders", "--ack", "--follow"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.objects().size(), 3U);
  EXPECT_EQ(holdfast({"receive", "orders", "--follow", "--wait", "1s"}).status, 2);
}

// The clocks of the server and of this machine are days apart.
class ServerOfAnotherTime : public ::testing::TestWithParam<Duration> {
 protected:
  Outcome holdfast(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--server", server_->addresses().front()});
    return run_command(arguments);
  }

  holdfast::testing::TempDir dir_;
  holdfast::testing::ManualClock clock_{system_clock().now() + GetParam()};
  Result<Engine> engine_ = Engine::open(dir_ / "data", {.clock = &clock_, .background = false});
  Result<server::Server> server_ = server::Server::start(*engine_, {.listen = {"127.0.0.1:0"}});
};

INSTANTIATE_TEST_SUITE_P(Apart, ServerOfAnotherTime,
                         ::testing::Values(std::chrono::hours(-48), std::chrono::hours(48)),
                         [](const auto& test) { return test.param < Duration{0} ? "Behind" : "Ahead"; });

TEST_P(ServerOfAnotherTime, TakesAgesByItsOwn) {
  using namespace std::chrono_literals;
  using holdfast::testing::must;
  must(engine_->create_queue("orders-dlq"));
  must(engine_->create_queue("orders", {.lease = 90s, .dead_letters = {.queue = "orders-dlq"}},
                             MissingQueues::kCreate));
  const auto kill = [&] {
    must(engine_->send("orders", {.body = "x"}));
    must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {}));
  };
  kill();
  clock_.advance(25h);
  kill();
  clock_.advance(30min);
  EXPECT_THAT(holdfast({"dlq", "list", "orders-dlq", "--newer-than", "1h"}).out, HasSubstr(" 30m "));
  EXPECT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--older-than", "1d", "--yes"}).out,
            "discarded 1 dead letter of orders-dlq\n");
  must(engine_->send("orders", {.body = "x"}));
  const std::string received = holdfast({"receive", "orders"}).out;
  EXPECT_THAT(received, ContainsRegex("lease ends in 1 min (30|2[0-9]) s"));
  EXPECT_THAT(received, ContainsRegex("sent [0-9]+s ago"));
}

TEST(Server, WhoseArchiveFailsSaysSoInStatus) {
  using namespace std::chrono_literals;
  using holdfast::testing::must;
  const holdfast::testing::TempDir dir;
  holdfast::testing::ManualClock clock;
  const auto blocked = dir / "a file";
  std::ofstream(blocked) << "no directory";
  Engine engine =
      must(Engine::open(dir / "data", {.clock = &clock, .background = false, .archive_directory = blocked}));
  auto server = must(server::Server::start(engine, {.listen = {"127.0.0.1:0"}}));
  const auto status = [&] { return run_command({"--server", server.addresses().front(), "status"}).out; };
  must(engine.create_queue("orders-dlq", {.retention = {.abandoned = 1h}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "x"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  must(engine.change_dead_letters("orders-dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  EXPECT_THAT(status(), Not(HasSubstr("archive")));
  clock.advance(2h);
  (void)engine.run_due();
  // The command's own time goes on from the server's hello. A text in days and hours hides that.
  clock.advance(50h);
  EXPECT_THAT(status(), HasSubstr("archiving has failed for 2 d 2 h, so retention deletes nothing: "));
}

TEST(Server, IsReachedOverTls) {
  using namespace holdfast::testing;
  const TempDir dir;
  TestAuthority authority(dir / "certificates");
  const auto files = authority.issue("server", "IP:127.0.0.1");
  auto engine = must(Engine::open(dir / "data"));
  const auto tls = transport::TlsContext::for_server(
      {.certificate = files.certificate, .key = files.key, .ca = authority.file()});
  const auto server =
      must(server::Server::start(engine, {.listen = {"tls://127.0.0.1:0"}, .tls = must(tls)}));
  const auto mine = authority.issue("ann");
  const auto list = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"queue", "list", "--server", server.addresses().front()});
    return run_command(more);
  };
  const Outcome distrust = list({});
  EXPECT_EQ(distrust.status, 20);
  EXPECT_THAT(distrust.err, HasSubstr("hint: --server-ca names who signs"));
  const std::string ca = authority.file().string();
  EXPECT_EQ(list({"--server-ca", ca}).status, 20);
  EXPECT_EQ(list({"--server-ca", ca, "--client-certificate", mine.certificate.string(), "--client-key",
                  mine.key.string()})
                .status,
            0);
  EXPECT_EQ(run_command({"queue", "list", "--server", "127.0.0.1:1", "--server-ca", ca}).status, 2);
}

// The holder of a token cannot pose as somebody else in the audit.
TEST(ServerWithTokens, NamesTheTokenInTheAudit) {
  const holdfast::testing::TempDir dir;
  auto engine = Engine::open(dir / "data");
  ASSERT_TRUE(engine);
  const std::vector<server::TokenEntry> entries{
      {server::hash_of("secret"), {.name = "op", .grants = {*server::parse_grant("all:*")}}}};
  auto server = server::Server::start(
      *engine, {.listen = {"127.0.0.1:0"}, .tokens = std::make_shared<const server::Tokens>(entries)});
  ASSERT_TRUE(server);
  auto client = Client::connect(server->addresses().front(), {.token = "secret"});
  ASSERT_TRUE(client);
  ASSERT_TRUE(
      client->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  ASSERT_TRUE(client->send("orders", {.body = "x"}));
  ASSERT_TRUE(client->reject(client->receive("orders")->front().receipt, {}));
  const auto assign = [&](const std::string& actor, const std::string& to) {
    return client->change_dead_letters("orders-dlq", {.all = true, .actor = actor}, {.assignee = to});
  };
  ASSERT_TRUE(assign("carol", "a"));
  ASSERT_TRUE(assign("", "b"));
  ASSERT_TRUE(assign("op", "c"));
  ASSERT_TRUE(assign(std::string(limits::kActorBytes, 'x'), "d"));
  EXPECT_FALSE(assign(std::string(limits::kActorBytes + 1, 'x'), "e"));
  ASSERT_TRUE(client->redrive("orders-dlq", {.actor = "ann"}));
  const auto letters = client->list_dead_letters("orders-dlq", {.filter = {.history = true}});
  ASSERT_TRUE(letters);
  std::vector<std::string> actors;
  for (const AuditEntry& entry : letters->items.at(0).triage.audit) actors.push_back(entry.actor);
  EXPECT_THAT(actors,
              ::testing::ElementsAre("op (carol)", "op", "op",
                                     "op (" + std::string(limits::kActorBytes - 5, 'x') + ")", "op (ann)"));
}

TEST_F(ServerVerbs, OutputThatCannotBeWrittenIsNoSuccess) {
  ASSERT_EQ(holdfast({"queue", "create", "orders"}).status, 0);
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"queue", "list"}, {"stats"}, {"dlq", "stats", "orders"}, {"--version"}}) {
    std::vector<std::string> arguments{"--server", server_->addresses().front()};
    arguments.insert(arguments.end(), verb.begin(), verb.end());
    std::istringstream in;
    std::ostringstream err;
    std::ofstream full("/dev/full");
    EXPECT_EQ(run(arguments, in, full, err), 12) << verb.front();
    EXPECT_THAT(err.str(), HasSubstr("the output could not be written")) << verb.front();
  }
}

TEST_F(ServerVerbs, DrainTakesAServerOutOfServiceAndResumePutsItBack) {
  const std::string address = "unix:" + (dir_ / "socket").string();
  const auto local = server::Server::start(*engine_, {.listen = {address}});
  ASSERT_TRUE(local);
  const auto on_it = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", address, "--json"});
    return run_command(arguments);
  };
  auto consumer = Client::connect(address);
  ASSERT_TRUE(consumer);
  ASSERT_TRUE(consumer->create_queue("orders"));
  ASSERT_TRUE(consumer->send("orders", {.body = "x"}));
  const auto held = consumer->receive("orders");
  ASSERT_TRUE(held);

  const Outcome late = on_it({"drain", "--stay", "--timeout", "0s"});
  EXPECT_EQ(late.status, 1);
  EXPECT_EQ(late.objects().back().at("in_flight"), 1);
  EXPECT_EQ(late.objects().back().at("over"), true);
  EXPECT_EQ(on_it({"drain", "--stay", "--no-wait"}).objects().back().at("over"), false);
  EXPECT_EQ(on_it({"drain", "--status"}).objects().back().at("exits"), false);
  ASSERT_TRUE(consumer->ack(held->front().receipt));
  const Outcome drained = on_it({"drain", "--stay"});
  EXPECT_EQ(drained.status, 0);
  EXPECT_EQ(drained.objects().back().at("in_flight"), 0);
  EXPECT_EQ(on_it({"resume"}).objects().back().at("draining"), false);
  EXPECT_EQ(on_it({"send", "orders", "y"}).status, 0);
  EXPECT_EQ(run_command({"--server", address, "drain", "--status"}).out,
            "not draining, 0 messages in flight\n");
  EXPECT_EQ(run_command({"drain", "--data", (dir_ / "data").string()}).status, 2);
}

// Drains a server that has so many messages in flight, and that answers from then on as the test says.
Outcome drain_with(std::uint64_t in_flight, bool over,
                   holdfast::testing::Handler<holdfast::testing::DrainStatusContext> then) {
  const auto answer = [=](auto&, auto& context, int) -> kj::Promise<void> {
    const DrainStatus status{.draining = true, .exits = true, .over = over, .in_flight = in_flight};
    convert::write(Result<DrainStatus>(status), context.getResults());
    return kj::READY_NOW;
  };
  const holdfast::testing::FakeServer server({.drain = answer, .drain_status = std::move(then)});
  return run_command({"--server", server.address(), "drain"});
}

auto answering(Result<DrainStatus> status) {
  return [status](auto&, auto& context, int) -> kj::Promise<void> {
    convert::write(status, context.getResults());
    return kj::READY_NOW;
  };
}

TEST(Server, IsDrainedOnceItHasSaidThatItHasEnded) {
  DrainStatus last{.draining = true, .exits = true, .over = true, .ended = true};
  const Outcome drained = drain_with(0, true, answering(last));
  EXPECT_EQ(drained.status, 0);
  EXPECT_EQ(
      drained.out,
      "drained, 0 messages in flight; the server ends\nthe server has ended, its data directory is free\n");
  last.in_flight = 1;
  EXPECT_EQ(drain_with(1, false, answering(last)).status, 1);
}

// Nobody knows whether another server may be started.
TEST(Server, ThatIsGoneWithoutAWordWasNotDrained) {
  for (const bool over : {false, true}) {
    const auto closed = answering(fail(ErrorCode::kClosed, "closing"));
    for (const Outcome& outcome :
         {drain_with(1, over, closed), drain_with(1, over, holdfast::testing::kHangUp)}) {
      EXPECT_EQ(outcome.status, 1);
      EXPECT_EQ(
          outcome.err,
          "holdfast: the server no longer answers. It last reported 1 message in flight. It is not known "
          "whether it has ended and its data directory is free.\n");
    }
  }
}

// The server begins a redrive, and does not say how far it is.
TEST(Server, ThatHasBegunARedriveMayHaveMovedMessages) {
  const holdfast::testing::FakeServer server({.redrive = [](auto&, auto& context, int) -> kj::Promise<void> {
    convert::write(Result<Redriven>(Redriven{.task = TaskId{7}}), context.getResults());
    return kj::READY_NOW;
  }});
  const Outcome outcome =
      run_command({"--server", server.address(), "redrive", "orders-dlq", "--category", "timeout"});
  EXPECT_EQ(outcome.status, 18);
  EXPECT_THAT(outcome.err, HasSubstr("task 7 was started"));
}

// A filter program's redrive is several calls, and a later one fails.
TEST(Server, ThatFailsAfterItHasMovedSomeHasMovedSome) {
  DeadLetterPage page;
  page.items.resize(2);
  for (DeadLetter& letter : page.items) letter.record.cause = DeathCause::kRejected;
  page.items[0].seq = Seq{1};
  page.items[1].seq = Seq{2};
  const auto redrive = [&page](int moves) {
    const holdfast::testing::FakeServer server(
        {.redrive = [moves](auto&, auto& context, int n) -> kj::Promise<void> {
           Result<Redriven> answer = fail(ErrorCode::kStorageFailed, "no fsync");
           if (n <= moves) answer = Redriven{.task = TaskId{7}, .moved = 1};
           convert::write(answer, context.getResults());
           return kj::READY_NOW;
         },
         .list = [&page](auto&, auto& context, int) -> kj::Promise<void> {
           convert::write(Result<DeadLetterPage>(page), context.getResults());
           return kj::READY_NOW;
         }});
    return run_command({"--server", server.address(), "dlq", "redrive", "orders-dlq", "--filter-program",
                        R"(sed 's/.*/{"action":"redrive","body":"new"}/')"});
  };
  const Outcome some = redrive(1);
  EXPECT_EQ(some.status, 18) << some.err;
  EXPECT_THAT(some.out, HasSubstr("redrove 1 message from orders-dlq"));
  EXPECT_THAT(some.err, HasSubstr("a part is done, then: no fsync"));
  const Outcome none = redrive(0);
  EXPECT_EQ(none.status, 12) << none.err;
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(redrive(2).status, 0);
}

// A letter dies after the dry run has found none, so nobody was asked about it.
TEST(Server, WhereNothingIsToBeChangedIsAskedOnce) {
  const auto answer = [](auto&, auto& context, int n) -> kj::Promise<void> {
    const BulkPartChanged changed{.changed = {.changed = n == 1 ? 0U : 1U}};
    convert::write(Result<BulkPartChanged>(changed), context.getResults());
    return kj::READY_NOW;
  };
  const holdfast::testing::FakeServer server({.change = answer, .discard = answer});
  const Outcome discarded =
      run_command({"--server", server.address(), "dlq", "discard", "orders-dlq", "--all"});
  EXPECT_EQ(discarded.status, 0) << discarded.err;
  EXPECT_EQ(discarded.out, "discarded 0 dead letters of orders-dlq\n");
  EXPECT_EQ(run_command({"--server", server.address(), "dlq", "abandon", "orders-dlq", "--all"}).out,
            "changed 0 dead letters of orders-dlq\n");
}

// One of two acks fails, and then nothing can be received any more.
TEST(Server, ThatRefusesAnAckIsGivenTheMessageBack) {
  std::atomic<std::size_t> released = 0;
  const holdfast::testing::FakeServer server(
      {.receive = [](auto&, auto& context, int n) -> kj::Promise<void> {
         Result<Deliveries> answer = fail(ErrorCode::kStorageFailed, "no fsync");
         if (n == 1) {
           Deliveries two(2);
           for (std::uint64_t i = 0; i < 2; ++i) {
             two[i].receipt = {QueueId(1), Seq(i), LeaseId(3)};
             two[i].lease_left = std::chrono::hours(1);
           }
           answer = std::move(two);
         }
         convert::write(answer, context.getResults());
         return kj::READY_NOW;
       },
       .ack = [](auto&, auto& context, int) -> kj::Promise<void> {
         const std::vector<Result<void>> answers{fail(ErrorCode::kStorageFailed, "no fsync"), {}};
         convert::write(BatchResult<void>(answers), context.getResults());
         return kj::READY_NOW;
       },
       .release = [&released](auto&, auto& context, int) -> kj::Promise<void> {
         released += context.getParams().getReceipts().size();
         return kj::READY_NOW;
       }});
  const Outcome outcome =
      run_command({"--server", server.address(), "receive", "orders", "--follow", "--ack", "--max", "2"});
  EXPECT_EQ(outcome.status, 12);
  EXPECT_THAT(outcome.err, HasSubstr("gave back 1 message\n"));
  EXPECT_EQ(released, 1U);
}

TEST(Server, ThatDoesNotEndInTimeIsNamed) {
  const Outcome outcome =
      drain_with(0, true, answering(DrainStatus{.draining = true, .exits = true, .over = true}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "holdfast: the server is drained and has not ended within 10s: its data directory is not free\n");
}

TEST(Server, ThatCannotCloseItsDataIsAnError) {
  EXPECT_EQ(drain_with(0, true, answering(fail(ErrorCode::kStorageFailed, "no fsync"))).status, 12);
}

TEST(Server, ThatIsResumedMeanwhileWasNotDrained) {
  const auto answer = [](auto&, auto& context, int) -> kj::Promise<void> {
    const DrainStatus status{.draining = true, .exits = true, .in_flight = 1};
    convert::write(Result<DrainStatus>(status), context.getResults());
    return kj::READY_NOW;
  };
  const auto resumed = [](auto&, auto& context, int) -> kj::Promise<void> {
    convert::write(Result<DrainStatus>(DrainStatus{.in_flight = 1}), context.getResults());
    return kj::READY_NOW;
  };
  const holdfast::testing::FakeServer server({.drain = answer, .drain_status = resumed});
  const Outcome outcome = run_command({"--server", server.address(), "drain"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "holdfast: somebody has resumed the server: it is not drained, with 1 message in flight\n");
}

// The server runs, but is asked in the wrong protocol.
TEST_F(ServerVerbs, AServerThatAnswersIsNotToBeStarted) {
  const Outcome outcome = run_command({"queue", "list", "--server", "tls://" + server_->addresses().front()});
  EXPECT_EQ(outcome.status, 17);
  EXPECT_THAT(outcome.err, HasSubstr("the other side does not speak TLS"));
  EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr("hint")));
}

TEST_F(ServerVerbs, HintsFitTheErrors) {
  ASSERT_EQ(holdfast({"queue", "create", "orders-dlq", "--dead-letter-sources", "none"}).status, 0);
  const Outcome outcome =
      holdfast({"queue", "create", "orders", "--dead-letter-queue", "orders-dlq", "--create-missing"});
  EXPECT_EQ(outcome.status, 20);
  EXPECT_FALSE(outcome.error().contains("hint"));
}

TEST(Server, NobodyThereSaysHowToStartOne) {
  const holdfast::testing::TempDir dir;
  const std::string address = "unix:" + (dir / "socket").string();
  const Outcome outcome = run_command({"queue", "list", "--server", address});
  EXPECT_EQ(outcome.status, 17);
  EXPECT_THAT(outcome.err, HasSubstr("holdfast: unavailable: cannot connect to "));
  EXPECT_THAT(
      outcome.err,
      HasSubstr("hint: is holdfastd running? start it with: holdfastd --data ./data --listen " + address));
}

TEST(Server, HintsFitTheCause) {
  const auto said = [](const std::string& address) {
    return run_command({"queue", "list", "--server", address}).err;
  };
  EXPECT_THAT(said("http://example.org:7700/queues"),
              HasSubstr("hint: the command does not speak HTTP: use --server example.org:7700\n"));
  EXPECT_THAT(said("http://example.org:7700/queues"), HasSubstr("no address begins with 'http://'"));
  EXPECT_THAT(said("https://example.org"), HasSubstr("--server tls://example.org\n"));
  EXPECT_THAT(said("no-such-host.invalid"),
              HasSubstr("hint: this machine cannot resolve that name: is --server spelled right?\n"));
  EXPECT_THAT(said("unix:/no/such/socket"), HasSubstr("hint: is holdfastd running?"));
}

TEST(Server, AddressThatIsNoneIsRefused) {
  EXPECT_EQ(run_command({"queue", "list", "--server", "host:port:more"}).status, 2);
}

}  // namespace
}  // namespace holdfast::command
