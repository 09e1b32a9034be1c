// Many messages that expire at once.
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/answer.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

constexpr std::size_t kExpiredMessages = 10'000;
constexpr std::size_t kBatch = 100;

class ExpiryTest : public ::testing::Test {
 protected:
  ExpiryTest() {
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (std::size_t sent = 0; sent < kExpiredMessages; sent += kBatch) {
      for (auto& each :
           must(engine_.send_batch("orders", std::vector<Message>(kBatch, {.time_to_live = 1s}))))
        must(std::move(each));
    }
    must(engine_.send("orders", {.body = "alive"}));
    clock_.advance(2s);
  }
  QueueCounts counts(std::string_view queue) { return must(engine_.describe_queue(queue)).counts; }

  ManualClock clock_;
  Engine engine_ = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                                {.clock = &clock_, .background = false}));
};

TEST_F(ExpiryTest, AReceiveLooksPastThemAllAndMovesSome) {
  EXPECT_THAT(must(engine_.receive("orders")), SizeIs(1));
  const std::uint64_t moved = counts("dlq").dead;
  EXPECT_GT(moved, 1000U);
  EXPECT_LT(moved, kExpiredMessages / 2);
  run_due_until_quiet(engine_, clock_);
  EXPECT_EQ(counts("dlq").dead, kExpiredMessages);
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
}

TEST_F(ExpiryTest, AReceiveWithACallbackLooksPastThemAll) {
  Answer<Result<Deliveries>> got;
  engine_.async_receive("orders", {}, got.callback());
  EXPECT_THAT(must(got.get()), SizeIs(1));
}

// An exhausted message still holds its group.
TEST_F(ExpiryTest, AReceiveLooksPastThoseOfItsGroup) {
  must(engine_.alter_queue("orders", {.grouping = {.mode = Grouping::kOrdered}}));
  EXPECT_THAT(must(engine_.receive("orders")), SizeIs(1));
  EXPECT_EQ(counts("dlq").dead, kExpiredMessages);
}

TEST_F(ExpiryTest, AReceiveLooksPastThoseOfItsGroupThatFailedTheirLastDelivery) {
  must(engine_.create_queue("retried",
                            {.lease = 10s,
                             .retry = {.max_deliveries = 1},
                             .dead_letters = {.queue = "dlq"},
                             .grouping = {.mode = Grouping::kOrdered}},
                            MissingQueues::kCreate));
  const std::vector<Message> batch(limits::kBatchEntries, {.body = "fails"});
  for (std::size_t sent = 0; sent < kExpiredMessages; sent += batch.size())
    must(engine_.send_batch("retried", batch));
  must(engine_.send("retried", {.body = "alive"}));
  for (std::size_t got = 0; got < kExpiredMessages;)
    got += must(engine_.receive("retried", {.max = std::min(limits::kReceiveMax, kExpiredMessages - got)}))
               .size();
  clock_.advance(10s);
  engine_.run_due();
  ASSERT_GT(counts("retried").waiting, 0U) << "all have moved already";
  const Deliveries deliveries = must(engine_.receive("retried"));
  ASSERT_THAT(deliveries, SizeIs(1));
  EXPECT_EQ(deliveries[0].body, "alive");
}

// The dead letters can be listed at once. They are not only counted, with their write left to a later commit.
TEST_F(ExpiryTest, WhatAReceiveMovesIsListed) {
  must(engine_.receive("orders"));
  EXPECT_EQ(must(engine_.group_dead_letters("dlq")).total, counts("dlq").dead);
}

TEST_F(ExpiryTest, AReceiveThatWaitsGetsWhatLiesBehindThem) {
  Answer<Result<Deliveries>> got;
  engine_.async_receive("orders", {.wait = 1min}, got.callback());
  // The engine's own thread moves some of the messages, and the test moves the rest.
  while (!got.here()) run_due_until_quiet(engine_, clock_);
  const Deliveries deliveries = must(got.get());
  ASSERT_THAT(deliveries, SizeIs(1));
  EXPECT_EQ(deliveries[0].body, "alive");
}

}  // namespace
}  // namespace holdfast::testing
