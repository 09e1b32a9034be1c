// These tests are about statistics of queues and of the engine: rates, ages, latencies, commits and the space
// on disk.
#include "holdfast/statistics.h"

#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::DoubleNear;

TEST(HistogramTest, PutsValuesIntoPowersOfTwo) {
  Histogram histogram;
  for (const std::uint64_t value : {0U, 1U, 2U, 3U, 4U, 1000U}) histogram.add(value);
  EXPECT_EQ(histogram.buckets[0], 1U);
  EXPECT_EQ(histogram.buckets[1], 1U);
  EXPECT_EQ(histogram.buckets[2], 2U);
  EXPECT_EQ(histogram.buckets[3], 1U);
  EXPECT_EQ(histogram.buckets[10], 1U);
  EXPECT_EQ(histogram.count, 6U);
  EXPECT_EQ(histogram.sum, 1010U);
  EXPECT_EQ(histogram.quantile(0), 0U);
  EXPECT_EQ(histogram.quantile(0.5), 3U);
  EXPECT_EQ(histogram.quantile(1), 1023U);
  histogram.add(UINT64_MAX);
  EXPECT_EQ(histogram.buckets.back(), 1U);
  EXPECT_EQ(Histogram{}.quantile(0.5), 0U);
}

class StatisticsTest : public ::testing::Test {
 protected:
  StatisticsTest() { must(engine_.create_queue("orders", {.lease = 30s})); }
  QueueStatistics orders() { return must(engine_.queue_statistics("orders")); }
  void send(std::size_t count) {
    must(engine_.send_batch("orders", std::vector<Message>(count, {.body = "x"})));
  }

  TempDir temp_;
  ManualClock clock_;
  Engine engine_ = must(Engine::open(temp_.path(), {.clock = &clock_, .background = false}));
};

TEST_F(StatisticsTest, RatesSettleOnAnEvenLoadAndFadeAfterIt) {
  must(engine_.alter_queue("orders", {.durability = Durability::kBuffered}));
  for (int second = 0; second < 600; ++second) {
    send(10);
    const Deliveries deliveries = must(engine_.receive("orders", {.max = 10}));
    for (const Delivery& delivery : deliveries) must(engine_.ack(delivery.receipt));
    clock_.advance(1s);
  }
  const QueueStatistics busy = orders();
  EXPECT_THAT(busy.sent.one_minute, DoubleNear(10, 0.2));
  EXPECT_THAT(busy.acked.one_minute, DoubleNear(10, 0.2));
  EXPECT_THAT(busy.delivered.five_minutes, DoubleNear(10 * (1 - std::exp(-2)), 0.2));
  EXPECT_EQ(busy.dead_lettered, Rate{});
  clock_.advance(1min);
  EXPECT_THAT(orders().sent.one_minute, DoubleNear(10 / std::exp(1), 0.2));
}

TEST_F(StatisticsTest, AgesAreThoseOfTheForemost) {
  EXPECT_EQ(orders(), (QueueStatistics{}));
  const Timestamp start = clock_.now();
  send(2);
  clock_.advance(5s);
  send(1);
  EXPECT_EQ(orders().oldest_ready, start);
  EXPECT_EQ(orders().oldest_leased, std::nullopt);
  const Deliveries handed = must(engine_.receive("orders", {.max = 2}));
  EXPECT_EQ(orders().oldest_ready, start + 5s);
  EXPECT_EQ(orders().oldest_leased, start);
  EXPECT_EQ(orders().next_due, clock_.now() + 30s);
  must(engine_.release(handed[1].receipt));
  EXPECT_EQ(orders().oldest_ready, start);
  must(engine_.ack(handed[0].receipt));
  EXPECT_EQ(orders().oldest_leased, std::nullopt);
  // disk_bytes does not count what is only in memory and in the log.
  EXPECT_EQ(orders().disk_bytes, 0U);
  must(engine_.send_batch("orders", std::vector<Message>(100, {.body = std::string(1000, 'x')})));
  must(engine_.compact());
  EXPECT_GT(orders().disk_bytes, 0U);
}

TEST_F(StatisticsTest, LatencyIsFromSendToDelivery) {
  send(3);
  clock_.advance(1ms);
  must(engine_.receive("orders", {.max = 2}));
  clock_.advance(1s);
  must(engine_.receive("orders"));
  const Histogram latency = orders().delivery_latency;
  EXPECT_EQ(latency.count, 3U);
  EXPECT_EQ(latency.sum, 1000U + 1000U + 1'001'000U);
  EXPECT_EQ(latency.quantile(0.5), 1023U);
}

TEST_F(StatisticsTest, CommitsAreCountedByDurability) {
  const EngineStatistics before = must(engine_.statistics());
  send(100);
  must(engine_.send("orders", {.body = "x"}, {.durability = Durability::kBuffered}));
  const EngineStatistics after = must(engine_.statistics());
  EXPECT_EQ(after.fsync_commit.count, before.fsync_commit.count + 1);
  EXPECT_EQ(after.buffered_commit.count, before.buffered_commit.count + 1);
  EXPECT_EQ(after.group_calls.count, before.group_calls.count + 2);
  EXPECT_GT(after.group_bytes.sum, before.group_bytes.sum);
  EXPECT_EQ(after.opened_at, clock_.now());
  EXPECT_EQ(after.queues, 1U);
  EXPECT_GT(after.free_bytes, 0U);
  EXPECT_GT(after.store.memtable_bytes, 0U);
  EXPECT_GT(after.store.log_bytes, 0U);
  EXPECT_EQ(after.store.block_cache_capacity, 64U << 20);
}

TEST_F(StatisticsTest, CompactionGivesSpaceBack) {
  must(engine_.send_batch("orders", std::vector<Message>(200, {.body = std::string(10'000, 'x')})));
  must(engine_.compact());
  const std::uint64_t full = must(engine_.statistics()).store.table_bytes;
  must(engine_.purge_queue("orders"));
  must(engine_.compact("orders"));
  EXPECT_LT(must(engine_.statistics()).store.table_bytes, full / 2);
  EXPECT_THAT(engine_.compact("none"), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(engine_.queue_statistics("none"), FailsWith(ErrorCode::kQueueNotFound));
}

}  // namespace
}  // namespace holdfast::testing
