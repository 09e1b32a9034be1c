// A connection breaks under a call, and the server refuses the call's repetition. No caller is told that
// nothing was done by a call that may have done it.
#include <gmock/gmock.h>
#include <kj/debug.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "client/common/server_time.h"
#include "client/connection/client_session.h"
#include "engine/base/helpers/waking_clock.h"
#include "holdfast/buffered_sender.h"
#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/queues/operations_conversion.h"
#include "schema/convert/values/error_conversion.h"
#include "tests/client/fake_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/no_threads.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using ::testing::ElementsAre;

// A server gives these answers only after it has looked for the first try, and has found that nothing was
// done.
constexpr std::array kAnswers = {ErrorCode::kLimitExceeded, ErrorCode::kMessageNotFound,
                                 ErrorCode::kReceiptStale,  ErrorCode::kNoDeadLetterQueue,
                                 ErrorCode::kDiskFull,      ErrorCode::kQueuePaused,
                                 ErrorCode::kQueueFull};

// Returns all other errors, which a server may give before it has looked, or without a look. kClosed is not
// among them, since it sends the call elsewhere.
std::vector<ErrorCode> says_nothing() {
  std::vector<ErrorCode> codes;
  for (const ErrorInfo& info : error_table()) {
    if (info.code != ErrorCode::kClosed && std::ranges::find(kAnswers, info.code) == kAnswers.end())
      codes.push_back(info.code);
  }
  return codes;
}

template <class Reply>
void refuse(Reply reply, const Error& error) {
  convert::write(error, reply.initError());
}

// A server that has looked a delivery up answers for the entry. It refuses the whole call before that.
void refuse(wire::SettleReply::Builder reply, const Error& error) {
  if (std::ranges::find(kAnswers, error.code) == kAnswers.end()) {
    convert::write(error, reply.initError());
  } else {
    const std::vector<Result<void>> results = {tl::unexpected(error)};
    convert::write(BatchResult<void>(results), reply);
  }
}

// Breaks the first call's connection, refuses the next two calls with `code`, and gives later calls the
// answer that is already there.
struct Refusing {
  ErrorCode code;
  int from = 2;
  int to = 3;

  template <class Context>
  kj::Promise<void> operator()(FakeServer& server, Context& context, int n) const {
    if (n < from) return server.break_connections();
    if (n <= to) refuse(context.getResults(), Error{code, "not now"});
    return kj::READY_NOW;
  }
};

// Refuses in the same way a call whose answer must have a value.
template <class Value>
struct RefusingThen {
  Refusing refusing;
  Value value{};

  template <class Context>
  kj::Promise<void> operator()(FakeServer& server, Context& context, int n) const {
    if (n > refusing.to) convert::write(Result<Value>(value), context.getResults());
    return refusing(server, context, n);
  }
};

Script script_of(const Refusing& refusing) {
  return {.send = RefusingThen<std::vector<Result<Sent>>>{refusing, {Sent{}}},
          .receive = refusing,
          .ack = refusing,
          .extend = refusing,
          .start = refusing,
          .release = refusing,
          .reject = refusing,
          .redrive = RefusingThen<Redriven>{refusing},
          .cancel_redrive = RefusingThen<TaskStatus>{refusing},
          .drain = RefusingThen<DrainStatus>{refusing},
          .resume = RefusingThen<DrainStatus>{refusing}};
}

// A verb that is repeated and has an effect. For the server several verbs are one method. As it counts the
// tries of each method, every verb of a test has a server of its own.
struct Verb {
  const char* name;
  std::function<Result<void>(Client&)> call;
};

template <class T>
Result<void> without_value(const Result<T>& result) {
  if (!result) return tl::unexpected(result.error());
  return {};
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"send", [](Client& c) { return without_value(c.send("orders", {.body = "x"})); }},
      {"receive", [](Client& c) { return without_value(c.receive("orders")); }},
      {"ack", [](Client& c) { return c.ack(kAnyReceipt); }},
      {"extend", [](Client& c) { return c.extend(kAnyReceipt, 1s); }},
      {"start", [](Client& c) { return c.start(kAnyReceipt); }},
      {"release", [](Client& c) { return c.release(kAnyReceipt); }},
      {"reject", [](Client& c) { return c.reject(kAnyReceipt, {.reason = "bad"}); }},
      {"redrive", [](Client& c) { return without_value(c.redrive("dead")); }},
      {"park", [](Client& c) { return without_value(c.redrive("dead", {.action = RedriveAction::kPark})); }},
      {"started redrive", [](Client& c) { return without_value(c.redrive("dead", {.wait = false})); }},
      {"cancel_redrive", [](Client& c) { return without_value(c.cancel_redrive(TaskId(1))); }},
      {"drain", [](Client& c) { return without_value(c.drain({.exit = false})); }},
      {"resume", [](Client& c) { return without_value(c.resume()); }},
  };
  return all;
}

// Returns whether the refusal says that the queue of a receive is gone. A deleted queue has nothing that
// could be unknown.
bool is_of_a_deleted_queue(const Verb& verb, ErrorCode code) {
  return verb.name == "receive"sv && code == ErrorCode::kQueueNotFound;
}

// Makes a client whose calls end soon. It pauses as usual before it tries again, so that many of them leave
// the machine time.
Client short_of_time(const FakeServer& server) {
  return must(Client::connect(server.address(), {.call_timeout = 3s}));
}

TEST(ClientRepetition, IsTriedAgainAfterARefusalThatSaysNothingOfTheFirstTry) {
  for (const ErrorCode code : says_nothing()) {
    for (const Verb& verb : verbs()) {
      if (is_of_a_deleted_queue(verb, code)) continue;
      FakeServer server(script_of(Refusing{code}));
      auto client = connect(server);
      EXPECT_THAT(verb.call(client), Succeeds()) << verb.name << ", refused as " << error_info(code).name;
    }
  }
}

TEST(ClientRepetition, IsUnknownWhenItWasRefusedUntilItsDeadline) {
  std::vector<std::jthread> calls;  // each lasts until its deadline
  for (const Verb& verb : verbs()) {
    calls.emplace_back([&verb] {
      FakeServer server(script_of(Refusing{.code = ErrorCode::kOverloaded, .to = 1'000'000}));
      auto client = short_of_time(server);
      EXPECT_THAT(verb.call(client), FailsNaming(ErrorCode::kOutcomeUnknown, "overloaded: not now"))
          << verb.name;
    });
  }
}

TEST(ClientRepetition, AFirstTryIsAnsweredByAnyRefusal) {
  for (const ErrorCode code : says_nothing()) {
    for (const Verb& verb : verbs()) {
      FakeServer server(script_of(Refusing{.code = code, .from = 0, .to = 1}));
      auto client = connect(server);
      EXPECT_THAT(verb.call(client), FailsWith(code)) << verb.name;
      EXPECT_EQ(server.connections(), 1) << verb.name;
    }
  }
}

// Otherwise the receive would go on for as long as it may wait.
TEST(ClientRepetition, AReceiveWhoseQueueIsDeletedMeanwhileEndsAtOnce) {
  FakeServer server({.receive = Refusing{.code = ErrorCode::kQueueNotFound, .to = 1'000'000}});
  auto client = connect(server);
  EXPECT_THAT(client.receive("orders", {.wait = 1h}), FailsWith(ErrorCode::kQueueNotFound));
}

// The server gives these refusals only after it has looked for the first try.
TEST(ClientRepetition, IsAnsweredByARefusalThatKnowsOfTheFirstTry) {
  for (const ErrorCode code : kAnswers) {
    for (const Verb& verb : verbs()) {
      FakeServer server(script_of(Refusing{code}));
      auto client = connect(server);
      // If the verb has no request id, nothing says what the first try did to a delivery that is over.
      const bool has_no_id = verb.name == "release"sv || verb.name == "extend"sv || verb.name == "start"sv;
      const bool in_doubt =
          has_no_id && (code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound);
      EXPECT_THAT(verb.call(client), FailsWith(in_doubt ? ErrorCode::kOutcomeUnknown : code)) << verb.name;
    }
  }
}

// The client judges each entry: other entries keep their answers.
TEST(ClientRepetition, OneThatFindsSomeDeliveriesOverLeavesThoseUnknown) {
  const auto some_over = [](FakeServer& s, auto& context, int n) -> kj::Promise<void> {
    if (n % 2 == 1) return s.break_connections();
    const std::vector<Result<void>> results = {
        {}, fail(ErrorCode::kReceiptStale, "over"), fail(ErrorCode::kMessageNotFound, "gone")};
    convert::write(BatchResult<void>(results), context.getResults());
    return kj::READY_NOW;
  };
  FakeServer server({.extend = some_over, .start = some_over, .release = some_over});
  auto client = connect(server);
  const std::vector<Receipt> receipts(3, kAnyReceipt);
  const auto unknown = FailsNaming(ErrorCode::kOutcomeUnknown, "the delivery is over");
  EXPECT_THAT(must(client.extend_batch(receipts, 1s)), ElementsAre(Succeeds(), unknown, unknown));
  EXPECT_THAT(must(client.start_batch(receipts)), ElementsAre(Succeeds(), unknown, unknown));
  EXPECT_THAT(must(client.release_batch(receipts)), ElementsAre(Succeeds(), unknown, unknown));
}

// A call may take longer than the window for which a server remembers request ids. Then the server may have
// forgotten the id before the last repetition comes.
TEST(ClientRepetition, OneThatMayComeAfterTheRequestWindowIsNotTakenForKnown) {
  const auto over = [](FakeServer& s, auto& context, int n) -> kj::Promise<void> {
    if (n % 2 == 1) return s.break_connections();
    const std::vector<Result<void>> results = {fail(ErrorCode::kReceiptStale, "over")};
    convert::write(BatchResult<void>(results), context.getResults());
    return kj::READY_NOW;
  };
  FakeServer server({.ack = over, .reject = over});
  const SettleOptions named{.request_id = "mine"};
  const auto expect = [&](Duration call_timeout, ErrorCode code) {
    auto client = connect(server, {.call_timeout = call_timeout});
    EXPECT_THAT(client.ack(kAnyReceipt, named), FailsWith(code));
    EXPECT_THAT(client.reject(kAnyReceipt, {.reason = "bad"}, named), FailsWith(code));
  };
  expect(limits::kRequestWindow, ErrorCode::kReceiptStale);
  expect(limits::kRequestWindow + Duration(1), ErrorCode::kOutcomeUnknown);
}

// A server takes no connection at its limit of connections, for a token that it does not know any more, or
// while it ends.
TEST(ClientRepetition, IsUnknownWhenNoConnectionIsTakenAnyMore) {
  std::vector<std::jthread> calls;  // each lasts until its deadline
  for (const ErrorCode code : {ErrorCode::kOverloaded, ErrorCode::kPermissionDenied, ErrorCode::kClosed}) {
    for (const Verb& verb : verbs()) {
      calls.emplace_back([&verb, code] {
        Script script = script_of(Refusing{.code = code});
        script.hello = [code](FakeServer&, HelloContext& context, int n) -> kj::Promise<void> {
          if (n > 1) convert::write(Error{code, "not now"}, context.getResults().initError());
          return kj::READY_NOW;
        };
        FakeServer server(std::move(script));
        auto client = short_of_time(server);
        EXPECT_THAT(verb.call(client), FailsWith(ErrorCode::kOutcomeUnknown))
            << verb.name << ", refused as " << error_info(code).name;
      });
    }
  }
}

// The server may have forgotten the request id while the machine slept.
TEST(ClientRepetition, NoneIsSentOnceItsTimeIsOverThoughTheMachineSlept) {
  ManualClock clock;
  std::atomic<int> tries = 0;
  const auto sleep = [&](FakeServer& s, auto&, int) -> kj::Promise<void> {
    ++tries;
    clock.advance(12min);
    return s.break_connections();
  };
  FakeServer server({.send = sleep,
                     .receive = sleep,
                     .ack = sleep,
                     .extend = sleep,
                     .start = sleep,
                     .release = sleep,
                     .reject = sleep,
                     .redrive = sleep,
                     .cancel_redrive = sleep,
                     .drain = sleep,
                     .resume = sleep});
  auto client = connect(server, {.clock = &clock});
  for (const Verb& verb : verbs()) {
    tries = 0;
    EXPECT_THAT(verb.call(client), FailsWith(ErrorCode::kOutcomeUnknown)) << verb.name;
    EXPECT_EQ(tries, 1) << verb.name;
  }
}

TEST(WakingClock, IsTheMachinesThatCountsSleep) {
  const auto counted = [] {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = counted();
  const auto time = waking_clock().steady();
  EXPECT_LE(before - 1us, time);
  EXPECT_LE(time, counted());
}

TEST(ClientRepetition, AReadIsAnsweredByAnyRefusal) {
  FakeServer server({.describe = Refusing{ErrorCode::kOverloaded}});
  EXPECT_THAT(connect(server).describe_queue("orders"), FailsWith(ErrorCode::kOverloaded));
}

TEST(ClientRepetition, WhatTheServerThrowsDoesNotAnswerIt) {
  FakeServer server({.send = [](FakeServer& s, SendContext& context, int n) -> kj::Promise<void> {
    if (n == 1) return s.break_connections();
    if (n == 2) return KJ_EXCEPTION(OVERLOADED, "too many calls");
    if (n == 3) return KJ_EXCEPTION(FAILED, "a defect");
    convert::write(std::vector<Result<Sent>>{Sent{}}, context.getResults());
    return kj::READY_NOW;
  }});
  EXPECT_THAT(connect(server).send("orders", {.body = "x"}), Succeeds());
}

// An engine that is closed refuses each entry without a look.
TEST(ClientRepetition, EntriesThatAreRefusedWithoutALookDoNotAnswerIt) {
  FakeServer server({.ack = [](FakeServer& s, AckContext& context, int n) -> kj::Promise<void> {
    if (n == 1) return s.break_connections();
    std::vector<Result<void>> results(2);
    if (n == 2) results[1] = fail(ErrorCode::kStorageFailed, "the disk");
    convert::write(BatchResult<void>(results), context.getResults());
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  const std::vector<Receipt> receipts = {kAnyReceipt, {QueueId(2), Seq(2), LeaseId(4)}};
  EXPECT_THAT(must(client.ack_batch(receipts)), ElementsAre(Succeeds(), Succeeds()));
}

// A connection has the rights that its token had when the connection was opened. So the client connects anew.
TEST(ClientRepetition, OneThatIsDeniedSaysAnewWhoItIs) {
  FakeServer server({.send = [](FakeServer& s, SendContext& context, int n) -> kj::Promise<void> {
    if (n == 1) return s.break_connections();
    if (s.connections() < 4) {
      convert::write(Error{ErrorCode::kPermissionDenied, "the token was changed"},
                     context.getResults().initError());
    } else {
      convert::write(std::vector<Result<Sent>>{Sent{}}, context.getResults());
    }
    return kj::READY_NOW;
  }});
  EXPECT_THAT(connect(server, {.token = "secret"}).send("orders", {.body = "x"}), Succeeds());
}

// The server closed in the middle of a redrive, which the server after it finishes.
TEST(ClientRepetition, AServerThatClosesDuringARedriveLeavesItUnknown) {
  const auto closed = [](FakeServer&, RedriveContext& context, int) -> kj::Promise<void> {
    convert::write(Error{ErrorCode::kClosed, "it goes on later"}, context.getResults().initError());
    return kj::READY_NOW;
  };
  const auto none_after_the_first = [](FakeServer&, HelloContext&, int n) -> kj::Promise<void> {
    if (n == 1) return kj::READY_NOW;
    return kj::NEVER_DONE;
  };
  FakeServer server({.hello = none_after_the_first, .redrive = closed});
  FakeServer other({.hello = none_after_the_first, .redrive = closed});
  auto redriven = std::async(std::launch::async, [&] { return short_of_time(server).redrive("dead"); });
  EXPECT_THAT(short_of_time(other).redrive("dead", {.action = RedriveAction::kPark}),
              FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(redriven.get(), FailsWith(ErrorCode::kOutcomeUnknown));
}

class Subscribed final : public wire::Subscription::Server {};

TEST(ClientRepetition, CallsThatWaitForAConnectionComeBeforeStreams) {
  std::vector<std::string> calls;  // only the server's thread uses it until it has answered
  FakeServer server({.send = [&](FakeServer& s, SendContext& context, int n) -> kj::Promise<void> {
                       calls.emplace_back("send");
                       if (n == 1) return s.break_connections();
                       convert::write(std::vector<Result<Sent>>{Sent{}}, context.getResults());
                       return kj::READY_NOW;
                     },
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int) -> kj::Promise<void> {
                       calls.emplace_back("subscribe");
                       context.getResults().setSubscription(kj::heap<Subscribed>());
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders"));
  must(client.send("orders", {.body = "x"}));
  must(client.describe_queue("orders"));
  stream.close();
  EXPECT_THAT(calls, ElementsAre("subscribe", "send", "send", "subscribe"));
}

// The server's last words about the push would otherwise come to a session that is gone.
TEST(ClientSession, APushThatIsBeingOpenedIsDeafOnceTheSessionIsGone) {
  FakeServer server({.subscribe = kStaySilent});
  const auto push =
      std::make_shared<client::Push>("orders", ReceiveOptions{.max = 1}, std::make_shared<client::Inbox>());
  client::ServerTime server_time;
  std::unique_ptr<client::ClientSession> session;
  transport::LoopThread loop;
  loop.call([&] {
    loop.role.assert_held();
    session = std::make_unique<client::ClientSession>(
        loop.port(), must(transport::parse_address(server.address())), nullptr, ClientOptions{}, server_time);
    return session->connect().ignoreResult();
  });
  loop.call([&]() -> kj::Promise<void> {
    auto subscribing = session->subscribe(push).ignoreResult().catch_([](kj::Exception&&) {});
    const auto opening = push->opening();
    session = nullptr;
    EXPECT_NE(push->opening(), opening);
    return kj::READY_NOW;
  });
}

TEST(ClientSend, IsOverWithinItsOwnTimeWhateverTheCallTimeout) {
  const auto none_after_the_first = [](FakeServer&, HelloContext&, int n) -> kj::Promise<void> {
    if (n == 1) return kj::READY_NOW;
    return kj::NEVER_DONE;
  };
  FakeServer server({.hello = none_after_the_first, .send = kStaySilent});
  auto client = connect(server, {.call_timeout = 1h});
  const auto send = [&](Duration within) {
    return client.send("orders", {.body = "x"}, {.request_id = "mine", .within = within});
  };
  EXPECT_THAT(send(3s), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(send(500ms), FailsWith(ErrorCode::kUnavailable)) << "nothing is sent before hello is answered";
}

TEST(BufferedSender, SaysThatThereIsNoThread) {
  FakeServer server({});
  auto client = connect(server);
  {
    const NoThreads none;
    EXPECT_THAT(BufferedSender::make(client, {.queue = "orders"}), FailsWith(ErrorCode::kUnavailable));
  }
  EXPECT_THAT(BufferedSender::make(client, {.queue = "orders"}), Succeeds());
}

}  // namespace
}  // namespace holdfast::testing
