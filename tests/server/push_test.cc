// Tests subscriptions, by the protocol and by the client's streams.
#include <capnp/schema.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/protocol/protocol_methods.h"
#include "server/bounds/meter.h"
#include "server/delivery/prefetched_deliveries.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"
#include "tests/support/damaged_store.h"
#include "tests/support/gated_store.h"

namespace holdfast::server {
namespace {

using ::testing::SizeIs;

// Keeps what is pushed.
class Sink final : public wire::DeliverySink::Server {
 public:
  struct Got {
    Deliveries deliveries;
    std::optional<Error> end;
  };
  explicit Sink(Got& got) : got_(got) {}

  kj::Promise<void> deliver(DeliverContext context) override {
    for (auto& delivery : convert::read(context.getParams(), nullptr)) {
      delivery.body = {};
      got_.deliveries.push_back(delivery);
    }
    return kj::READY_NOW;
  }
  kj::Promise<void> end(EndContext context) override {
    got_.end = convert::read(context.getParams().getError());
    return kj::READY_NOW;
  }

 private:
  Got& got_;
};

class PushTest : public ServerFixture {
 protected:
  PushTest() {
    start();
    must(engine_->create_queue("orders", {.durability = Durability::kBuffered}));
  }

  Result<wire::Subscription::Client> subscribe(RawClient& client, const ReceiveOptions& options,
                                               Sink::Got& got, std::string_view queue = "orders") {
    auto request = client.broker().subscribeRequest();
    convert::write(queue, options, request);
    request.setSink(kj::heap<Sink>(got));
    auto reply = request.send().wait(scope_);
    if (reply.isError()) return tl::unexpected(convert::read(reply.getError()));
    return reply.getSubscription();
  }

  void grant(wire::Subscription::Client& subscription, std::uint32_t count) {
    auto request = subscription.grantRequest();
    request.setCount(count);
    request.send().wait(scope_);
  }

  void send(int count) {
    for (int i = 0; i < count; ++i) must(engine_->send("orders", {.body = std::to_string(i)}));
  }

  // Sends so many messages, and subscribes to them.
  std::unique_ptr<wire::Subscription::Client> push_prefetched(RawClient& client, int count, Sink::Got& got) {
    send(count);
    auto subscription = std::make_unique<wire::Subscription::Client>(
        must(subscribe(client, {.max = 10, .lease = 1h, .prefetch = true}, got)));
    wait_until([&] { return got.deliveries.size() == static_cast<std::size_t>(std::min(count, 10)); });
    return subscription;
  }

  QueueCounts counts() { return must(engine_->describe_queue("orders")).counts; }
};

TEST_F(PushTest, PushesWhatIsThereAndWhatComes) {
  auto client = connect();
  send(3);
  Sink::Got got;
  auto subscription = must(subscribe(*client, {.max = 10, .prefetch = true}, got));
  wait_until([&] { return got.deliveries.size() == 3; });
  send(2);
  wait_until([&] { return got.deliveries.size() == 5; });
  EXPECT_EQ(counts().leased, 5U);
}

TEST_F(PushTest, StopsAtItsCreditUntilMoreIsGranted) {
  auto client = connect();
  send(10);
  Sink::Got got;
  auto subscription = must(subscribe(*client, {.max = 4, .prefetch = true}, got));
  wait_until([&] { return got.deliveries.size() == 4; });
  EXPECT_EQ(counts().ready, 6U);
  grant(subscription, 1);
  wait_until([&] { return got.deliveries.size() == 5; });
  EXPECT_EQ(counts().ready, 5U);
  grant(subscription, 100);
  wait_until([&] { return got.deliveries.size() == 10; });
  std::set<MessageId> ids;
  for (const auto& delivery : got.deliveries) ids.insert(delivery.id);
  EXPECT_THAT(ids, SizeIs(10));
}

TEST_F(PushTest, ALostConnectionGivesBackUnchargedWhatWasNotStarted) {
  auto client = connect();
  Sink::Got got;
  auto subscription = push_prefetched(*client, 4, got);
  auto other = connect();  // what this client starts and settles counts as well
  auto request = other->broker().startBatchRequest();
  convert::write(std::vector<Receipt>{got.deliveries[1].receipt}, request);
  request.send().wait(scope_);
  must(must(other->ack({got.deliveries[2].receipt}).wait(scope_)).front());
  subscription = nullptr;
  client = nullptr;
  wait_until([&] { return counts().ready == 2; });
  EXPECT_EQ(counts().leased, 1U);
  const auto again = must(engine_->receive("orders", {.max = 10}));
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[0].id, got.deliveries[0].id);
  EXPECT_EQ(again[0].deliveries, 1U);
  EXPECT_EQ(again[1].id, got.deliveries[3].id);
  must(engine_->ack(got.deliveries[1].receipt));
}

TEST_F(PushTest, MoreThanOneBatchGoesBackToo) {
  constexpr int kPushed = limits::kBatchEntries + 10;
  auto client = connect();
  Sink::Got got;
  auto subscription = push_prefetched(*client, kPushed, got);
  grant(*subscription, kPushed - 10);
  wait_until([&] { return got.deliveries.size() == kPushed; });
  subscription = nullptr;
  wait_until([&] { return counts().ready == kPushed; });
}

TEST(PrefetchedDeliveriesTest, WhatIsTakenStaysTakenUntilItIsPutBack) {
  PrefetchedDeliveries prefetched;
  const auto first = std::make_shared<PrefetchedDeliveries::Owner>();
  const auto second = std::make_shared<PrefetchedDeliveries::Owner>();
  const auto receipt = [](std::uint64_t seq) { return Receipt{.seq = Seq{seq}}; };
  const auto delivery = [&](std::uint64_t seq) {
    Delivery made;
    made.receipt = receipt(seq);
    return made;
  };
  prefetched.add(first, std::vector{delivery(1), delivery(2), delivery(3)});
  prefetched.add(second, std::vector{delivery(4)});
  const auto taken = prefetched.take(std::vector{receipt(7), receipt(4), receipt(2), receipt(2)});
  ASSERT_THAT(taken, SizeIs(2));
  EXPECT_EQ(taken[0].place, 1U);
  EXPECT_EQ(taken[1].place, 2U);
  EXPECT_THAT(prefetched.end(second), ::testing::IsEmpty());
  EXPECT_THAT(prefetched.put_back(taken), ::testing::ElementsAre(receipt(4))) << "it went meanwhile";
  EXPECT_THAT(prefetched.end(first), ::testing::ElementsAre(receipt(1), receipt(2), receipt(3)));
  EXPECT_THAT(prefetched.take(std::vector{receipt(2)}), ::testing::IsEmpty());
}

// A start may come over the client's next connection meanwhile. If it were answered, the release would undo
// it.
TEST(PrefetchedDeliveriesTest, WhatIsOnItsWayBackCannotBeStarted) {
  PrefetchedDeliveries prefetched;
  const auto owner = std::make_shared<PrefetchedDeliveries::Owner>();
  const auto receipt = [](std::uint64_t seq) { return Receipt{.seq = Seq{seq}, .lease = LeaseId{7}}; };
  std::vector<Delivery> deliveries(2);
  deliveries[0].receipt = receipt(1);
  deliveries[1].receipt = receipt(2);
  prefetched.add(owner, deliveries);
  const auto taken = prefetched.take(std::vector{receipt(2)});
  const auto startable = [&](std::uint64_t seq) {
    std::vector receipts{receipt(seq)};
    prefetched.going_back()->leave_out_of(receipts);
    return receipts.front() == receipt(seq);
  };
  EXPECT_TRUE(startable(1) && startable(2));
  const auto first = prefetched.end(owner);
  EXPECT_FALSE(startable(1));
  EXPECT_TRUE(startable(2)) << "a call has it";
  const auto second = prefetched.put_back(taken);
  EXPECT_FALSE(startable(2));
  prefetched.going_back()->remove(first);
  prefetched.going_back()->remove(second);
  EXPECT_TRUE(startable(1) && startable(2)) << "the engine knows that they are over";
}

TEST_F(PushTest, WhatWasNotSettledAfterAllGoesBackToo) {
  auto client = connect();
  Sink::Got got;
  auto subscription = push_prefetched(*client, 4, got);
  // This reject fails, since the queue has no dead letter queue.
  auto reject = client->broker().rejectBatchRequest();
  convert::write(std::vector{got.deliveries[1].receipt}, Rejection{}, SettleOptions{}, reject);
  auto rejected = reject.send().wait(scope_);
  EXPECT_THAT(must(convert::read(rejected, 1)).front(), FailsWith(ErrorCode::kNoDeadLetterQueue));
  auto release = client->broker().releaseBatchRequest();
  convert::write(std::vector{got.deliveries[2].receipt}, ReleaseOptions{.delay = Duration(-1s)}, release);
  auto released = release.send().wait(scope_);
  EXPECT_THAT(convert::read(released, 1), RefusesValue("delay"));
  must(must(client->ack({got.deliveries[3].receipt}).wait(scope_)).front());
  subscription = nullptr;
  client = nullptr;
  wait_until([&] { return counts().ready == 3; });
  EXPECT_EQ(counts().leased, 0U);
}

// The messages have more bytes than the limit of what is not read, and more than the sockets hold.
TEST_F(PushTest, WaitsForAClientThatHasNotReadYet) {
  server_.reset();
  start({.limits = {.max_unread_bytes = 2 << 20}});
  auto client = connect();
  Sink::Got got;
  auto subscription = must(subscribe(*client, {.max = 100, .lease = 1h}, got));
  constexpr std::size_t kMessages = 40;
  for (std::size_t i = 0; i < kMessages; ++i)
    must(engine_->send("orders", {.body = std::string(limits::kBodyBytes, 'x')}));
  wait_until([&] { return got.deliveries.size() == kMessages || got.end; });
  EXPECT_FALSE(got.end) << got.end->message;
}

// The tokens change twice while the first look for messages is under way. Only the rights at the end of the
// look count.
TEST_F(PushTest, ATokenThatWasAwayForAMomentLosesNothing) {
  server_.reset();
  const CommitGate shut = open_gate();
  engine_.emplace(must(
      EngineInside::open_over(std::make_unique<GatedStore>(
                                  must(open_memory_store(std::make_shared<MemoryDisk>(1))), power_on(), shut),
                              {.background = false})));
  must(engine_->create_queue("orders"));
  send(3);
  const auto tokens = tokens_of({token_with("t", "t", "consume:*")});
  start({.tokens = tokens});
  auto client = connect();
  auto authenticate = client->broker().authenticateRequest();
  authenticate.setToken("t");
  auto broker = authenticate.send().wait(scope_).getBroker();

  Sink::Got got;
  *shut = true;
  auto request = broker.subscribeRequest();
  convert::write("orders", {.max = 10, .lease = 1h, .prefetch = true}, request);
  request.setSink(kj::heap<Sink>(got));
  auto subscribing = request.send();
  client->drained().wait(scope_);
  const auto subscribe = protocol::method_number("subscribe");
  while (server_->meter().calls_in_flight == 0) std::this_thread::yield();
  EXPECT_EQ(server_->meter().calls[subscribe].read().count, 0U);
  server_->set_tokens(tokens_of({}));
  server_->set_tokens(tokens);
  *shut = false;
  shut->notify_all();

  {
    auto reply = subscribing.wait(scope_);
    ASSERT_TRUE(reply.isSubscription());
    wait_until([&] { return got.deliveries.size() == 3 || got.end; });
    EXPECT_FALSE(got.end);
  }
  client = nullptr;
  broker = nullptr;
  wait_until([&] { return counts().ready == 3; });
}

// A client whose sink fails has not started what was pushed.
TEST_F(PushTest, WhatASinkDoesNotTakeGoesBack) {
  class Broken final : public wire::DeliverySink::Server {
   public:
    kj::Promise<void> deliver(DeliverContext) override { return KJ_EXCEPTION(OVERLOADED, "no room"); }
    kj::Promise<void> end(EndContext) override { return kj::READY_NOW; }
  };
  auto client = connect();
  send(2);
  auto request = client->broker().subscribeRequest();
  convert::write("orders", {.max = 1000, .lease = 1h, .prefetch = true}, request);
  request.setSink(kj::heap<Broken>());
  auto reply = request.send().wait(scope_);
  ASSERT_TRUE(reply.isSubscription());
  // The server sees that a push has failed when it makes a later push.
  std::uint64_t sent = 2;
  wait_until([&] {
    if (counts().ready == sent) return true;
    if (counts().ready > 0) return false;
    send(1);
    ++sent;
    return false;
  });
  EXPECT_EQ(must(engine_->receive("orders", {.max = 10})).front().deliveries, 1U);
}

TEST_F(PushTest, DroppingItEndsIt) {
  auto client = connect();
  send(1);
  Sink::Got got;
  {
    auto subscription = must(subscribe(*client, {.max = 10, .lease = 1h, .prefetch = true}, got));
    wait_until([&] { return got.deliveries.size() == 1; });
  }
  wait_until([&] { return counts().ready == 1; });
  EXPECT_FALSE(got.end);
}

TEST_F(PushTest, StartedOnesAreChargedAtOnce) {
  auto client = connect();
  send(1);
  Sink::Got got;
  auto subscription = std::make_unique<wire::Subscription::Client>(
      must(subscribe(*client, {.max = 10, .lease = 1h, .prefetch = false}, got)));
  wait_until([&] { return got.deliveries.size() == 1; });
  subscription = nullptr;
  client = nullptr;
  wait_until([&] { return server_->connections() == 0; });
  EXPECT_EQ(counts().leased, 1U);
  must(engine_->ack(got.deliveries[0].receipt));
}

TEST_F(PushTest, MistakesAreAnswered) {
  auto client = connect();
  Sink::Got got;
  EXPECT_EQ(subscribe(*client, {.max = 1}, got, "nowhere").error().code, ErrorCode::kQueueNotFound);
  EXPECT_EQ(subscribe(*client, {.max = 0}, got).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(subscribe(*client, {.max = limits::kReceiveMax + 1}, got).error().code,
            ErrorCode::kLimitExceeded);
  EXPECT_EQ(subscribe(*client, {.max = 1, .lease = Duration(1)}, got).error().code,
            ErrorCode::kInvalidArgument);
  auto request = client->broker().subscribeRequest();
  convert::write("orders", {.max = 1}, request);
  EXPECT_TRUE(request.send().wait(scope_).isError());
}

TEST_F(PushTest, TheEndOfTheQueueIsTheEnd) {
  auto client = connect();
  Sink::Got got;
  auto subscription = must(subscribe(*client, {.max = 1}, got));
  must(engine_->delete_queue("orders"));
  wait_until([&] { return got.end.has_value(); });
  EXPECT_EQ(got.end->code, ErrorCode::kQueueNotFound);
}

TEST_F(PushTest, AStopDoesNotWaitForSubscriptions) {
  auto client = connect();
  Sink::Got idle;
  Sink::Got spent;
  send(1);
  auto first = must(subscribe(*client, {.max = 1, .prefetch = true}, spent));
  auto second = must(subscribe(*client, {.max = 1}, idle));
  wait_until([&] { return spent.deliveries.size() == 1; });
  server_->stop(1h);
  EXPECT_EQ(counts().ready, 1U);
}

class StreamTest : public PushTest {
 protected:
  Client client() {
    return must(
        Client::connect(server_->addresses().front(), {.reconnect_delay = 1ms, .reconnect_delay_max = 1ms}));
  }
};

TEST_F(StreamTest, GivesEachMessageOnceStartedAndAcks) {
  auto own = client();
  auto stream = must(own.subscribe("orders", {.credit = 7}));
  send(100);
  std::set<MessageId> ids;
  while (ids.size() < 100) {
    const auto deliveries = must(stream.next(3));
    ASSERT_FALSE(deliveries.empty());
    EXPECT_LE(deliveries.size(), 3U);
    for (const auto& delivery : deliveries) {
      EXPECT_FALSE(delivery.body.empty());
      EXPECT_TRUE(ids.insert(delivery.id).second);
      stream.ack(delivery.receipt);
    }
  }
  EXPECT_THAT(stream.flush(), SizeIs(0));
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.acked, 100U);
}

TEST_F(StreamTest, WhatIsStartedIsCharged) {
  auto own = client();
  auto stream = must(own.subscribe("orders", {.credit = 10, .lease = 1h}));
  send(2);
  auto delivery = must(stream.next()).front();
  must(own.release(delivery.receipt, {.delay = Duration(0)}));
  stream.close();
  EXPECT_EQ(stream.next().error().code, ErrorCode::kClosed);
  wait_until([&] { return counts().ready == 2; });
  for (const auto& again : must(engine_->receive("orders", {.max = 2}))) {
    EXPECT_EQ(again.deliveries, again.id == delivery.id ? 2U : 1U);
  }
}

TEST_F(StreamTest, FailedAcksAreTold) {
  auto own = client();
  auto stream = must(own.subscribe("orders"));
  send(1);
  const auto delivery = must(stream.next()).front();
  must(own.ack(delivery.receipt));
  stream.ack(delivery.receipt);
  const auto failures = stream.flush();
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_EQ(failures[0].receipt, delivery.receipt);
  EXPECT_THAT(stream.flush(), SizeIs(0));
}

TEST_F(StreamTest, ANextThatWaitsEndsEmpty) {
  auto own = client();
  auto stream = must(own.subscribe("orders"));
  EXPECT_THAT(must(stream.next(1, 1ms)), SizeIs(0));
  EXPECT_EQ(stream.next(0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(stream.next(1, limits::kWaitMax + 1us).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(own.subscribe("nowhere").error().code, ErrorCode::kQueueNotFound);
}

TEST_F(StreamTest, GoesOnOverTheNextConnection) {
  auto own = client();
  auto stream = must(own.subscribe("orders", {.credit = 10}));
  send(3);
  const auto started = must(stream.next()).front();
  const auto address = server_->addresses().front();
  server_->stop(10s);
  server_.emplace(must(Server::start(*engine_, {.listen = {address}, .log = log_})));
  std::set<MessageId> ids;
  while (ids.size() < 2) {
    for (const auto& delivery : must(stream.next(10))) {
      EXPECT_EQ(delivery.deliveries, 1U);
      EXPECT_TRUE(ids.insert(delivery.id).second);
      stream.ack(delivery.receipt);
    }
  }
  EXPECT_FALSE(ids.contains(started.id));
  stream.ack(started.receipt);
  EXPECT_THAT(stream.flush(), SizeIs(0));
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.acked, 3U);
}

TEST_F(StreamTest, EndsWithItsQueue) {
  auto own = client();
  auto stream = must(own.subscribe("orders"));
  must(engine_->delete_queue("orders"));
  EXPECT_EQ(stream.next().error().code, ErrorCode::kQueueNotFound);
}

TEST_F(PushTest, AMessageThatCannotBeReadHoldsUpNoOthers) {
  server_.reset();
  const auto damage = std::make_shared<DamagedRows>();
  const auto disk = std::make_shared<MemoryDisk>(1);
  engine_.emplace(must(EngineInside::open_over(
      std::make_unique<DamagedStore>(must(open_memory_store(disk)), damage), {.message_cache_bytes = 1})));
  must(engine_->create_queue("orders"));
  must(engine_->send("orders", {.body = "bad"}));
  must(engine_->release(must(engine_->receive("orders")).at(0).receipt, {.charge = false}));
  must(engine_->create_queue("others"));
  must(engine_->send("others", {.body = "takes the place in the cache"}));
  damage->add(Family::kMessages, keys::queue_seq(QueueId{1}, Seq{1}));
  start();
  auto client = must(Client::connect(server_->addresses().front()));
  auto stream = must(client.subscribe("orders"));
  must(client.send("orders", {.body = "good"}));
  const auto got = must(stream.next(1, 1min));
  ASSERT_THAT(got, SizeIs(1));
  EXPECT_EQ(got[0].body, "good");
}

}  // namespace
}  // namespace holdfast::server
