// Statistics, compaction, verify and backup.
#include "tests/conformance/conformance.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class Operations : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(Operations);

TEST_P(Operations, VerifyLooksAtEverything) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 5);
  reject_one("orders");
  const VerifyReport report = must(broker().verify());
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.queues, 2U);
  EXPECT_EQ(report.messages, 5U);
  EXPECT_EQ(report.chunks, 2U);
}

TEST_P(Operations, StatisticsTellWhatHappened) {
  create("orders");
  const Timestamp start = now();
  send_numbered("orders", 6);
  advance(1s);
  receive("orders", 2);
  const QueueStatistics queue = must(broker().queue_statistics("orders"));
  EXPECT_GT(queue.sent.one_minute, 0);
  EXPECT_GT(queue.delivered.five_minutes, 0);
  EXPECT_EQ(queue.acked, Rate{});
  EXPECT_EQ(queue.oldest_ready, start);
  EXPECT_EQ(queue.oldest_leased, start);
  EXPECT_EQ(queue.next_due, now() + 30s);
  EXPECT_EQ(queue.delivery_latency.count, 2U);
  EXPECT_EQ(queue.delivery_latency.sum, 2'000'000U);
  const EngineStatistics engine = must(broker().statistics());
  EXPECT_EQ(engine.opened_at, start);
  EXPECT_EQ(engine.queues, 1U);
  EXPECT_GT(engine.fsync_commit.count, 0U);
  EXPECT_EQ(engine.reserve_bytes, 256U << 20);
  EXPECT_GT(engine.store.log_bytes, 0U);
  EXPECT_THAT(broker().queue_statistics("none"), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(Operations, CompactLosesNothing) {
  create("orders");
  send_numbered("orders", 5);
  must(broker().compact("orders"));
  must(broker().compact());
  EXPECT_EQ(bodies(receive_all("orders")).size(), 5U);
  EXPECT_THAT(broker().compact("none"), FailsWith(ErrorCode::kQueueNotFound));
}

}  // namespace
}  // namespace holdfast::testing
