// Receives wait, and callers go away.
#include <memory>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "tests/server/server_fixture.h"
#include "tests/support/held_store.h"

namespace holdfast::server {
namespace {

class ServerReceive : public ServerFixture {
 protected:
  ServerReceive() {
    start();
    must(engine_->create_queue("orders"));
  }

  // Waits for the only message of the queue, and returns it as it was delivered.
  Delivery only_message(RawClient& client) {
    auto deliveries = must(client.receive("orders", {.wait = 1min}).wait(scope_));
    EXPECT_EQ(deliveries.size(), 1U);
    return deliveries.front();
  }
};

TEST_F(ServerReceive, IsWokenByASend) {
  auto client = connect();
  auto waiting = client->receive("orders", {.wait = 1h});
  EXPECT_FALSE(waiting.poll(scope_));
  auto sender = connect();
  must(sender->send("orders", {{.body = "hello"}}).wait(scope_));
  EXPECT_EQ(must(waiting.wait(scope_)).front().body, "hello");
}

TEST_F(ServerReceive, EndsEmptyWhenItsWaitIsOver) {
  auto client = connect();
  EXPECT_TRUE(must(client->receive("orders", {.wait = 1ms}).wait(scope_)).empty());
}

TEST_F(ServerReceive, ADroppedOneTakesNoMessages) {
  auto client = connect();
  for (int i = 0; i < 50; ++i) {
    { auto dropped = client->receive("orders", {.wait = 1h}); }
    must(client->send("orders", {{.body = std::to_string(i)}}).wait(scope_));
    auto delivery = only_message(*client);
    EXPECT_EQ(delivery.body, std::to_string(i));
    EXPECT_EQ(delivery.deliveries, 1U);
    must(must(client->ack({delivery.receipt}).wait(scope_)).front());
  }
}

TEST_F(ServerReceive, OneOfALostConnectionTakesNoMessages) {
  auto survivor = connect();
  for (int i = 0; i < 50; ++i) {
    auto lost = connect();
    auto waiting = lost->receive("orders", {.wait = 1h}).eagerlyEvaluate(nullptr);
    must(lost->receive("orders", {}).wait(scope_));  // by its answer the server has the receive that waits
    lost = nullptr;
    // What the server sends before it notices the loss is lost, like any reply to a client that crashes.
    while (server_->connections() > 1) must(survivor->receive("orders", {}).wait(scope_));
    must(survivor->send("orders", {{.body = std::to_string(i)}}).wait(scope_));
    auto delivery = only_message(*survivor);
    EXPECT_EQ(delivery.body, std::to_string(i));
    EXPECT_EQ(delivery.deliveries, 1U);
    must(must(survivor->ack({delivery.receipt}).wait(scope_)).front());
  }
}

// The drop and the delivery pass each other. If the reply was under way first, the message was handed out, as
// far as the server can know. It comes back, charged, when its lease runs out.
TEST_F(ServerReceive, OneThatIsDroppedWhileMessagesComeLosesNone) {
  auto client = connect();
  for (int i = 0; i < 20; ++i) {
    auto dropped = client->receive("orders", {.lease = 100ms, .wait = 1h});
    dropped.poll(scope_);
    auto sent = client->send("orders", {{.body = std::to_string(i)}}).eagerlyEvaluate(nullptr);
    sent.poll(scope_);  // sends the call; its delivery and the drop pass each other
    if (dropped.poll(scope_)) {
      const Receipt receipt = must(dropped.wait(scope_)).front().receipt;
      // An ack that comes when the lease is over is refused, and the message comes again.
      if (must(client->ack({receipt}).wait(scope_)).front()) continue;
    }
    dropped = nullptr;
    must(sent.wait(scope_));
    auto delivery = only_message(*client);
    EXPECT_EQ(delivery.body, std::to_string(i));
    EXPECT_LE(delivery.deliveries, 2U);
    must(must(client->ack({delivery.receipt}).wait(scope_)).front());
  }
}

TEST_F(ServerReceive, EndsWithAnEmptyListWhenTheServerStops) {
  auto client = connect();
  auto waiting = client->receive("orders", {.wait = 1h}).eagerlyEvaluate(nullptr);
  must(client->send("orders", {}).wait(scope_));  // by its answer the server has the receive that waits
  std::thread stopper([&] { server_->stop(1min); });
  EXPECT_TRUE(must(waiting.wait(scope_)).empty());
  client->on_disconnect().wait(scope_);
  client = nullptr;
  stopper.join();
}

TEST_F(ServerReceive, AStopDoesNotLetTheClientsOfOneLoopWaitForThoseOfAnother) {
  server_.reset();
  const auto hold = std::make_shared<Hold>();
  engine_.emplace(must(EngineInside::open_over(
      std::make_unique<HeldStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), hold),
      {.background = false})));
  must(engine_->create_queue("orders"));
  start({.io_threads = 2});
  auto busy = connect();
  must(busy->receive("orders", {}).wait(scope_));  // by each answer a loop has its client
  auto idle = connect();
  must(idle->receive("orders", {}).wait(scope_));
  hold->arm();
  auto sent = busy->send("orders", {{.body = "x"}}).eagerlyEvaluate(nullptr);
  busy->drained().wait(scope_);
  hold->wait_until_held();
  std::thread stopper([&] { server_->stop(1min); });
  idle->on_disconnect().wait(scope_);
  idle = nullptr;
  hold->go_on();
  must(must(sent.wait(scope_)).at(0));
  busy->on_disconnect().wait(scope_);
  busy = nullptr;
  stopper.join();
}

}  // namespace
}  // namespace holdfast::server
