// The engine's own thread does what falls due. Each test blocks until it is done, and measures no times.
#include "holdfast/engine.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class BackgroundTest : public ::testing::Test {
 protected:
  Delivery wait_for_one(std::string_view queue) {
    return std::move(must(engine_.receive(queue, {.lease = 1h, .wait = 1h})).at(0));
  }

  TempDir temp_;
  Engine engine_ = must(Engine::open(temp_ / "data"));
};

TEST_F(BackgroundTest, EndsLeases) {
  must(engine_.create_queue("orders", {.lease = 1ms}));
  const MessageId id = must(engine_.send("orders", {.body = "a"})).id;
  must(engine_.receive("orders"));
  EXPECT_EQ(wait_for_one("orders").id, id);
}

TEST_F(BackgroundTest, EndsDelays) {
  must(engine_.create_queue("orders"));
  const MessageId id = must(engine_.send("orders", {.body = "a"})).id;
  must(engine_.release(must(engine_.receive("orders")).at(0).receipt, {.delay = 1ms}));
  EXPECT_EQ(wait_for_one("orders").id, id);
}

TEST_F(BackgroundTest, EndsWaits) {
  must(engine_.create_queue("orders"));
  EXPECT_THAT(must(engine_.receive("orders", {.wait = 1ms})), IsEmpty());
}

TEST_F(BackgroundTest, DeadLetters) {
  must(engine_.create_queue("orders",
                            {.lease = 1ms, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}},
                            MissingQueues::kCreate));
  const MessageId id = must(engine_.send("orders", {.body = "a"})).id;
  must(engine_.receive("orders"));
  must(engine_.receive("orders", {.lease = 1ms, .wait = 1h}));
  const Delivery dead = wait_for_one("dlq");
  EXPECT_EQ(dead.id, id);
  EXPECT_EQ(must(engine_.list_dead_letters("dlq")).items.at(0).record.deliveries, 2U);
}

TEST_F(BackgroundTest, GoesOnAfterAReopen) {
  must(engine_.create_queue("orders", {.lease = 1ms}));
  const MessageId id = must(engine_.send("orders", {.body = "a"})).id;
  must(engine_.receive("orders"));
  must(engine_.close());
  engine_ = must(Engine::open(temp_ / "data"));
  EXPECT_EQ(wait_for_one("orders").id, id);
}

}  // namespace
}  // namespace holdfast::testing
