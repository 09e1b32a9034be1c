// These tests are about the client against the real server.
#include "tests/client/served.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "holdfast/buffered_sender.h"
#include "holdfast/worker.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ClientServed : public ::testing::TestWithParam<Served::Over> {
 protected:
  Served served_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Transports, ClientServed, ::testing::Values(Served::Over::kTcp, Served::Over::kUnix),
                         [](const auto& test) { return test.param == Served::Over::kTcp ? "Tcp" : "Unix"; });

TEST_P(ClientServed, AMessageGoesThroughItsLife) {
  auto client = served_.connect();
  must(client.create_queue("orders", {.retry = {.max_deliveries = 5}, .dead_letters = {.queue = "dead"}},
                           MissingQueues::kCreate));
  const std::string body(300'000, 'w');
  const auto sent = must(client.send("orders", {.body = body, .attributes = {{"correlation-id", "c-17"}}}));

  auto deliveries = must(client.receive("orders", {.consumer = {.instance = "a", .version = "1"}}));
  ASSERT_THAT(deliveries, SizeIs(1));
  EXPECT_EQ(deliveries[0].id, sent.id);
  EXPECT_EQ(deliveries[0].body, body);
  must(client.reject(deliveries[0].receipt, {.category = "validation", .reason = "too many w"}));

  const auto page = must(client.list_dead_letters("dead", {.bodies = true}));
  ASSERT_THAT(page.items, SizeIs(1));
  EXPECT_EQ(page.items[0].record.reason, "too many w");
  EXPECT_EQ(page.items[0].record.correlation_id, "c-17");
  EXPECT_EQ(page.items[0].body, body);
  EXPECT_EQ(must(client.redrive("dead")).moved, 1U);

  deliveries = must(client.receive("orders"));
  ASSERT_THAT(deliveries, SizeIs(1));
  EXPECT_EQ(deliveries[0].replays, 1U);
  must(client.extend(deliveries[0].receipt, 1min));
  must(client.release(deliveries[0].receipt));
  deliveries = must(client.receive("orders"));
  must(client.ack(deliveries[0].receipt));
  EXPECT_THAT(client.ack(deliveries[0].receipt), FailsAsSettled());
  EXPECT_EQ(must(client.describe_queue("orders")).totals.acked, 1U);
}

TEST_P(ClientServed, ABatchAnswersPerEntry) {
  auto client = served_.connect();
  must(client.create_queue("orders"));
  std::vector<Message> messages{
      {.body = "good"}, {.attributes = {{"", "a name is missing"}}}, {.body = "fine"}};
  const auto results = must(client.send_batch("orders", std::move(messages)));
  EXPECT_THAT(results, ElementsAre(Succeeds(), FailsWith(ErrorCode::kInvalidArgument), Succeeds()));

  const auto deliveries = must(client.receive("orders", {.max = 10}));
  ASSERT_THAT(deliveries, SizeIs(2));
  const std::vector receipts{deliveries[0].receipt, Receipt{QueueId(99), Seq(1), LeaseId(1)},
                             deliveries[1].receipt};
  const auto acked = must(client.ack_batch(receipts));
  ASSERT_THAT(acked, SizeIs(3));
  EXPECT_THAT(acked[0], Succeeds());
  EXPECT_FALSE(acked[1]);
  EXPECT_THAT(acked[2], Succeeds());
}

TEST_P(ClientServed, GoesOnAfterTheServerIsRestarted) {
  auto client = served_.connect();
  must(client.create_queue("orders"));
  must(client.send_batch("orders", {{.body = "1"}, {.body = "2"}}));
  const auto first = must(client.receive("orders")).front();

  served_.stop();
  auto ack = std::async(std::launch::async, [&] { return client.ack(first.receipt); });
  served_.start();

  EXPECT_THAT(ack.get(), Succeeds());
  EXPECT_EQ(must(client.receive("orders")).front().body, "2");
  EXPECT_EQ(first.body, "1");
}

TEST_P(ClientServed, AWaitingReceiveSurvivesARestart) {
  auto client = served_.connect();
  must(client.create_queue("orders"));
  auto received = std::async(std::launch::async, [&] { return client.receive("orders", {.wait = 10min}); });
  served_.stop();
  served_.start();
  auto producer = served_.connect();
  must(producer.send("orders", {.body = "at last"}));
  // A stopping server ends receives that wait with an empty list.
  auto deliveries = must(received.get());
  if (deliveries.empty()) deliveries = must(client.receive("orders", {.wait = 10min}));
  ASSERT_THAT(deliveries, SizeIs(1));
  EXPECT_EQ(deliveries[0].body, "at last");
}

TEST_P(ClientServed, ManyThreadsOnOneClientLoseAndDoubleNothing) {
  constexpr int kPairs = 4;
  constexpr int kMessages = 200;
  auto client = served_.connect();
  must(client.create_queue("orders", {.durability = Durability::kBuffered}));
  std::mutex mutex;
  std::multiset<std::string> received;
  std::atomic<int> left = kPairs * kMessages;
  std::vector<std::thread> threads;
  for (int p = 0; p < kPairs; ++p) {
    threads.emplace_back([&client, p] {
      for (int i = 0; i < kMessages; ++i) {
        must(client.send("orders", {.body = std::to_string(p) + "-" + std::to_string(i)}));
      }
    });
    threads.emplace_back([&] {
      while (left > 0) {
        for (const auto& delivery : must(client.receive("orders", {.max = 10, .wait = 10ms}))) {
          must(client.ack(delivery.receipt));
          const std::lock_guard lock(mutex);
          received.emplace(delivery.body);
          --left;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(received, SizeIs(kPairs * kMessages));
  EXPECT_THAT(std::set<std::string>(received.begin(), received.end()), SizeIs(kPairs * kMessages));
  EXPECT_EQ(must(client.describe_queue("orders")).counts, QueueCounts{});
  EXPECT_THAT(must(client.receive("orders")), IsEmpty());
}

// The calls of the sender have little time, so that the client does not know some of their outcomes.
TEST_P(ClientServed, ABufferedSenderAndAWorkerLoseAndDoubleNothingOverRestarts) {
  constexpr std::size_t kMessages = 2000;
  constexpr std::size_t kRestarts = 4;
  auto sending = served_.connect({.call_timeout = 50ms});
  auto receiving = served_.connect();
  must(receiving.create_queue("orders", {.durability = Durability::kBuffered}));

  std::mutex mutex;
  std::map<std::string, std::set<MessageId>> handled;  // guarded by the mutex
  const auto handled_count = [&] {
    const std::lock_guard lock(mutex);
    return handled.size();
  };
  RecentlyHandled log;
  auto worker = must(Worker::make(receiving, {.queue = "orders",
                                              .handler =
                                                  [&](const Delivery& delivery, const WorkContext&) {
                                                    const std::lock_guard lock(mutex);
                                                    handled[std::string(delivery.body)].insert(delivery.id);
                                                    return Work::done();
                                                  },
                                              .concurrency = 2,
                                              .prefetch = 50,
                                              .lease = 300ms,
                                              .wait = 20ms,
                                              .handled = &log}));
  std::jthread working([&] { must(worker.run()); });
  auto sender =
      must(BufferedSender::make(sending, {.queue = "orders", .batch_messages = 20, .buffer_messages = 100}));
  std::jthread filling([&] {
    std::vector<std::future<Result<Sent>>> sent;
    for (std::size_t i = 0; i < kMessages; ++i) sent.push_back(sender.send({.body = std::to_string(i)}));
    for (auto& one : sent) EXPECT_THAT(one.get(), Succeeds());
  });
  for (std::size_t restart = 1; restart <= kRestarts; ++restart) {
    while (handled_count() < restart * kMessages / (kRestarts + 1)) std::this_thread::yield();
    served_.stop();
    served_.start();
  }
  filling.join();
  while (handled_count() < kMessages) std::this_thread::yield();
  worker.stop();
  working.join();
  for (const auto& [body, ids] : handled) EXPECT_THAT(ids, SizeIs(1)) << body << " was sent twice";
}

TEST_P(ClientServed, AStreamThatMayNotBeginLosesNothing) {
  served_.server().set_limits({.max_calls = 1});
  auto client = served_.connect();
  must(client.create_queue("orders"));
  must(client.create_queue("idle"));
  must(client.send_batch("orders", std::vector<Message>(50, {.body = "x"})));
  auto stream = must(client.subscribe("orders", {.credit = 10}));
  std::promise<void> received;
  const auto waiting = client.async_receive("idle", {.wait = 1h}, [&](const Result<Deliveries>& deliveries) {
    EXPECT_THAT(must(deliveries), IsEmpty());
    received.set_value();
  });
  const auto leased = [&] { return must(served_.engine().describe_queue("orders")).counts.leased; };
  for (int i = 0; i < 5; ++i) EXPECT_THAT(stream.next(10), FailsWith(ErrorCode::kOverloaded));
  EXPECT_LE(leased(), 10U);
  client.cancel_receive(waiting);
  received.get_future().get();
  std::size_t taken = 0;
  while (taken < 50) {
    const auto deliveries = stream.next(10);
    if (!deliveries) continue;  // the server does not know of the cancellation yet
    taken += deliveries->size();
    for (const auto& delivery : *deliveries) EXPECT_EQ(delivery.deliveries, 1U);
  }
  EXPECT_EQ(leased(), 50U);
}

TEST_P(ClientServed, ASecondClientSeesTheSameQueues) {
  auto first = served_.connect();
  auto second = served_.connect();
  must(first.create_queue("orders"));
  EXPECT_THAT(must(second.list_queues()), SizeIs(1));
  must(second.delete_queue("orders"));
  EXPECT_THAT(first.describe_queue("orders"), FailsWith(ErrorCode::kQueueNotFound));
}

}  // namespace
}  // namespace holdfast::testing
