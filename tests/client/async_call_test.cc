// Calls with a callback: their answers, their cancellation, and what becomes of them when the connection
// breaks.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <latch>

#include "holdfast/client.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "tests/client/fake_server.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kDescribe = [](auto& verbs) { return verbs.describe_queue("orders"); };
constexpr auto kSend = [](auto& verbs) { return verbs.send("orders", {.body = "x"}); };
constexpr auto kReceive = [](auto& verbs) { return verbs.receive("orders", {.wait = 1h}); };

// A call that is under way.
template <class Verb>
struct UnderWay {
  using Value = typename std::invoke_result_t<const Verb&, ClientVerbs&>::Value;

  UnderWay(Client& client, const Verb& verb)
      : token(client.async_call(verb, [this](Value value) { answer.set_value(std::move(value)); })) {}
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  Value get() { return answer.get_future().get(); }

  std::promise<Value> answer;
  Client::CallToken token;
};

// Makes a handler that counts down and never answers.
auto silent(std::latch& called) {
  return [&called](FakeServer&, auto&, int) -> kj::Promise<void> {
    called.count_down();
    return kj::NEVER_DONE;
  };
}

TEST(ClientAsync, AnAnswerComes) {
  FakeServer server({});
  auto client = connect(server);
  EXPECT_THAT(UnderWay(client, kDescribe).get(), Succeeds());
}

TEST(ClientAsync, ALostCallIsRepeated) {
  FakeServer server({.describe = kHangUpOnce});
  auto client = connect(server);
  EXPECT_THAT(UnderWay(client, kDescribe).get(), Succeeds());
  EXPECT_EQ(server.connections(), 2);
}

TEST(ClientAsync, TimeRunsOut) {
  FakeServer server({.describe = kStaySilent, .send = kStaySilent});
  auto client = connect(server, {.call_timeout = 3s});
  UnderWay describe(client, kDescribe);
  UnderWay send(client, kSend);
  EXPECT_THAT(describe.get(), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(send.get(), FailsWith(ErrorCode::kOutcomeUnknown));
}

TEST(ClientAsync, WhatCannotBeSentIsAnsweredAtOnce) {
  FakeServer server({});
  auto client = connect(server);
  bool answered = false;
  client.async_call([](auto& verbs) { return verbs.ack_batch({}); },
                    [&](const BatchResult<void>& results) {
                      EXPECT_TRUE(must(results).empty());
                      answered = true;
                    });
  EXPECT_TRUE(answered);
}

TEST(ClientAsync, ACallThatWasSentCanBeCancelled) {
  std::latch called(3);
  FakeServer server({.describe = silent(called), .send = silent(called), .receive = silent(called)});
  auto client = connect(server);
  UnderWay describe(client, kDescribe);
  UnderWay send(client, kSend);
  UnderWay receive(client, kReceive);
  called.wait();
  for (const auto token : {describe.token, send.token, receive.token, send.token}) client.cancel_call(token);
  EXPECT_THAT(describe.get(), FailsWith(ErrorCode::kCancelled));
  EXPECT_THAT(send.get(), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(receive.get(), FailsWith(ErrorCode::kCancelled));
}

TEST(ClientAsync, ACallThatWasNotSentHasNoEffectOnceItIsCancelled) {
  std::latch greeted(2);
  std::atomic<int> sends = 0;
  FakeServer server({.hello = [&](FakeServer&, HelloContext& context, int n) -> kj::Promise<void> {
                       greeted.count_down();
                       if (n > 1) return kj::NEVER_DONE;
                       context.getResults().initOk().setProtocolVersion(wire::PROTOCOL_VERSION);
                       return kj::READY_NOW;
                     },
                     .describe = kHangUp,
                     .send = [&](FakeServer&, SendContext&, int n) -> kj::Promise<void> {
                       sends = n;
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  UnderWay describe(client, kDescribe);
  greeted.wait();  // by now the first connection is broken
  UnderWay send(client, kSend);
  client.cancel_call(send.token);
  EXPECT_THAT(send.get(), FailsWith(ErrorCode::kCancelled));
  client.cancel_call(describe.token);
  EXPECT_THAT(describe.get(), FailsWith(ErrorCode::kCancelled));
  EXPECT_EQ(sends, 0);
}

TEST(ClientAsync, ClosingAnswersAllThatIsUnderWay) {
  constexpr int kCalls = 100;
  std::latch called(kCalls);
  FakeServer server({.describe = silent(called)});
  auto client = connect(server);
  std::atomic<int> closed = 0;
  for (int i = 0; i < kCalls; ++i) {
    client.async_call(kDescribe, [&](const Result<QueueInfo>& info) {
      closed += !info && info.error().code == ErrorCode::kClosed ? 1 : 0;
    });
  }
  called.wait();
  client.close();
  EXPECT_EQ(closed, kCalls);
  EXPECT_THAT(UnderWay(client, kDescribe).get(), FailsWith(ErrorCode::kClosed));
}

TEST(ClientAsync, ACallbackMayCallAgain) {
  FakeServer server({});
  auto client = connect(server);
  std::promise<void> done;
  std::atomic<int> left = 100;
  std::function<void(const Result<QueueInfo>&)> again = [&](const Result<QueueInfo>& info) {
    EXPECT_THAT(info, Succeeds());
    if (--left == 0) return done.set_value();
    client.async_call(kDescribe, again);
  };
  client.async_call(kDescribe, again);
  done.get_future().get();
}

// Answers in bursts keep the loop busy from the end of a call until the client has forgotten the call.
TEST(ClientAsync, ACallThatIsCancelledOnceItHasEndedIsAnsweredOnce) {
  constexpr int kCalls = 5'000;
  struct Burst {
    kj::Own<kj::PromiseFulfiller<void>> begin;
    kj::ForkedPromise<void> answers = nullptr;
  };
  auto burst = std::make_shared<Burst>();  // only the server's thread uses it
  FakeServer server(
      {.describe =
           [burst](FakeServer&, DescribeContext&, int n) {
             if (n == 1) {
               auto pending = kj::newPromiseAndFulfiller<void>();
               burst->begin = kj::mv(pending.fulfiller);
               burst->answers = pending.promise.fork();
             }
             return burst->answers.addBranch();
           },
       .send = [burst = std::move(burst)](FakeServer&, SendContext& context, int) -> kj::Promise<void> {
         burst->begin->fulfill();
         convert::write(std::vector<Result<Sent>>{Sent{}}, context.getResults());
         return kj::READY_NOW;
       }});
  std::vector<Client::CallToken> tokens(kCalls);
  std::vector<std::atomic<int>> answers(kCalls);
  std::latch answered(kCalls);
  auto client = connect(server);
  for (int i = 0; i < kCalls; ++i) {
    tokens[i] = client.async_call(kDescribe, [&, i](const Result<QueueInfo>& info) {
      EXPECT_THAT(info, Succeeds());
      client.cancel_call(tokens[i]);
      if (++answers[i] == 1) answered.count_down();
    });
  }
  must(client.send("orders", {.body = "x"}));
  answered.wait();
  client.close();
  for (const auto& count : answers) ASSERT_EQ(count, 1);
}

// Makes a handler that says after each part but the last one that there is more to be done.
auto parts(int count) {
  return [count](FakeServer&, auto& context, int n) -> kj::Promise<void> {
    BulkPartChanged changed{.changed = {.changed = 1}};
    if (n % count != 0) changed.next = BulkPlace{{.seq = Seq(1)}, Seq(2)};
    convert::write(Result<BulkPartChanged>(changed), context.getResults());
    return kj::READY_NOW;
  };
}

constexpr auto kDiscard = [](auto& verbs) { return verbs.discard_dead_letters("dead", {.all = true}); };

TEST(ClientAsync, TheAnswersOfAllPartsAreAddedUp) {
  FakeServer server({.discard = parts(3)});
  auto client = connect(server);
  EXPECT_EQ(must(UnderWay(client, kDiscard).get()).changed, 3U);
}

// Each part begins when the part before it has hardly ended.
TEST(ClientAsync, ManyCallsInPartsDoNotGetInEachOthersWay) {
  constexpr int kCalls = 1'000;
  FakeServer server({.discard = [](FakeServer&, DiscardContext& context, int n) -> kj::Promise<void> {
    BulkPartChanged changed{.changed = {.changed = 1}};
    if (n <= 9 * kCalls) changed.next = BulkPlace{{.seq = Seq(1)}, Seq(2)};
    convert::write(Result<BulkPartChanged>(changed), context.getResults());
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  std::atomic<std::uint64_t> changed = 0;
  std::latch answered(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    client.async_call(kDiscard, [&](const Result<DeadLettersChanged>& all) {
      if (all) changed += all->changed;
      answered.count_down();
    });
  }
  answered.wait();
  EXPECT_EQ(changed, 10U * kCalls);
}

TEST(ClientAsync, ACallInPartsCanBeCancelledWhereverItIs) {
  constexpr int kEnough = 100'000;
  for (int after = 1; after <= 20; ++after) {
    std::latch there(after);
    FakeServer server({.discard = [&](FakeServer& s, DiscardContext& context, int n) -> kj::Promise<void> {
      if (n <= after) there.count_down();
      return parts(kEnough)(s, context, n);
    }});
    auto client = connect(server);
    UnderWay discard(client, kDiscard);
    there.wait();
    client.cancel_call(discard.token);
    EXPECT_THAT(discard.get(), FailsWith(ErrorCode::kOutcomeUnknown));
  }
}

TEST(ClientAsync, TheClientMayBeMovedMeanwhile) {
  std::latch called(1);
  FakeServer server({.describe = silent(called)});
  auto first = connect(server);
  UnderWay describe(first, kDescribe);
  auto second = std::move(first);
  called.wait();
  second.cancel_call(describe.token);
  EXPECT_THAT(describe.get(), FailsWith(ErrorCode::kCancelled));
}

}  // namespace
}  // namespace holdfast::testing
