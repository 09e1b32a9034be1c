// Full queues, and queues with as many leases as they may have.
#include "conformance/conformance.h"
#include "holdfast/limits.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Overflow : public BrokerFixture {
 protected:
  // One call, buffered. Gives which were accepted.
  std::vector<bool> send_batch(std::string_view queue, std::size_t n) {
    std::vector<Message> messages(n);
    for (std::size_t i = 0; i < n; ++i) messages[i].body = std::to_string(i);
    std::vector<bool> accepted;
    for (const auto& sent :
         must(broker().send_batch(queue, std::move(messages), {.durability = Durability::kBuffered}))) {
      accepted.push_back(sent.has_value());
    }
    return accepted;
  }
};
HOLDFAST_FOR_EACH_BROKER(Overflow);

TEST_P(Overflow, ASendToAFullQueueIsRefused) {
  create("orders", {.max_length = 3});
  EXPECT_THAT(send_batch("orders", 5), ElementsAre(true, true, true, false, false));
  EXPECT_THAT(broker().send("orders", {.body = "x"}), FailsWith(ErrorCode::kQueueFull));
  const Deliveries out = receive("orders", 2);
  EXPECT_THAT(broker().send("orders", {.body = "x"}), FailsWith(ErrorCode::kQueueFull));
  must(broker().release(out[0].receipt, {.delay = 1h}));
  EXPECT_THAT(broker().send("orders", {.body = "x"}), FailsWith(ErrorCode::kQueueFull));
  must(broker().ack(out[1].receipt));
  send("orders", "x");
  EXPECT_THAT(broker().send("orders", {.body = "y", .delay = 1h}), FailsWith(ErrorCode::kQueueFull));
  EXPECT_EQ(totals("orders").overflowed, 0U);
  reopen();
  EXPECT_THAT(broker().send("orders", {.body = "y"}), FailsWith(ErrorCode::kQueueFull));
  must(broker().alter_queue("orders", {.max_length = 4}));
  send("orders", "y");
}

TEST_P(Overflow, HeadsMakeRoom) {
  create("orders", {.max_length = 3, .on_overflow = OverflowPolicy::kDropHead});
  EXPECT_THAT(send_batch("orders", 5), ElementsAre(true, true, true, true, true));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 5, .overflowed = 2}));
  send("orders", "x");
  reopen();
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 6, .overflowed = 3}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("3", "4", "x"));
}

TEST_P(Overflow, HeadsThatMakeRoomAreDeadLettered) {
  create("orders",
         {.dead_letter_queue = "dlq", .max_length = 2, .on_overflow = OverflowPolicy::kDeadLetterHead});
  send_numbered("orders", 2);
  must(broker().release(receive_one("orders").receipt));
  send("orders", "x");
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.record.cause, DeathCause::kOverflow);
  EXPECT_EQ(letter.record.deliveries, 1U);
  EXPECT_EQ(letter.body, "0");
  EXPECT_EQ(totals("orders").dead_lettered, 1U);
  EXPECT_EQ(totals("orders").overflowed, 1U);
  // What comes back is not a send.
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 1U);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("1", "x", "0"));
}

TEST_P(Overflow, LeasedAndWaitingMessagesDoNotMakeRoom) {
  create("orders", {.max_length = 2, .on_overflow = OverflowPolicy::kDropHead});
  send_numbered("orders", 2);
  const Deliveries out = receive("orders", 2);
  must(broker().release(out[0].receipt, {.delay = 1h}));
  EXPECT_THAT(broker().send("orders", {.body = "x"}), FailsWith(ErrorCode::kQueueFull));
  must(broker().ack(out[1].receipt));
  send("orders", "x");
  send("orders", "y");
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("y"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 1, .leased = 1}));
}

TEST_P(Overflow, TheLowestPriorityMakesRoomFirst) {
  create("orders", {.priorities = 2, .max_length = 2, .on_overflow = OverflowPolicy::kDropHead});
  for (const auto& [body, priority] : std::vector<std::pair<std::string, std::uint32_t>>{
           {"high", 1}, {"low", 0}, {"higher", 1}, {"highest", 1}}) {
    must(broker().send("orders", {.body = body, .priority = priority}));
  }
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("higher", "highest"));
}

TEST_P(Overflow, ALowerLimitCountsFromTheNextSend) {
  create("orders");
  for (int i = 0; i < 5; ++i) send_batch("orders", 400);
  must(broker().alter_queue("orders", {.max_length = 10, .on_overflow = OverflowPolicy::kDropHead}));
  reopen();
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2000}));
  send("orders", "x");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 10}));
  EXPECT_EQ(totals("orders").overflowed, 1991U);
  reopen();
  EXPECT_THAT(bodies(receive("orders", 100)),
              ElementsAre("391", "392", "393", "394", "395", "396", "397", "398", "399", "x"));
}

TEST_P(Overflow, ADuplicateNeedsNoRoom) {
  create("orders", {.deduplication = Deduplication::kById, .max_length = 1});
  const MessageId id = must(broker().send("orders", {.body = "a", .deduplication_id = "1"})).id;
  const Sent again = must(broker().send("orders", {.body = "a", .deduplication_id = "1"}));
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.id, id);
}

TEST_P(Overflow, OptionsThatContradictEachOther) {
  EXPECT_THAT(broker().create_queue("a", {.on_overflow = OverflowPolicy::kDropHead}),
              RefusesValue("on_overflow"));
  EXPECT_THAT(broker().create_queue("a", {.max_length = 1, .on_overflow = OverflowPolicy::kDeadLetterHead}),
              RefusesValue("on_overflow"));
}

TEST_P(Overflow, LeasesAreBounded) {
  create("orders", {.lease = 10s, .max_leased = 3});
  send_numbered("orders", 5);
  const Deliveries out = receive("orders", 10);
  EXPECT_THAT(bodies(out), ElementsAre("0", "1", "2"));
  EXPECT_THAT(receive("orders", 10), IsEmpty());
  must(broker().ack(out[1].receipt));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("3"));
  reopen();
  EXPECT_THAT(receive("orders", 10), IsEmpty());
  advance(10s);
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("0", "2", "3"));
  must(broker().alter_queue("orders", {.max_leased = 0}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("4"));
}

}  // namespace
}  // namespace holdfast::testing
