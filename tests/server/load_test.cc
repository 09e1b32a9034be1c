// Many clients are busy at once, and the server stops in the middle of it.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "holdfast/client.h"
#include "tests/server/server_fixture.h"

namespace holdfast::server {
namespace {

using ServerLoad = ServerFixture;

TEST_F(ServerLoad, AThousandConnections) {
  start();
  must(engine_->create_queue("orders", {.durability = Durability::kBuffered}));
  constexpr int kClients = 1000;
  std::vector<std::unique_ptr<RawClient>> clients;
  clients.reserve(kClients);
  for (int i = 0; i < kClients; ++i) clients.push_back(connect());

  std::vector<kj::Promise<Result<Deliveries>>> receives;
  receives.reserve(kClients);
  for (auto& client : clients) receives.push_back(client->receive("orders", {.wait = 1h}));
  std::vector<kj::Promise<BatchResult<Sent>>> sends;
  sends.reserve(kClients);
  for (auto& client : clients) sends.push_back(client->send("orders", {{.body = "x"}}));
  for (auto& send : sends) must(must(send.wait(scope_)).front());

  std::set<MessageId> seen;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    auto deliveries = must(receives[i].wait(scope_));
    ASSERT_EQ(deliveries.size(), 1U);
    EXPECT_TRUE(seen.insert(deliveries.front().id).second);
    must(must(clients[i]->ack({deliveries.front().receipt}).wait(scope_)).front());
  }
  EXPECT_EQ(server_->connections(), 1000U);
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.acked, 1000U);
  clients.clear();
  wait_until([&] { return server_->connections() == 0; });
}

// Connections on several threads see the same queues, limits and rights. What one connection has taken,
// another one can settle.
TEST_F(ServerLoad, ConnectionsAreSpreadOverThreads) {
  start({.listen = {"127.0.0.1:0", "unix:" + (directory_ / "socket").string()}, .io_threads = 4});
  must(engine_->create_queue("orders", {.durability = Durability::kBuffered}));
  std::vector<Client> clients;
  for (std::size_t i = 0; i < 16; ++i) clients.push_back(must(Client::connect(server_->addresses()[i % 2])));
  EXPECT_EQ(server_->connections(), 16U);

  constexpr std::size_t kEach = 200;
  std::mutex mutex;
  std::set<MessageId> taken;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < clients.size(); i += 2) {
      threads.emplace_back([&sender = clients[i]] {
        for (std::size_t n = 0; n < kEach; ++n) must(sender.send("orders", {.body = "x"}));
      });
      threads.emplace_back([&, i] {
        for (std::size_t n = 0; n < kEach; ++n) {
          const auto delivery = must(clients[i + 1].receive("orders", {.wait = 1h})).front();
          must(clients[i].ack(delivery.receipt));
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(taken.insert(delivery.id).second);
        }
      });
    }
  }
  EXPECT_EQ(taken.size(), kEach * clients.size() / 2);
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.acked, taken.size());
  server_->set_limits({.max_connections = 16});
  server_->ping();
  EXPECT_FALSE(Client::connect(server_->addresses().front()));
}

class Senders {
 public:
  Senders(const std::string& address, int threads) {
    // All clients are connected before any of them sends, since a stopping server refuses new connections.
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back(
          [this, client = must(Client::connect(address, {.call_timeout = 1s}))]() mutable { run(client); });
    }
  }

  void wait_for(std::size_t sends) const {
    while (count_ < sends) std::this_thread::yield();
  }
  // Says that the server is about to stop: a call that fails from now on ends its thread.
  void expect_stop() { stops_ = true; }
  std::set<MessageId> finish() {
    threads_.clear();
    return acked_;
  }

 private:
  void run(Client& client) {
    for (;;) {
      auto results = client.send_batch("orders", std::vector<Message>(10, {.body = "payload"}));
      if (!results && stops_) return;
      if (!results) continue;  // the machine was too busy to answer in time
      std::lock_guard lock(mutex_);
      for (auto& sent : *results) {
        if (sent) acked_.insert(sent->id);
      }
      count_ = acked_.size();
    }
  }

  std::mutex mutex_;
  std::set<MessageId> acked_;
  std::atomic<std::size_t> count_ = 0;
  std::atomic<bool> stops_ = false;
  std::vector<std::jthread> threads_;
};

class ServerStop : public ServerFixture, public ::testing::WithParamInterface<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Threads, ServerStop, ::testing::Values(1, 3));

TEST_P(ServerStop, UnderLoadLosesNoAckedSend) {
  start({.io_threads = GetParam()});
  must(engine_->create_queue("orders"));
  Senders senders(server_->addresses().front(), 8);
  senders.wait_for(500);
  senders.expect_stop();
  server_->stop(1min);
  auto acked = senders.finish();
  must(engine_->close());
  engine_.emplace(must(Engine::open(directory_ / "data")));

  std::set<MessageId> stored;
  for (;;) {
    auto deliveries = must(engine_->receive("orders", {.max = 10'000}));
    if (deliveries.empty()) break;
    for (auto& delivery : deliveries) EXPECT_TRUE(stored.insert(delivery.id).second);
  }
  EXPECT_TRUE(std::includes(stored.begin(), stored.end(), acked.begin(), acked.end()));
}

// Some calls are read just before their connection goes, and begin after it has gone.
TEST_P(ServerStop, WhileCallsComeIn) {
  for (int round = 0; round < 20; ++round) {
    start({.io_threads = GetParam()});
    const auto client = connect();
    std::size_t called = 0;
    std::size_t answered = 0;
    bool connected = true;
    std::jthread stopper;
    while (connected) {
      for (int i = 0; i < 1000; ++i, ++called) {
        client->broker()
            .listDeadLettersRequest()
            .send()
            .ignoreResult()
            .catch_([&](kj::Exception&&) { connected = false; })
            .then([&] { ++answered; })
            .detach([](kj::Exception&&) {});
      }
      port_.after(0ms).wait(scope_);
      if (answered > 0 && !stopper.joinable()) stopper = std::jthread([&] { server_.reset(); });
    }
    wait_until([&] { return answered == called; });
    stopper.join();
    engine_.reset();
    engine_.emplace(must(Engine::open(directory_ / "data")));
  }
}

}  // namespace
}  // namespace holdfast::server
