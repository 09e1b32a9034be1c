// These tests are about delete_queue and purge_queue.
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class Delete : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(Delete);

class Purge : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(Purge);

TEST_P(Delete, TakesTheQueueAndAllThatIsInIt) {
  create("orders");
  send_numbered("orders", 300);
  const QueueId id = info("orders").id;
  must(broker().delete_queue("orders"));
  EXPECT_THAT(broker().describe_queue("orders"), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(must(broker().list_queues()), IsEmpty());

  create("orders");
  EXPECT_NE(info("orders").id, id);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(totals("orders"), QueueTotals{});
  EXPECT_THAT(receive("orders", 10), IsEmpty());
  reopen();
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(Delete, IsRefusedWhileAnotherQueueDeadLettersThere) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  EXPECT_THAT(broker().delete_queue("dlq"), FailsNaming(ErrorCode::kQueueInUse, "orders"));
  EXPECT_EQ(info("dlq").name, "dlq");
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "other"}}, MissingQueues::kCreate));
  must(broker().delete_queue("dlq"));
  must(broker().delete_queue("orders"));
  must(broker().delete_queue("other"));
}

TEST_P(Delete, IsRefusedUntilTheLastUserOfADeadLetterQueueIsGone) {
  create("a", {.dead_letters = {.queue = "dlq"}});
  create("b", {.dead_letters = {.queue = "dlq"}});
  must(broker().delete_queue("a"));
  EXPECT_THAT(broker().delete_queue("dlq"), FailsWith(ErrorCode::kQueueInUse));
  must(broker().delete_queue("b"));
  must(broker().delete_queue("dlq"));
}

TEST_P(Delete, OfTheSourceLeavesItsDeadLetters) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  send("orders", "a");
  const MessageId id = reject_one("orders");
  must(broker().delete_queue("orders"));
  const DeadLetter dead = only_dead_letter("dlq");
  EXPECT_EQ(dead.record.message_id, id);
  EXPECT_EQ(dead.record.source_queue, "orders");
}

TEST_P(Purge, TakesEveryMessageAndSaysHowMany) {
  create("orders");
  EXPECT_EQ(must(broker().purge_queue("orders")), 0U);
  send_numbered("orders", 300);
  const Deliveries leased = receive("orders", 3);
  must(broker().release(receive_one("orders").receipt, {.delay = 1h}));
  must(broker().ack(receive_one("orders").receipt));
  ASSERT_EQ(counts("orders"), (QueueCounts{.ready = 295, .waiting = 1, .leased = 3}));

  EXPECT_EQ(must(broker().purge_queue("orders")), 299U);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_THAT(receive("orders", 10), IsEmpty());
  advance(2h);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_THAT(broker().ack(leased[0].receipt), FailsWith(ErrorCode::kMessageNotFound));
}

TEST_P(Purge, LeavesTheQueueUsable) {
  create("orders");
  send_numbered("orders", 3);
  must(broker().purge_queue("orders"));
  send("orders", "after");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  reopen();
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(receive_one("orders").body, "after");
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 4, .delivered = 1}));
}

TEST_P(Purge, OfADeadLetterQueueTakesTheRecordsToo) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 5);
  for (int i = 0; i < 5; ++i) reject_one("orders");
  receive("dlq", 2);
  EXPECT_EQ(must(broker().purge_queue("dlq")), 5U);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 0U);
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

}  // namespace
}  // namespace holdfast::testing
