// These tests check what puts a message into its dead letter queue, and how dead letter queues are declared.
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MaxDeliveries : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  }
};
HOLDFAST_FOR_EACH_BROKER(MaxDeliveries);

class DeadLetterQueue : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(DeadLetterQueue);

TEST_P(MaxDeliveries, DeadLettersWhenTheLastLeaseRunsOut) {
  const MessageId id = send("orders", "a", {{"correlation-id", "c-1"}});
  const Timestamp sent_at = now();
  receive_one("orders");
  advance(10s);
  const Timestamp first_failed_at = now();
  const Delivery last = receive_one("orders", {.consumer = {.instance = "w", .version = "3"}});
  EXPECT_EQ(last.deliveries, 2U);
  advance(10s);

  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 1, .delivered = 2, .dead_lettered = 1}));
  const DeadLetter dead = only_dead_letter("dlq");
  EXPECT_EQ(dead.body, "a");
  EXPECT_EQ(dead.attributes, (Attributes{{"correlation-id", "c-1"}}));
  const FailureRecord expected{.message_id = id,
                               .source_queue_id = info("orders").id,
                               .source_queue = "orders",
                               .source_seq = last.receipt.seq,
                               .sent_at = sent_at,
                               .cause = DeathCause::kMaxDeliveries,
                               .category = "",
                               .reason =
                                   "the lease ran out: 'w', version '3', had it for 10.0 s; "
                                   "extensions of the lease: 0",
                               .code = "",
                               .stack_trace = "",
                               .deliveries = 2,
                               .replays = 0,
                               .first_failed_at = first_failed_at,
                               .last_failed_at = now(),
                               .died_at = now(),
                               .consumer = {.instance = "w", .version = "3"},
                               .correlation_id = "c-1",
                               .workflow_version = "",
                               .visits = 1,
                               .attempts = {.kept = {{first_failed_at, AttemptEnd::kLeaseExpired, {}, 10s},
                                                     {now(), AttemptEnd::kLeaseExpired, {"w", "3"}, 10s}}},
                               .fingerprint = dead.record.fingerprint};
  EXPECT_EQ(dead.record, expected);
}

TEST_P(MaxDeliveries, DeadLettersWhenTheLastDeliveryIsReleased) {
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(only_dead_letter("dlq").record.cause, DeathCause::kMaxDeliveries);
}

TEST_P(MaxDeliveries, DeadLettersEvenIfTheReleaseAsksForADelay) {
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt, {.delay = 1s}));
  advance(1s);
  must(broker().release(receive_one("orders").receipt, {.delay = 1h}));
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(MaxDeliveries, SparesAnUnchargedRelease) {
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  for (int i = 0; i < 5; ++i) must(broker().release(receive_one("orders").receipt, {.charge = false}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(MaxDeliveries, CountsDeliveriesOfBeforeAReopen) {
  send("orders", "a");
  receive_one("orders");
  advance(10s);
  reopen();
  run_due();
  EXPECT_EQ(receive_one("orders").deliveries, 2U);
  reopen();
  advance(10s);
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(MaxDeliveries, CountsLeasesThatRunOutWhileClosed) {
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  const Delivery last = receive_one("orders", {.lease = 1s});
  reopen();
  advance(1h);
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.deliveries, 2U);
  EXPECT_GE(record.last_failed_at, last.lease_expires_at);
  EXPECT_LE(record.last_failed_at, now());
}

TEST_P(MaxDeliveries, OfOneGivesNoSecondChance) {
  create("once", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}});
  send("once", "a");
  must(broker().release(receive_one("once").receipt));
  EXPECT_EQ(counts("once"), QueueCounts{});
  EXPECT_EQ(only_dead_letter("dlq").record.deliveries, 1U);
}

TEST_P(MaxDeliveries, WithoutADeadLetterQueueRetriesForEver) {
  create("bare", {.lease = 1s, .retry = {.max_deliveries = 2}});
  send("bare", "a");
  for (std::uint32_t i = 1; i <= 10; ++i) {
    EXPECT_EQ(receive_one("bare").deliveries, i);
    advance(1s);
  }
  EXPECT_EQ(counts("bare"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(totals("bare").dead_lettered, 0U);
}

// Other messages of the same receive do not die with a poison message.
TEST_P(MaxDeliveries, CondemnsOnlyTheMessageThatFailed) {
  send_numbered("orders", 200);
  for (int round = 0; round < 2; ++round) {
    const Deliveries out = receive("orders", 200);
    ASSERT_EQ(out.size(), 200U);
    for (std::size_t i = 0; i < out.size(); ++i) must(broker().release(out[i].receipt, {.charge = i == 77}));
  }
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 199}));
  EXPECT_EQ(only_dead_letter("dlq").body, "77");
}

TEST_P(MaxDeliveries, DeadLettersManyAtOnce) {
  send_numbered("orders", 1000);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(receive("orders", 1000).size(), 1000U);
    advance(10s);
  }
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1000, .dead = 1000}));
  std::vector<int> numbers;
  for (const DeadLetter& dead : dead_letters("dlq")) numbers.push_back(std::stoi(dead.body));
  std::ranges::sort(numbers);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(numbers.at(static_cast<std::size_t>(i)), i);
}

// --- declaring dead letter queues ---

TEST_P(DeadLetterQueue, IsCreatedWithDefaultsIfItIsMissing) {
  create("orders", {.lease = 1s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  EXPECT_EQ(info("dlq").options, QueueOptions{});
  reopen();
  EXPECT_EQ(info("dlq").options, QueueOptions{});
}

TEST_P(DeadLetterQueue, IsLeftAloneIfItExists) {
  create("dlq", {.lease = 7s, .retry = {.max_deliveries = 9}});
  send("dlq", "kept");  // nothing dead-letters to it yet
  create("orders", {.dead_letters = {.queue = "dlq"}});
  EXPECT_EQ(info("dlq").options, (QueueOptions{.lease = 7s, .retry = {.max_deliveries = 9}}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1}));
}

TEST_P(DeadLetterQueue, MayServeSeveralQueues) {
  for (const char* name : {"a", "b"}) {
    create(name, {.dead_letters = {.queue = "dlq"}});
    send(name, name);
    reject_one(name);
  }
  const auto dead = dead_letters("dlq");
  ASSERT_EQ(dead.size(), 2U);
  EXPECT_EQ(dead[0].record.source_queue, "a");
  EXPECT_EQ(dead[1].record.source_queue, "b");
}

TEST_P(DeadLetterQueue, CannotBeTheQueueItself) {
  EXPECT_THAT(broker().create_queue("orders", {.dead_letters = {.queue = "orders"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  EXPECT_THAT(must(broker().list_queues()), IsEmpty());
  create("orders");
  EXPECT_THAT(broker().alter_queue("orders", {.dead_letters = {.queue = "orders"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
}

TEST_P(DeadLetterQueue, CannotCloseACycle) {
  create("a", {.dead_letters = {.queue = "b"}});
  EXPECT_THAT(broker().alter_queue("b", {.dead_letters = {.queue = "a"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  must(broker().alter_queue("b", {.dead_letters = {.queue = "c"}}, MissingQueues::kCreate));
  EXPECT_THAT(broker().alter_queue("c", {.dead_letters = {.queue = "a"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  EXPECT_EQ(info("c").options.dead_letters.queue, "");
  reopen();
  EXPECT_THAT(broker().alter_queue("c", {.dead_letters = {.queue = "b"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  must(broker().alter_queue("a", {.dead_letters = {.queue = ""}}));
  must(broker().alter_queue("c", {.dead_letters = {.queue = "a"}}, MissingQueues::kCreate));
}

TEST_P(DeadLetterQueue, MayHaveOneItself) {
  create("a", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "b"}});
  must(broker().alter_queue("b", {.retry = {.max_deliveries = 2}, .dead_letters = {.queue = "c"}},
                            MissingQueues::kCreate));
  const MessageId id = send("a", "x", {{"k", "v"}});
  advance(1s);
  must(broker().release(receive_one("a").receipt));
  const Timestamp first_failed_at = now();
  for (int i = 0; i < 2; ++i) {
    advance(1s);
    const Delivery out = receive_one("b");
    EXPECT_EQ(out.id, id);
    EXPECT_EQ(out.deliveries, static_cast<std::uint32_t>(i + 1));
    must(broker().release(out.receipt));
  }
  EXPECT_EQ(counts("b"), QueueCounts{});
  EXPECT_THAT(dead_letters("b"), IsEmpty());
  EXPECT_EQ(counts("c"), (QueueCounts{.ready = 1, .dead = 1}));
  const DeadLetter dead = only_dead_letter("c");
  EXPECT_EQ(dead.record.message_id, id);
  EXPECT_EQ(dead.record.cause, DeathCause::kMaxDeliveries);
  EXPECT_EQ(dead.record.deliveries, 2U);
  EXPECT_EQ(dead.record.first_failed_at, first_failed_at);
  EXPECT_EQ(dead.record.last_failed_at, now());
  EXPECT_EQ(dead.body, "x");
  EXPECT_EQ(dead.attributes, (Attributes{{"k", "v"}}));
}

TEST_P(DeadLetterQueue, KeepsTheOrdinaryMessagesThatItHadBefore) {
  create("dlq");
  send("dlq", "ordinary");
  create("orders", {.dead_letters = {.queue = "dlq"}});
  send("orders", "dead");
  reject_one("orders");
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 2, .dead = 1}));
  EXPECT_EQ(only_dead_letter("dlq").body, "dead");
  EXPECT_THAT(bodies(receive("dlq", 10)), ElementsAre("ordinary", "dead"));
  EXPECT_EQ(totals("dlq").sent, 1U);
}

}  // namespace
}  // namespace holdfast::testing
