// These tests check what each call answers when its connection breaks, or nobody answers.
#include <gmock/gmock.h>
#include <kj/debug.h>

#include <atomic>
#include <future>
#include <latch>

#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/queues/operations_conversion.h"
#include "tests/client/fake_server.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

template <class Context>
void answer_stale(Context& context) {
  const std::vector<Result<void>> results{fail(ErrorCode::kReceiptStale, "over")};
  convert::write(BatchResult<void>(results), context.getResults());
}

// Breaks the connection of the first try, and answers later tries that the delivery is over.
constexpr auto kHangUpThenStale = [](FakeServer& server, auto& context, int n) -> kj::Promise<void> {
  if (n == 1) return server.break_connections();
  answer_stale(context);
  return kj::READY_NOW;
};

TEST(ClientOutcome, ALostSendIsRepeatedUnderItsRequestId) {
  std::vector<std::string> ids;  // only the server's thread uses it until it has answered
  FakeServer server({.send = [&](FakeServer& s, SendContext& context, int n) -> kj::Promise<void> {
    ids.emplace_back(context.getParams().getRequestId().cStr());
    if (n == 1) return s.break_connections();
    convert::write(std::vector<Result<Sent>>{Sent{}}, context.getResults());
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  EXPECT_THAT(client.send("orders", {.body = "x"}), Succeeds());
  EXPECT_THAT(client.send("orders", {.body = "x"}), Succeeds());
  EXPECT_THAT(client.send("orders", {.body = "x"}, {.request_id = "mine"}), Succeeds());
  ASSERT_EQ(ids.size(), 4U);
  EXPECT_FALSE(ids[0].empty());
  EXPECT_EQ(ids[1], ids[0]);
  EXPECT_NE(ids[2], ids[0]);
  EXPECT_EQ(ids[3], "mine");
}

TEST(ClientOutcome, ALostSendWithoutARequestIdIsNotRepeated) {
  std::atomic<int> sends = 0;
  FakeServer server({.send = [&](FakeServer& s, SendContext&, int n) {
    sends = n;
    return s.break_connections();
  }});
  auto client = connect(server, {.request_ids = false});
  EXPECT_THAT(client.send("orders", {.body = "x"}), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_EQ(sends, 1);
  EXPECT_THAT(client.describe_queue("orders"), Succeeds());
  EXPECT_EQ(server.connections(), 2);
}

TEST(ClientOutcome, ALostReadIsRepeated) {
  FakeServer server({.describe = kHangUpOnce});
  auto client = connect(server);
  EXPECT_THAT(client.describe_queue("orders"), Succeeds());
  EXPECT_EQ(server.connections(), 2);
}

TEST(ClientOutcome, ALostReceiveIsRepeatedWithWhatIsLeftOfItsWait) {
  std::atomic<std::int64_t> first_wait = 0;
  std::atomic<std::int64_t> second_wait = 0;
  FakeServer server({.receive = [&](FakeServer& s, ReceiveContext& context, int n) -> kj::Promise<void> {
    (n == 1 ? first_wait : second_wait) = context.getParams().getWaitMicros();
    if (n == 1) return s.break_connections();
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  EXPECT_THAT(client.receive("orders", {.wait = 1h}), Succeeds());
  EXPECT_EQ(first_wait, Duration(1h).count());
  EXPECT_LT(second_wait, first_wait);
  EXPECT_GE(second_wait, 0);
}

// The list only says that it is long: its entries may take no bytes.
TEST(ClientOutcome, AListLongerThanAnyServersIsRefused) {
  const auto answer_with = [](std::size_t entries) {
    return [entries](FakeServer&, ReceiveContext& context, int) -> kj::Promise<void> {
      context.getResults().initDeliveries(static_cast<unsigned>(entries));
      return kj::READY_NOW;
    };
  };
  FakeServer longest({.receive = answer_with(limits::kReceiveMax)});
  EXPECT_THAT(connect(longest).receive("orders"), Succeeds());
  FakeServer longer({.receive = answer_with(limits::kReceiveMax + 1)});
  EXPECT_THAT(connect(longer).receive("orders"), FailsNaming(ErrorCode::kInternal, "longer than it may be"));
}

TEST(ClientOutcome, ALostAckIsRepeated) {
  FakeServer server({.ack = kHangUpOnce});
  auto client = connect(server);
  EXPECT_THAT(client.ack(kAnyReceipt), Succeeds());
}

TEST(ClientOutcome, ACallThatMayOutliveTheWindowGetsNoRequestId) {
  std::atomic<int> sends = 0;
  FakeServer server({.send = [&](FakeServer& s, SendContext& context, int n) {
    EXPECT_EQ(context.getParams().getRequestId().size(), 0U);
    sends = n;
    return s.break_connections();
  }});
  auto client = connect(server, {.call_timeout = limits::kRequestWindow + Duration(1)});
  EXPECT_THAT(client.send("orders", {.body = "x"}), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_EQ(sends, 1);
}

// A server that had carried out the first try would have answered the repetition with success.
TEST(ClientOutcome, ARepeatedAckUnderItsRequestIdIsAnsweredAsItIs) {
  FakeServer server({.ack = kHangUpThenStale});
  auto client = connect(server);
  EXPECT_THAT(client.ack(kAnyReceipt), FailsWith(ErrorCode::kReceiptStale));
}

TEST(ClientOutcome, ARepeatedAckThatFindsTheDeliveryOverIsUnknown) {
  FakeServer server({.ack = kHangUpThenStale});
  auto client = connect(server, {.request_ids = false});
  EXPECT_THAT(client.ack(kAnyReceipt), FailsWith(ErrorCode::kOutcomeUnknown));
}

TEST(ClientOutcome, AFirstAckThatFindsTheDeliveryOverIsStale) {
  FakeServer server({.ack = [](FakeServer&, AckContext& context, int) -> kj::Promise<void> {
    answer_stale(context);
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  EXPECT_THAT(client.ack(kAnyReceipt), FailsWith(ErrorCode::kReceiptStale));
}

// The first try may have extended the lease, which then ran out. A new call is certain of its answer.
TEST(ClientOutcome, ARepeatedExtendThatFindsTheDeliveryOverIsUnknown) {
  FakeServer server({.extend = kHangUpThenStale});
  auto client = connect(server);
  EXPECT_THAT(client.extend(kAnyReceipt, 1s), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(client.extend(kAnyReceipt, 1s), FailsWith(ErrorCode::kReceiptStale));
}

TEST(ClientOutcome, ACallThatAClosingServerTurnsAwayGoesToTheNextConnection) {
  std::latch describing(1);
  kj::Own<kj::PromiseFulfiller<void>> answer_describe;  // only the server's thread uses it
  std::atomic<int> describes = 0;
  FakeServer server({.describe =
                         [&](FakeServer&, DescribeContext&, int n) {
                           describes = n;
                           auto pending = kj::newPromiseAndFulfiller<void>();
                           answer_describe = kj::mv(pending.fulfiller);
                           describing.count_down();
                           return kj::mv(pending.promise);
                         },
                     .send = [&](FakeServer&, SendContext& context, int n) -> kj::Promise<void> {
                       if (n == 1) {
                         const BatchResult<Sent> closed = fail(ErrorCode::kClosed, "closing");
                         convert::write(closed, context.getResults());
                       } else {
                         convert::write(std::vector<Result<Sent>>{Sent{}}, context.getResults());
                         answer_describe->fulfill();
                       }
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  auto describe = std::async(std::launch::async, [&] { return client.describe_queue("orders"); });
  describing.wait();
  EXPECT_THAT(client.send("orders", {.body = "x"}), Succeeds());
  EXPECT_EQ(server.connections(), 2);
  // The closing server still answers what it had started.
  EXPECT_THAT(describe.get(), Succeeds());
  EXPECT_EQ(describes, 1);
}

// A drain is a matter of the server that ends, and not of the server after it.
TEST(ClientOutcome, WhatAnEndingServerSaysOfItselfIsNotAskedOfTheNext) {
  const auto closed_once = [](FakeServer&, auto& context, int n) -> kj::Promise<void> {
    Result<DrainStatus> status = DrainStatus{.draining = true};
    if (n == 1) status = fail(ErrorCode::kClosed, "the server is ending");
    convert::write(status, context.getResults());
    return kj::READY_NOW;
  };
  FakeServer server({.drain = closed_once, .drain_status = closed_once, .resume = closed_once});
  auto client = connect(server);
  EXPECT_THAT(client.drain(), FailsWith(ErrorCode::kClosed));
  EXPECT_THAT(client.drain_status(), FailsWith(ErrorCode::kClosed));
  EXPECT_THAT(client.resume(), FailsWith(ErrorCode::kClosed));
  EXPECT_EQ(server.connections(), 1);
}

TEST(ClientOutcome, WhatAnEndingServerSaysOfItselfToARepetitionIsNotWhetherTheFirstWasDone) {
  const auto closed_later = [](FakeServer& self, auto& context, int n) -> kj::Promise<void> {
    if (n == 1) return self.break_connections();
    convert::write(Result<DrainStatus>(fail(ErrorCode::kClosed, "the server is ending")),
                   context.getResults());
    return kj::READY_NOW;
  };
  FakeServer server({.drain = closed_later, .resume = closed_later});
  auto client = connect(server);
  EXPECT_THAT(client.drain({.exit = false}), FailsNaming(ErrorCode::kOutcomeUnknown, "the server is ending"));
  EXPECT_THAT(client.resume(), FailsNaming(ErrorCode::kOutcomeUnknown, "the server is ending"));
}

TEST(ClientOutcome, ADrainThatEndsItsServerDoesNotEndTheNext) {
  std::atomic<int> drains = 0;
  FakeServer server({.drain = [&](FakeServer& self, auto& context, int n) -> kj::Promise<void> {
    ++drains;
    if (n == 1) return self.break_connections();
    convert::write(Result<DrainStatus>(DrainStatus{.draining = true}), context.getResults());
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  EXPECT_THAT(client.drain({.exit = true}), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_EQ(drains, 1);
}

// The first parts have changed something, whatever becomes of the later parts.
TEST(ClientOutcome, ABulkChangeThatEndsInTheMiddleIsUnknown) {
  FakeServer server({.change = [](FakeServer&, ChangeContext& context, int n) -> kj::Promise<void> {
    const BulkPartChanged some{.changed = {.changed = 1}, .next = BulkPlace{{.seq = Seq(1)}, Seq(2)}};
    Result<BulkPartChanged> answer = some;
    if (n == 2 || n == 3) answer = fail(ErrorCode::kOverloaded, "busy");
    if (n == 4) answer = fail(ErrorCode::kOutcomeUnknown, "the engine is closing");
    convert::write(answer, context.getResults());
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  const auto change = [&] { return client.change_dead_letters("dead", {.all = true}, {.note = "seen"}); };
  EXPECT_THAT(change(), FailsNaming(ErrorCode::kOutcomeUnknown, "busy"));
  EXPECT_THAT(change(), FailsWith(ErrorCode::kOverloaded)) << "nothing was changed";
  EXPECT_THAT(change(), FailsNaming(ErrorCode::kOutcomeUnknown, "the engine is closing"));
  EXPECT_EQ(server.connections(), 1);
}

// The server that was left may have to answer for longer than a call takes.
TEST(ClientOutcome, WhatTakesLongIsAnsweredByTheServerThatWasLeft) {
  std::latch backing_up(1);
  kj::Own<kj::PromiseFulfiller<void>> answer_backup;  // only the server's thread uses it
  FakeServer server({.describe = [&](FakeServer&, DescribeContext&, int n) -> kj::Promise<void> {
                       if (n == 1) return kj::NEVER_DONE;
                       answer_backup->fulfill();
                       return kj::READY_NOW;
                     },
                     .send = [](FakeServer&, SendContext& context, int n) -> kj::Promise<void> {
                       BatchResult<Sent> answer = std::vector<Result<Sent>>{Sent{}};
                       if (n == 1) answer = fail(ErrorCode::kClosed, "draining");
                       convert::write(answer, context.getResults());
                       return kj::READY_NOW;
                     },
                     .backup =
                         [&](FakeServer&, BackupContext& context, int) {
                           auto pending = kj::newPromiseAndFulfiller<void>();
                           answer_backup = kj::mv(pending.fulfiller);
                           backing_up.count_down();
                           return pending.promise.then([context]() mutable {
                             convert::write(Result<BackupInfo>(BackupInfo{}), context.getResults());
                           });
                         }});
  auto client = connect(server, {.call_timeout = 3s});
  auto backup = std::async(std::launch::async, [&] { return client.backup("/backups"); });
  backing_up.wait();
  EXPECT_THAT(client.send("orders", {.body = "x"}), Succeeds());
  EXPECT_THAT(client.describe_queue("orders"), FailsWith(ErrorCode::kUnavailable)) << "after its time";
  EXPECT_THAT(client.describe_queue("orders"), Succeeds());
  EXPECT_THAT(backup.get(), Succeeds());
}

TEST(ClientOutcome, WithoutAnAnswerInTimeAnEffectIsUnknownAndAReadUnavailable) {
  FakeServer server({.describe = kStaySilent, .send = kStaySilent, .ack = kStaySilent});
  auto client = connect(server, {.call_timeout = 3s});
  auto sent = std::async(std::launch::async, [&] { return client.send("orders", {.body = "x"}); });
  auto acked = std::async(std::launch::async, [&] { return client.ack(kAnyReceipt); });
  EXPECT_THAT(client.describe_queue("orders"), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(sent.get(), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(acked.get(), FailsWith(ErrorCode::kOutcomeUnknown));
}

TEST(ClientOutcome, ASilentServerIsLeftForANewConnection) {
  FakeServer server({.send = kStaySilent});
  auto client = connect(server, {.call_timeout = 3s});
  EXPECT_THAT(client.send("orders", {.body = "x"}), FailsWith(ErrorCode::kOutcomeUnknown));
  while (server.connections() < 2) std::this_thread::yield();
}

TEST(ClientOutcome, WhatTheServerThrowsIsTranslated) {
  FakeServer server({.describe = [](FakeServer&, DescribeContext&, int) -> kj::Promise<void> {
                       return KJ_EXCEPTION(OVERLOADED, "too many calls");
                     },
                     .send = [](FakeServer&, SendContext&, int) -> kj::Promise<void> {
                       return KJ_EXCEPTION(FAILED, "a defect");
                     }});
  auto client = connect(server);
  EXPECT_THAT(client.describe_queue("orders"), FailsNaming(ErrorCode::kOverloaded, "too many calls"));
  EXPECT_THAT(client.send("orders", {.body = "x"}), FailsNaming(ErrorCode::kInternal, "a defect"));
  EXPECT_THAT(client.purge_queue("orders"), FailsWith(ErrorCode::kUnavailable));  // not in the script
  EXPECT_EQ(server.connections(), 1);
}

TEST(ClientOutcome, AnAnswerThatDoesNotFitTheCallIsInternal) {
  FakeServer server({.send = [](FakeServer&, SendContext& context, int) -> kj::Promise<void> {
    context.getResults().initOk().initIds(7);
    return kj::READY_NOW;
  }});
  auto client = connect(server);
  EXPECT_THAT(client.send("orders", {.body = "x"}), FailsNaming(ErrorCode::kInternal, "ids"));
}

}  // namespace
}  // namespace holdfast::testing
