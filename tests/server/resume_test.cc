// A server is killed or stopped under load again and again, while its clients go on. Nothing may be lost or
// doubled.
#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "holdfast/client.h"
#include "tests/server/daemon_process.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;
using namespace holdfast::testing;

// Keeps what the clients were told.
class Ledger {
 public:
  void sent(const std::string& body, const Result<Sent>& result) {
    const std::lock_guard lock(mutex_);
    if (!result) {
      unsure_.insert(body);
      return;
    }
    ids_.emplace(body, result->id);
    EXPECT_EQ(ids_.at(body), result->id) << body << " was sent as two messages";
    owed_.insert(body);
  }

  void delivered(const Delivery& delivery) {
    const std::lock_guard lock(mutex_);
    const std::string body(delivery.body);
    ids_.emplace(body, delivery.id);
    EXPECT_EQ(ids_.at(body), delivery.id) << body << " came as two messages";
    EXPECT_FALSE(acked_.contains(body)) << body << " came again, though it was acked";
  }

  void acked(const std::string& body, const Result<void>& result) {
    const std::lock_guard lock(mutex_);
    if (result) acked_.insert(body);
    if (!result && result.error().code == ErrorCode::kOutcomeUnknown) unsure_.insert(body);
  }

  std::size_t settled() const {
    const std::lock_guard lock(mutex_);
    return acked_.size();
  }

  void expect_balanced() const {
    for (const std::string& body : owed_) {
      EXPECT_TRUE(acked_.contains(body) || unsure_.contains(body)) << body << " was lost";
    }
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, MessageId> ids_;
  std::set<std::string> owed_;
  std::set<std::string> acked_;
  std::set<std::string> unsure_;
};

class Resume : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Daemon> start() {
    auto daemon = std::make_unique<Daemon>(std::vector<std::string>{
        "--data", (directory_ / "data").string(), "--listen", address_, "--io-threads", "2"});
    (void)daemon->address();
    return daemon;
  }

  Client client() {
    return must(Client::connect(address_, {.reconnect_delay = 1ms, .reconnect_delay_max = 10ms}));
  }

  void produce(int number) {
    auto client = this->client();
    for (int i = 0; !producers_end_; ++i) {
      const std::string body = std::to_string(number) + "-" + std::to_string(i);
      ledger_.sent(body, client.send("orders", {.body = body}));
    }
  }

  // If the answer to a receive is lost, the message stays held until the lease is over. A server that stops
  // loses none, and no lease is over before its message is settled. An ack may wait for the next server for
  // longer than the leases of the other deliveries last, so all are noted before the first ack.
  void consume() {
    auto client = this->client();
    while (!consumers_end_) {
      auto deliveries =
          client.receive("orders", {.max = 5, .lease = GetParam() == SIGTERM ? 1h : 10s, .wait = 50ms});
      if (!deliveries) continue;
      for (const Delivery& delivery : *deliveries) ledger_.delivered(delivery);
      for (const Delivery& delivery : *deliveries) {
        const auto acked = client.ack(delivery.receipt);
        ledger_.acked(std::string(delivery.body), acked);
        if (GetParam() != SIGTERM) continue;
        // A stopping server waits for what it has handed out, so nothing comes twice.
        EXPECT_EQ(delivery.deliveries, 1U) << delivery.body;
        EXPECT_THAT(acked, Succeeds()) << delivery.body;
      }
    }
  }

  TempDir directory_;
  const std::string address_ = "unix:" + (directory_ / "socket").string();
  Ledger ledger_;
  std::atomic<bool> producers_end_ = false;
  std::atomic<bool> consumers_end_ = false;
};

INSTANTIATE_TEST_SUITE_P(On, Resume, ::testing::Values(SIGKILL, SIGTERM),
                         [](const auto& test) { return test.param == SIGKILL ? "Kill" : "Term"; });

TEST_P(Resume, TheBooksBalance) {
  auto daemon = start();
  auto watcher = client();
  must(watcher.create_queue("orders"));
  std::vector<std::jthread> consumers;
  for (int i = 0; i < 2; ++i) consumers.emplace_back([this] { consume(); });
  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < 3; ++i) producers.emplace_back([this, i] { produce(i); });
    for (int round = 0; round < 5; ++round) {
      const std::size_t enough = ledger_.settled() + 50;
      while (ledger_.settled() < enough) std::this_thread::yield();
      daemon->signal(GetParam());
      EXPECT_EQ(daemon->exit_status(), GetParam() == SIGKILL ? 1000 + SIGKILL : 0) << daemon->log();
      daemon = start();
    }
    producers_end_ = true;
  }
  for (;;) {
    const auto counts = must(watcher.describe_queue("orders")).counts;
    if (counts.ready + counts.leased == 0) break;
    std::this_thread::yield();
  }
  consumers_end_ = true;
  consumers.clear();
  ledger_.expect_balanced();
}

}  // namespace
}  // namespace holdfast::server
