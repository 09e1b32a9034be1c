// Streams from a server that does what a test says.
#include <gmock/gmock.h>
#include <kj/debug.h>

#include <atomic>
#include <future>
#include <utility>

#include "holdfast/client.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/values/error_conversion.h"
#include "tests/client/fake_server.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using ::testing::SizeIs;

// A Granted is how much credit the client has granted, over all its subscriptions.
using Granted = std::atomic<std::uint32_t>;

class Granting final : public wire::Subscription::Server {
 public:
  explicit Granting(Granted& granted) : granted_(granted) {}
  kj::Promise<void> grant(GrantContext context) override {
    granted_ += context.getParams().getCount();
    return kj::READY_NOW;
  }

 private:
  Granted& granted_;
};

// Pushes deliveries with the sequence numbers from `first` on.
kj::Promise<void> push(wire::DeliverySink::Client sink, std::uint64_t first, std::size_t count) {
  Deliveries deliveries(count);
  for (Delivery& delivery : deliveries) delivery.receipt = {QueueId(1), Seq(first++), LeaseId(1)};
  auto request = sink.deliverRequest();
  convert::write(deliveries, request);
  return request.send();
}

// Opens the subscription, and pushes as many deliveries as there is credit for before it replies, as servers
// do.
kj::Promise<void> push_and_reply(SubscribeContext& context, Granted& granted, std::uint64_t first) {
  const auto params = context.getParams();
  return push(params.getSink(), first, params.getCredit()).then([context, &granted]() mutable {
    context.getResults().setSubscription(kj::heap<Granting>(granted));
  });
}

kj::Promise<void> end(wire::DeliverySink::Client sink, ErrorCode code) {
  auto request = sink.endRequest();
  convert::write(Error{code, "no more"}, request.initError());
  return request.send().ignoreResult();
}

void refuse(StartContext& context, ErrorCode code) {
  convert::write(BatchResult<void>(fail(code, "not now")), context.getResults());
}

void refuse(SubscribeContext& context, ErrorCode code) {
  convert::write(Error{code, "not now"}, context.getResults().initError());
}

// Scripts a server that refuses the first call of start with `code`.
Script refusing(ErrorCode code, Granted& granted) {
  return {.start = [code](FakeServer&, StartContext& context, int n) -> kj::Promise<void> {
            if (n == 1) refuse(context, code);
            return kj::READY_NOW;
          },
          .subscribe = [&granted](FakeServer&, SubscribeContext& context,
                                  int) { return push_and_reply(context, granted, 1); }};
}

// Makes calls, which leave the client after everything that it has granted so far, and that the answers to
// earlier calls made it grant.
void round_trips(Client& client) {
  for (int i = 0; i < 10; ++i) must(client.describe_queue("orders"));
}

TEST(ClientStream, WhatCannotBeStartedNowWaitsForTheNextTime) {
  Granted granted = 0;
  FakeServer server(refusing(ErrorCode::kOverloaded, granted));
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 4}));
  EXPECT_THAT(stream.next(3), FailsWith(ErrorCode::kOverloaded));
  round_trips(client);
  EXPECT_EQ(granted, 0U);
  const auto first = must(stream.next(3));
  ASSERT_THAT(first, SizeIs(3));
  EXPECT_EQ(first[0].receipt.seq, Seq(1));
  const auto rest = must(stream.next(3));
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_EQ(rest[0].receipt.seq, Seq(4));
  round_trips(client);
  EXPECT_EQ(granted, 3U);  // the last delivery is less than half of the credit
}

TEST(ClientStream, WhatWasTakenBackMakesRoomForOthers) {
  Granted granted = 0;
  FakeServer server(refusing(ErrorCode::kReceiptStale, granted));
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 4}));
  const auto deliveries = must(stream.next(3));
  ASSERT_THAT(deliveries, SizeIs(1));
  EXPECT_EQ(deliveries[0].receipt.seq, Seq(4));
  round_trips(client);
  EXPECT_EQ(granted, 3U);
}

TEST(ClientStream, ARefusalThatStaysEndsIt) {
  Granted granted = 0;
  FakeServer server(refusing(ErrorCode::kPermissionDenied, granted));
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 4}));
  EXPECT_THAT(stream.next(3), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(stream.next(3), FailsWith(ErrorCode::kPermissionDenied));
}

// The second call of start gets no answer in time. What it was to start went with the first connection.
TEST(ClientStream, WhatWasLostWithAConnectionIsNoErrorOfTheNext) {
  Granted granted = 0;
  FakeServer server({.start = [](FakeServer& s, StartContext&, int n) -> kj::Promise<void> {
                       if (n == 1) return s.break_connections();
                       if (n == 2) return kj::NEVER_DONE;
                       return kj::READY_NOW;
                     },
                     .subscribe = [&](FakeServer&, SubscribeContext& context,
                                      int n) { return push_and_reply(context, granted, n == 1 ? 1 : 11); }});
  auto client = connect(server, {.call_timeout = std::chrono::seconds(3)});
  auto stream = must(client.subscribe("orders", {.credit = 2}));
  const auto deliveries = must(stream.next(2, std::chrono::minutes(1)));
  ASSERT_THAT(deliveries, SizeIs(2));
  EXPECT_EQ(deliveries[0].receipt.seq, Seq(11));
}

// The reply to a repeated subscribe may come after the client has taken what was pushed.
TEST(ClientStream, CreditThatIsGrantedBeforeTheReplyReachesTheServer) {
  Granted granted = 0;
  kj::Own<kj::PromiseFulfiller<void>> reply;  // only the server's thread uses it
  FakeServer server({.describe = [&](FakeServer& s, DescribeContext&, int n) -> kj::Promise<void> {
                       if (n == 1) return s.break_connections();
                       if (n == 3) reply->fulfill();
                       return kj::READY_NOW;
                     },
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
                       if (n == 1) {
                         context.getResults().setSubscription(kj::heap<Granting>(granted));
                         return kj::READY_NOW;
                       }
                       auto pending = kj::newPromiseAndFulfiller<void>();
                       reply = kj::mv(pending.fulfiller);
                       const auto params = context.getParams();
                       return push(params.getSink(), 1, params.getCredit())
                           .then([pending = kj::mv(pending.promise)]() mutable { return kj::mv(pending); })
                           .then([context, &granted]() mutable {
                             context.getResults().setSubscription(kj::heap<Granting>(granted));
                           });
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 2}));
  must(client.describe_queue("orders"));  // over the next connection
  ASSERT_THAT(must(stream.next(2)), SizeIs(2));
  round_trips(client);
  EXPECT_EQ(granted, 2U);
}

TEST(ClientStream, WhatALostConnectionBroughtRaisesNoCreditOfTheNext) {
  Granted granted = 0;
  FakeServer server({.start = kHangUpOnce,
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
                       if (n == 1) return push_and_reply(context, granted, 1);
                       context.getResults().setSubscription(kj::heap<Granting>(granted));
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 2}));
  ASSERT_THAT(must(stream.next(2)), SizeIs(2));
  round_trips(client);
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(granted, 0U);
}

TEST(ClientStream, AServerAtALimitIsAskedAgainToGoOn) {
  Granted granted = 0;
  FakeServer server({.describe = kHangUpOnce,
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
                       if (n == 1) {
                         context.getResults().setSubscription(kj::heap<Granting>(granted));
                         return kj::READY_NOW;
                       }
                       if (n > 4) return push_and_reply(context, granted, 1);
                       refuse(context, n == 3 ? ErrorCode::kUnavailable : ErrorCode::kOverloaded);
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 1}));
  must(client.describe_queue("orders"));
  EXPECT_THAT(must(stream.next(1, std::chrono::minutes(1))), SizeIs(1));
  EXPECT_EQ(server.connections(), 2);
}

// A defect of the server in one call ends that stream, and no connection.
TEST(ClientStream, AServerThatThrowsWhenItIsToGoOnEndsIt) {
  Granted granted = 0;
  FakeServer server({.describe = kHangUpOnce,
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
                       if (n == 1) return push_and_reply(context, granted, 1);
                       return KJ_EXCEPTION(FAILED, "a defect");
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 1}));
  must(client.describe_queue("orders"));  // over the next connection
  for (int i = 0; i < 5 && stream.next(1, Duration(0)); ++i) round_trips(client);
  EXPECT_THAT(stream.next(), FailsNaming(ErrorCode::kInternal, "a defect"));
  must(client.describe_queue("orders"));
  EXPECT_EQ(server.connections(), 2);
}

TEST(ClientStream, AServerThatEndsItAtALimitIsAskedAgain) {
  Granted granted = 0;
  FakeServer server({.subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
    if (n > 1) return push_and_reply(context, granted, 1);
    return end(context.getParams().getSink(), ErrorCode::kOverloaded).then([context, &granted]() mutable {
      context.getResults().setSubscription(kj::heap<Granting>(granted));
    });
  }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 1}));
  EXPECT_THAT(must(stream.next(1, std::chrono::minutes(1))), SizeIs(1));
}

TEST(ClientStream, AClosedOneIsNotAskedForAgain) {
  Granted granted = 0;
  std::atomic<int> subscribes = 0;
  FakeServer server({.describe = kHangUpOnce,
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
                       subscribes = n;
                       if (n == 1) {
                         context.getResults().setSubscription(kj::heap<Granting>(granted));
                       } else {
                         refuse(context, ErrorCode::kOverloaded);
                       }
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders"));
  must(client.describe_queue("orders"));
  stream.close();
  round_trips(client);
  const int asked = subscribes;
  for (int i = 0; i < 20; ++i) round_trips(client);
  EXPECT_EQ(subscribes, asked);
}

TEST(ClientStream, OneThatHasEndedIsNotSubscribedAgain) {
  Granted granted = 0;
  std::atomic<int> subscribes = 0;
  kj::Maybe<wire::DeliverySink::Client> sink;  // only the server's thread uses it
  FakeServer server({.describe = [&](FakeServer& s, DescribeContext&, int n) -> kj::Promise<void> {
                       if (n == 2) return s.break_connections();
                       KJ_IF_MAYBE (present, std::exchange(sink, nullptr)) {
                         return end(*present, ErrorCode::kQueueNotFound);
                       }
                       return kj::READY_NOW;
                     },
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
                       subscribes = n;
                       if (n == 1) sink = context.getParams().getSink();
                       context.getResults().setSubscription(kj::heap<Granting>(granted));
                       return kj::READY_NOW;
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders"));
  must(client.describe_queue("orders"));
  EXPECT_THAT(stream.next(), FailsWith(ErrorCode::kQueueNotFound));
  must(client.describe_queue("orders"));  // over the next connection
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(subscribes, 1);
}

// The end may come before the reply that says that the stream is subscribed.
TEST(ClientStream, OneThatEndedBeforeTheReplyIsNotSubscribedAgain) {
  Granted granted = 0;
  std::atomic<int> subscribes = 0;
  FakeServer server({.describe = kHangUpOnce,
                     .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
                       subscribes = n;
                       return end(context.getParams().getSink(), ErrorCode::kQueueNotFound)
                           .then([context, &granted]() mutable {
                             context.getResults().setSubscription(kj::heap<Granting>(granted));
                           });
                     }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders"));
  EXPECT_THAT(stream.next(), FailsWith(ErrorCode::kQueueNotFound));
  must(client.describe_queue("orders"));  // over the next connection
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(subscribes, 1);
}

// Scripts a server that takes no ack of what it has pushed.
Script without_acks(Granted& granted) {
  return {.ack = [](FakeServer&, AckContext& context, int) -> kj::Promise<void> {
            const Result<void> over = fail(ErrorCode::kReceiptStale, "over");
            const std::vector<Result<void>> results(context.getParams().getReceipts().size(), over);
            convert::write(BatchResult<void>(results), context.getResults());
            return kj::READY_NOW;
          },
          .subscribe = [&granted](FakeServer&, SubscribeContext& context,
                                  int) { return push_and_reply(context, granted, 1); }};
}

// The server that was left would keep such a stream for as long as the connection lasts, and nobody would
// hear that it has ended.
TEST(ClientStream, OneWhoseConnectionIsLeftBeforeTheReplyIsSubscribedAgain) {
  Granted granted = 0;
  std::promise<void> subscribing;
  kj::Own<kj::PromiseFulfiller<void>> reply;  // only the server's thread uses it
  std::atomic<int> subscribed = 0;
  FakeServer server(
      {.describe = [&](FakeServer&, DescribeContext& context, int n) -> kj::Promise<void> {
         if (n == 1) {
           convert::write(Error{ErrorCode::kClosed, "it ends"}, context.getResults().initError());
         } else if (reply) {  // the client has its next connection
           std::exchange(reply, nullptr)->fulfill();
         }
         return kj::READY_NOW;
       },
       .subscribe = [&](FakeServer&, SubscribeContext& context, int n) -> kj::Promise<void> {
         subscribed = n;
         auto answer = [context, &granted]() mutable {
           context.getResults().setSubscription(kj::heap<Granting>(granted));
         };
         if (n > 1) {
           answer();
           return kj::READY_NOW;
         }
         auto held = kj::newPromiseAndFulfiller<void>();
         reply = kj::mv(held.fulfiller);
         subscribing.set_value();
         return held.promise.then(kj::mv(answer));
       }});
  Client client = connect(server);
  auto described = std::async(std::launch::async, [&] {
    subscribing.get_future().wait();
    return client.describe_queue("orders");
  });
  const auto stream = must(client.subscribe("orders"));
  must(described.get());
  EXPECT_EQ(subscribed, 2);
}

TEST(ClientStream, CloseGivesTheAcksThatFailed) {
  Granted granted = 0;
  FakeServer server(without_acks(granted));
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 1}));
  const Receipt receipt = must(stream.next()).front().receipt;
  stream.ack(receipt);
  const std::vector<AckFailure> failures = stream.close();
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_EQ(failures[0].receipt, receipt);
  EXPECT_EQ(failures[0].error.code, ErrorCode::kReceiptStale);
  EXPECT_THAT(stream.close(), SizeIs(0)) << "they were given";
}

TEST(ClientStream, TheDestructorTellsOfTheAcksThatFailed) {
  Granted granted = 0;
  FakeServer server(without_acks(granted));
  auto client = connect(server);
  std::vector<AckFailure> failures;
  {
    auto stream = must(client.subscribe(
        "orders", {.credit = 2, .on_ack_failure = [&](const AckFailure& one) { failures.push_back(one); }}));
    for (const Delivery& delivery : must(stream.next(2))) stream.ack(delivery.receipt);
  }
  EXPECT_THAT(failures, SizeIs(2));
  failures.clear();
  {
    auto stream = must(client.subscribe(
        "orders", {.credit = 1, .on_ack_failure = [&](const AckFailure& one) { failures.push_back(one); }}));
    stream.ack(must(stream.next()).front().receipt);
    (void)stream.flush();
  }
  EXPECT_THAT(failures, SizeIs(0)) << "flush() has given them";
}

TEST(ClientStream, NothingComesAfterItsEnd) {
  Granted granted = 0;
  FakeServer server({.subscribe = [&](FakeServer&, SubscribeContext& context, int) -> kj::Promise<void> {
    return end(context.getParams().getSink(), ErrorCode::kQueueNotFound).then([context, &granted]() mutable {
      return push_and_reply(context, granted, 1);
    });
  }});
  auto client = connect(server);
  auto stream = must(client.subscribe("orders", {.credit = 1}));
  round_trips(client);
  EXPECT_THAT(stream.next(), FailsWith(ErrorCode::kQueueNotFound));
}

}  // namespace
}  // namespace holdfast::testing
