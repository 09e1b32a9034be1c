// A server drains. The tests see what it still does, and for whom.
#include <algorithm>
#include <future>
#include <iterator>
#include <span>

#include "holdfast/client.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/convert/queues/operations_conversion.h"
#include "server/monitor/monitor.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"
#include "tests/support/engine_time.h"

namespace holdfast::server {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class DrainTest : public ServerFixture {
 protected:
  DrainTest() {
    must(engine_->create_queue("orders", {.lease = 1h, .dead_letters = {.queue = "dlq"}},
                               MissingQueues::kCreate));
  }

  // Makes a client that connects again at once.
  Client client(Duration call_timeout = ClientOptions().call_timeout) {
    return must(
        Client::connect(server_->addresses().front(),
                        {.call_timeout = call_timeout, .reconnect_delay = 1ms, .reconnect_delay_max = 1ms}));
  }
  // Makes a client for calls that are turned away. Such a call takes all of the time that it may take.
  Client refused_client() { return client(3s); }
  // Makes a client that pauses before it connects again.
  Client patient_client() { return must(Client::connect(server_->addresses().front())); }
  std::vector<Receipt> hand_out(Client& to, std::size_t count) {
    must(engine_->send_batch("orders", std::vector<Message>(count, {.body = "x"})));
    std::vector<Receipt> receipts;
    for (const auto& delivery : must(to.receive("orders", {.max = count})))
      receipts.push_back(delivery.receipt);
    return receipts;
  }
  QueueCounts counts() { return must(engine_->describe_queue("orders")).counts; }
  // Lets a client receive a message and go away. The client that was there before stays.
  void lose_one_with_a_message() {
    {
      auto lost = patient_client();
      hand_out(lost, 1);
    }
    while (server_->connections() > 1) std::this_thread::yield();
  }
  // Waits until the drain is over.
  DrainStatus over() {
    while (!server_->drain_status().over) std::this_thread::yield();
    return server_->drain_status();
  }
};

TEST_F(DrainTest, WhatIsInHandMayBeSettledAndNothingElseIsStarted) {
  start();
  auto consumer = refused_client();
  auto producer = refused_client();
  auto admin = client();
  auto receipts = hand_out(consumer, 5);
  EXPECT_EQ(must(admin.drain_status()).in_flight, 5U);
  EXPECT_FALSE(must(admin.drain_status()).draining);
  const auto started = must(admin.drain({.timeout = 1h, .exit = false}));
  EXPECT_TRUE(started.draining);
  EXPECT_FALSE(started.exits);
  EXPECT_EQ(started.in_flight, 5U);
  EXPECT_GT(started.left, 59min);
  auto sent = std::async(std::launch::async, [&] { return producer.send("orders", {.body = "y"}); });
  EXPECT_THAT(consumer.receive("orders"), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(sent.get(), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(Client::connect(server_->addresses().front()), FailsWith(ErrorCode::kUnavailable));
  must(consumer.extend(receipts[0], 1min));
  must(consumer.ack(receipts[0]));
  must(consumer.release(receipts[1]));
  must(consumer.reject(receipts[2], {}));
  EXPECT_THAT(consumer.ack(receipts[0]), FailsAsSettled());
  must(consumer.ack(receipts[3]));
  EXPECT_EQ(must(admin.drain_status()).in_flight, 1U);
  EXPECT_FALSE(must(admin.drain_status()).over);
  must(consumer.ack(receipts[4]));
  EXPECT_TRUE(over().draining);
  EXPECT_TRUE(must(admin.drain_status()).over);
  EXPECT_EQ(counts().ready, 1U);

  EXPECT_FALSE(must(admin.resume()).draining);
  auto late = must(Client::connect(server_->addresses().front()));
  must(late.send("orders", {.body = "z"}));
  while (!producer.send("orders", {.body = "y"})) std::this_thread::yield();
  EXPECT_THAT(must(consumer.receive("orders", {.max = 10})), SizeIs(::testing::Ge(3)));
}

TEST_F(DrainTest, WaitingReceivesEndWithNothing) {
  start();
  auto waiting = connect();
  auto received = waiting->receive("orders", {.wait = 1h});
  auto other = connect();
  auto second = other->receive("orders", {.wait = 1h});
  for (auto* client : {&waiting, &other}) (*client)->broker().helloRequest().send().wait(scope_);
  server_->drain({.timeout = 1h});
  EXPECT_THAT(must(received.wait(scope_)), IsEmpty());
  EXPECT_THAT(must(second.wait(scope_)), IsEmpty());
  EXPECT_EQ(over().in_flight, 0U);
}

TEST_F(DrainTest, ASubscriptionEndsAndOnlyWhatWasStartedIsCharged) {
  start();
  must(engine_->send_batch("orders", std::vector<Message>(10, {.body = "x"})));
  auto consumer = client();
  auto stream = must(consumer.subscribe("orders", {.credit = 10}));
  const auto started = must(stream.next(3));
  while (counts().leased < 10) std::this_thread::yield();
  server_->drain({.timeout = 1h});
  while (counts().ready < 10 - started.size()) std::this_thread::yield();
  for (const auto& delivery : started) stream.ack(delivery.receipt);
  EXPECT_THAT(stream.flush(), IsEmpty());
  EXPECT_EQ(over().in_flight, 0U);
  EXPECT_EQ(counts(), (QueueCounts{.ready = 10 - started.size()}));
  for (const auto& item : must(engine_->peek("orders", {.max = 10})).items) EXPECT_EQ(item.deliveries, 0U);
}

TEST_F(DrainTest, ASubscriptionGoesOnAfterResume) {
  start();
  auto consumer = client();
  auto stream = must(consumer.subscribe("orders"));
  auto admin = client();
  must(admin.drain({.timeout = 1h, .exit = false}));
  over();
  must(admin.resume());
  must(engine_->send("orders", {.body = "x"}));
  const auto deliveries = must(stream.next());
  ASSERT_THAT(deliveries, SizeIs(1));
  must(consumer.ack(deliveries.front().receipt));
}

TEST_F(DrainTest, ALostClientHoldsNothing) {
  start();
  {
    auto consumer = client();
    hand_out(consumer, 3);
    server_->drain({.timeout = 1h});
    EXPECT_EQ(server_->drain_status().in_flight, 3U);
  }
  EXPECT_EQ(over().in_flight, 0U);
  EXPECT_EQ(counts().leased, 3U);
}

// The messages may have been settled elsewhere, or their leases run out. The engine knows.
TEST_F(DrainTest, WhatIsOverInTheEngineIsNotWaitedFor) {
  start();
  auto consumer = client();
  const auto receipts = hand_out(consumer, 2);
  server_->drain({.timeout = 1h});
  for (const auto& receipt : receipts) must(engine_->ack(receipt));
  EXPECT_EQ(over().in_flight, 0U);
}

TEST_F(DrainTest, WhatAnotherClientSettlesIsNotInHand) {
  start();
  auto consumer = patient_client();
  auto helper = patient_client();
  const auto receipts = hand_out(consumer, 3);
  const auto own = hand_out(helper, 1);
  EXPECT_EQ(server_->drain_status().in_flight, 4U);
  must(helper.ack(receipts[0]));
  must(helper.release(receipts[1], {.delay = 1h}));
  must(helper.reject(receipts[2], {}));
  EXPECT_EQ(server_->drain_status().in_flight, 1U);
  must(consumer.ack(own[0]));
  EXPECT_EQ(server_->drain_status().in_flight, 0U);
}

TEST_F(DrainTest, WhatGoesWithItsQueueIsNotInHandThoughALostClientHasALease) {
  start();
  auto consumer = patient_client();
  hand_out(consumer, 2);
  must(engine_->purge_queue("orders"));
  EXPECT_EQ(server_->drain_status().in_flight, 0U);
  hand_out(consumer, 2);
  must(engine_->delete_queue("orders"));
  EXPECT_EQ(server_->drain_status().in_flight, 0U);
  must(engine_->create_queue("orders", {.lease = 1h}));
  lose_one_with_a_message();
  server_->drain({.timeout = 1h});
  EXPECT_EQ(server_->drain_status().in_flight, 0U);
  EXPECT_EQ(counts().leased, 1U);
}

TEST_F(DrainTest, AllThatOneClientHoldsIsCounted) {
  start();
  auto consumer = patient_client();
  std::vector<Receipt> all;
  for (int i = 0; i < 3; ++i) std::ranges::copy(hand_out(consumer, 300), std::back_inserter(all));
  EXPECT_EQ(server_->drain_status().in_flight, 900U);
  for (const auto& settled : must(consumer.ack_batch(std::span(all).first(600)))) must(settled);
  for (int i = 0; i < 3; ++i) hand_out(consumer, 300);
  EXPECT_EQ(server_->drain_status().in_flight, 1200U);
}

TEST_F(DrainTest, TimeRunsOut) {
  start();
  auto consumer = client();
  const auto receipts = hand_out(consumer, 2);
  auto admin = client();
  must(admin.drain({.timeout = 1h}));
  must(admin.drain({.timeout = 0s}));  // a later drain replaces the options
  const auto status = over();
  EXPECT_EQ(status.in_flight, 2U);
  EXPECT_EQ(status.left, Duration(0));
}

// Time passes only when a test says so.
class DrainLeaseTest : public DrainTest {
 protected:
  DrainLeaseTest() {
    engine_.emplace(must(Engine::open(directory_ / "timed", {.clock = &clock_, .background = false})));
    must(engine_->create_queue("orders", {.lease = 1h}));
  }
  ~DrainLeaseTest() noexcept override {
    server_.reset();
    engine_.reset();  // the clock outlives the engine
  }

  Receipt receive_one(Client& to, Duration lease) {
    return must(to.receive("orders", {.lease = lease})).at(0).receipt;
  }
  void advance(Duration step) { testing::advance(*engine_, clock_, step); }

  ManualClock clock_;
};

TEST_F(DrainLeaseTest, ALeaseThatRanOutIsNotInHand) {
  start();
  auto consumer = patient_client();
  const Monitor monitor(*engine_, server_->meter(), 10);
  must(engine_->send("orders", {.body = "x"}));
  receive_one(consumer, 1s);
  EXPECT_EQ(server_->drain_status().in_flight, 1U);
  advance(1s);
  EXPECT_EQ(server_->drain_status().in_flight, 0U);
  EXPECT_THAT(monitor.page("/metrics").body, ::testing::HasSubstr("holdfast_deliveries_in_flight 0\n"));
  const Receipt again = receive_one(consumer, 1s);
  EXPECT_EQ(server_->drain_status().in_flight, 1U);
  must(consumer.ack(again));
  EXPECT_EQ(server_->drain_status().in_flight, 0U);
}

TEST_F(DrainLeaseTest, AnExtendedLeaseIsInHandUntilItsNewEnd) {
  start();
  auto consumer = patient_client();
  must(engine_->send("orders", {.body = "x"}));
  must(consumer.extend(receive_one(consumer, 1s), 1min));
  advance(1s);
  EXPECT_EQ(server_->drain_status().in_flight, 1U);
  advance(1min);
  EXPECT_EQ(server_->drain_status().in_flight, 0U);
}

TEST_F(DrainLeaseTest, ALostClientsLeaseIsNotWaitedForWhereAnotherHadLeasesThatRanOut) {
  start();
  auto consumer = patient_client();
  must(engine_->send("orders", {.body = "x"}));
  receive_one(consumer, 1s);
  advance(1s);
  must(consumer.ack(receive_one(consumer, 1s)));
  lose_one_with_a_message();
  server_->drain({.timeout = 1h});
  ASSERT_EQ(server_->drain_status().in_flight, 0U);
  EXPECT_EQ(over().in_flight, 0U);
  EXPECT_EQ(counts().leased, 1U);
}

TEST_F(DrainLeaseTest, WhoeverLetsLeasesRunOutHoldsOnlyWhatIsLeft) {
  start();
  auto consumer = patient_client();
  hand_out(consumer, 10);
  must(engine_->send_batch("orders", std::vector<Message>(300, {.body = "x"})));
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(must(consumer.receive("orders", {.max = 300, .lease = 1s})), SizeIs(300));
    advance(1s);
  }
  EXPECT_EQ(server_->drain_status().in_flight, 10U);
}

// The messages lay in a client's buffer for most of their leases.
TEST_F(DrainLeaseTest, WhatAStreamHandsOutHasItsWholeLease) {
  start();
  must(engine_->send_batch("orders", {{.body = "a"}, {.body = "b"}}));
  auto consumer = patient_client();
  auto stream = must(consumer.subscribe("orders", {.credit = 2, .lease = 10s}));
  while (counts().leased < 2) std::this_thread::yield();
  advance(9s);
  const auto asked = std::chrono::steady_clock::now();
  Deliveries out;
  while (out.size() < 2) std::ranges::move(must(stream.next(2, 1h)), std::back_inserter(out));
  const auto passed = std::chrono::ceil<Duration>(std::chrono::steady_clock::now() - asked);
  for (const Delivery& delivery : out) EXPECT_GE(delivery.lease_left + passed, 10s);
  advance(9s);
  EXPECT_EQ(counts(), (QueueCounts{.leased = 2}));
  for (const Delivery& delivery : out) must(consumer.ack(delivery.receipt));
}

TEST_F(DrainTest, WhoWatchesHearsOfEachChange) {
  start();
  auto consumer = client();
  const auto receipts = hand_out(consumer, 2);
  auto admin = client();
  must(admin.drain({.timeout = 1h}));
  // Calls of one client reach the server in their order, so the watch is there before the ack.
  const auto next_after_ack = [&](const Receipt& receipt) {
    std::promise<Result<DrainStatus>> changed;
    admin.async_call([](auto& verbs) { return verbs.drain_status(1h); },
                     [&](Result<DrainStatus> status) { changed.set_value(std::move(status)); });
    must(admin.ack(receipt));
    return must(changed.get_future().get());
  };
  EXPECT_EQ(next_after_ack(receipts[0]).in_flight, 1U);
  const DrainStatus last = next_after_ack(receipts[1]);
  EXPECT_TRUE(last.over);
  EXPECT_EQ(last.in_flight, 0U);
}

// A server that ended earlier would leave its followers to guess.
TEST_F(DrainTest, WhoFollowsADrainIsToldThatItIsOver) {
  start();
  auto consumer = patient_client();
  auto follower = patient_client();
  auto gone = std::make_optional(patient_client());
  const auto receipts = hand_out(consumer, 1);
  EXPECT_TRUE(server_->drain_is_known());
  must(follower.drain({.timeout = 1h}));
  must(gone->drain_status());
  must(consumer.ack(receipts[0]));
  EXPECT_TRUE(over().exits);
  EXPECT_FALSE(server_->drain_is_known());
  EXPECT_TRUE(must(follower.drain_status()).over);
  EXPECT_FALSE(server_->drain_is_known());
  gone.reset();
  while (!server_->drain_is_known()) std::this_thread::yield();
}

// The tests have a client that is told when the server has ended, so that its owner can start another server.
class EndTest : public DrainTest {
 protected:
  EndTest() {
    start();
    admin_.emplace(patient_client());
    drain({.timeout = 1h});
  }
  // Drains until the admin knows that the drain is over. A later call of drain_status waits for the end.
  void drain(const DrainOptions& options) {
    DrainStatus status = must(admin_->drain(options));
    while (!status.over) status = must(admin_->drain_status(1h));
  }
  std::future<Result<DrainStatus>> ask() {
    auto answer = std::make_shared<std::promise<Result<DrainStatus>>>();
    admin_->async_call([](auto& verbs) { return verbs.drain_status(1h); },
                       [answer](Result<DrainStatus> status) { answer->set_value(std::move(status)); });
    return answer->get_future();
  }
  std::optional<Client> admin_;
};

TEST_F(EndTest, IsToldToWhoWaitsForIt) {
  auto asked = ask();
  server_->stop(1h);
  must(engine_->close());
  server_->end({}, 1h);
  const DrainStatus last = must(asked.get());
  EXPECT_TRUE(last.ended);
  EXPECT_TRUE(last.over);
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(EndTest, IsToldToWhoAsksAfterTheStop) {
  server_->stop(1h);
  EXPECT_FALSE(must(admin_->drain_status()).ended);
  EXPECT_THAT(admin_->resume(), FailsWith(ErrorCode::kClosed));
  auto asked = ask();
  must(engine_->close());
  server_->end({}, 1h);
  EXPECT_TRUE(must(asked.get()).ended);
}

TEST_F(EndTest, SaysWhatClosingFailedWith) {
  auto asked = ask();
  server_->stop(1h);
  server_->end(fail(ErrorCode::kStorageFailed, "no fsync"), 1h);
  EXPECT_THAT(asked.get(), FailsWith(ErrorCode::kStorageFailed));
}

TEST_F(EndTest, IsNotWaitedForOnceItIsTakenBack) {
  must(admin_->resume());
  server_->stop(1h);
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(EndTest, WhatIsInHandStaysKnown) {
  must(admin_->resume());
  auto consumer = patient_client();
  hand_out(consumer, 2);
  drain({.timeout = 0s});
  server_->stop(1h);
  must(engine_->close());
  EXPECT_EQ(must(admin_->drain_status()).in_flight, 2U);
}

TEST_F(DrainTest, AServersOwnDrainIsNotTakenBack) {
  start();
  auto consumer = client();
  hand_out(consumer, 1);
  auto admin = client();
  server_->drain({.timeout = 1h});
  EXPECT_THAT(admin.resume(), FailsWith(ErrorCode::kClosed));
  EXPECT_THAT(admin.drain({.timeout = 0s}), FailsWith(ErrorCode::kClosed));
  EXPECT_GT(server_->drain_status().left, 59min);
}

TEST_F(DrainTest, TheOwnerMayStillConnectOverAUnixSocket) {
  start({.listen = {"unix:" + (directory_ / "s").string()}});
  server_->drain({.timeout = 1h});
  EXPECT_TRUE(must(client().drain_status()).draining);
}

// The owner's client gets new connections over which nothing begins. It must neither fill the server with
// them, nor let go of the connection that has the messages in hand.
TEST_F(DrainTest, TheOwnersClientKeepsTheConnectionThatHasMessages) {
  start({.listen = {"unix:" + (directory_ / "s").string()}});
  auto consumer = refused_client();
  auto stream = must(consumer.subscribe("dlq"));
  const auto receipts = hand_out(consumer, 1);
  server_->drain({.timeout = 1h});
  for (int i = 0; i < 3; ++i) {  // each try takes as long as a client keeps a connection that it does not use
    EXPECT_FALSE(consumer.send("orders", {.body = "x"}).has_value());
    EXPECT_LT(server_->connections(), 10U);
    EXPECT_EQ(server_->drain_status().in_flight, 1U);
  }
  must(consumer.ack(receipts[0]));
  EXPECT_TRUE(over().over);
}

TEST_F(DrainTest, BadOptionsAreNamed) {
  start();
  auto admin = client();
  EXPECT_THAT(admin.drain({.timeout = -1s}), RefusesValue("timeout"));
  EXPECT_THAT(admin.drain({.timeout = limits::kDelayMax + 1us}), RefusesValue("timeout"));
  EXPECT_THAT(admin.drain_status(-1s), RefusesValue("wait"));
  EXPECT_THAT(admin.drain_status(limits::kWaitMax + 1us), RefusesValue("wait"));
  EXPECT_FALSE(must(admin.drain_status()).draining);
}

TEST_F(DrainTest, NeedsTheRightToAdminister) {
  std::vector<TokenEntry> entries;
  for (const char* grant : {"operate:*", "administer:orders", "administer:*"}) {
    entries.push_back(token_with(grant, grant, grant));
  }
  start({.tokens = tokens_of(entries)});
  const auto with = [&](const std::string& token) {
    return must(Client::connect(server_->addresses().front(), {.token = token}));
  };
  for (const char* grant : {"operate:*", "administer:orders"}) {
    auto refused = with(grant);
    EXPECT_THAT(refused.drain(), FailsWith(ErrorCode::kPermissionDenied));
    EXPECT_THAT(refused.drain_status(), FailsWith(ErrorCode::kPermissionDenied));
    EXPECT_THAT(refused.resume(), FailsWith(ErrorCode::kPermissionDenied));
  }
  EXPECT_FALSE(server_->drain_status().draining);
  EXPECT_TRUE(must(with("administer:*").drain()).draining);
}

TEST_F(DrainTest, IsSeenFromOutside) {
  start();
  const Monitor monitor(*engine_, server_->meter(), 10);
  EXPECT_EQ(monitor.page("/readyz").status, 200U);
  auto consumer = client();
  hand_out(consumer, 2);
  server_->drain({.timeout = 1h});
  EXPECT_EQ(monitor.page("/readyz").status, 503U);
  EXPECT_EQ(monitor.page("/readyz").body, "draining\n");
  EXPECT_EQ(monitor.page("/healthz").status, 200U);
  const auto metrics = monitor.page("/metrics").body;
  EXPECT_THAT(metrics, ::testing::HasSubstr("holdfast_draining 1\n"));
  EXPECT_THAT(metrics, ::testing::HasSubstr("holdfast_deliveries_in_flight 2\n"));
}

}  // namespace
}  // namespace holdfast::server
