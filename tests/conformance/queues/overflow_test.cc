// Full queues, and queues that have as many leases as they may have.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Overflow : public BrokerFixture {
 protected:
  // Sends n messages in one buffered call. Returns which of them were accepted.
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
  create("orders", {.limits = {.max_length = 3}});
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
  must(broker().alter_queue("orders", {.limits = {.max_length = 4}}));
  send("orders", "y");
}

TEST_P(Overflow, HeadsMakeRoom) {
  create("orders", {.limits = {.max_length = 3, .on_overflow = OverflowPolicy::kDropHead}});
  EXPECT_THAT(send_batch("orders", 5), ElementsAre(true, true, true, true, true));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 5, .overflowed = 2}));
  send("orders", "x");
  reopen();
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 6, .overflowed = 3}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("3", "4", "x"));
}

TEST_P(Overflow, HeadsThatMakeRoomAreDeadLettered) {
  create("orders", {.dead_letters = {.queue = "dlq"},
                    .limits = {.max_length = 2, .on_overflow = OverflowPolicy::kDeadLetterHead}});
  send_numbered("orders", 2);
  const Consumer last{"worker", "2.1"};
  must(broker().release(must(broker().receive("orders", {.consumer = last})).at(0).receipt));
  send("orders", "x");
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.record.cause, DeathCause::kOverflow);
  EXPECT_EQ(letter.record.consumer, last);
  EXPECT_EQ(letter.record.deliveries, 1U);
  EXPECT_EQ(letter.body, "0");
  EXPECT_EQ(totals("orders").dead_lettered, 1U);
  EXPECT_EQ(totals("orders").overflowed, 1U);
  // A redriven message is not a send, so the limit does not stop it.
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 1U);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("1", "x", "0"));
}

TEST_P(Overflow, LeasedAndWaitingMessagesDoNotMakeRoom) {
  create("orders", {.limits = {.max_length = 2, .on_overflow = OverflowPolicy::kDropHead}});
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

TEST_P(Overflow, WhatWaitsForItsGroupMakesRoomToo) {
  create("orders", {.limits = {.max_length = 3, .on_overflow = OverflowPolicy::kDropHead},
                    .grouping = {.mode = Grouping::kOrdered}});
  for (const char* body : {"1", "2", "3"}) must(broker().send("orders", {.body = body, .group = "g"}));
  const Receipt held = receive_one("orders").receipt;
  for (const char* body : {"4", "5"}) must(broker().send("orders", {.body = body, .group = "g"}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2, .leased = 1}));
  must(broker().send("orders", {.body = "other", .group = "another"}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("other"));
  reopen();
  must(broker().ack(held));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("5"));
}

TEST_P(Overflow, AQueueThatRefusesSendsDropsNothing) {
  create("orders", {.dead_letters = {.queue = "dlq"}, .deduplication = {.mode = Deduplication::kById}});
  for (const char* body : {"1", "2", "3", "4", "5"})
    must(broker().send("orders", {.body = body, .deduplication_id = body}));
  must(broker().alter_queue("orders", {.limits = {.max_length = 2}}));
  EXPECT_TRUE(must(broker().send("orders", {.body = "1", .deduplication_id = "1"})).duplicate);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 5}));
}

TEST_P(Overflow, OneReadyMessageMakesRoomForOne) {
  create("orders", {.limits = {.max_length = 3, .on_overflow = OverflowPolicy::kDropHead}});
  send("orders", "ready");
  std::vector<Message> later(5, Message{.body = "later", .delay = 1h});
  const auto sent = must(broker().send_batch("orders", std::move(later)));
  EXPECT_EQ(std::ranges::count_if(sent, &Result<Sent>::has_value), 3);
  EXPECT_EQ(counts("orders"), (QueueCounts{.waiting = 3}));
}

TEST_P(Overflow, TheLowestPriorityMakesRoomFirst) {
  create("orders",
         {.limits = {.max_length = 2, .on_overflow = OverflowPolicy::kDropHead}, .priority = {.levels = 2}});
  for (const auto& [body, priority] : std::vector<std::pair<std::string, std::uint32_t>>{
           {"high", 1}, {"low", 0}, {"higher", 1}, {"highest", 1}}) {
    must(broker().send("orders", {.body = body, .priority = priority}));
  }
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("higher", "highest"));
}

TEST_P(Overflow, ALowerLimitCountsFromTheNextSend) {
  create("orders");
  for (int i = 0; i < 5; ++i) send_batch("orders", 400);
  must(broker().alter_queue("orders",
                            {.limits = {.max_length = 10, .on_overflow = OverflowPolicy::kDropHead}}));
  reopen();
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2000}));
  send("orders", "x");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 10}));
  EXPECT_EQ(totals("orders").overflowed, 1991U);
  reopen();
  EXPECT_THAT(bodies(receive("orders", 100)),
              ElementsAre("391", "392", "393", "394", "395", "396", "397", "398", "399", "x"));
}

// More messages have to leave than one commit takes.
TEST_P(Overflow, AFarLowerLimitDropsAllThatIsTooMuch) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  for (int i = 0; i < 3; ++i) send_batch("orders", limits::kBatchEntries);
  must(broker().alter_queue("orders",
                            {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDeadLetterHead}}));
  send("orders", "x");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(counts("dlq").dead, 3 * limits::kBatchEntries);
  EXPECT_EQ(totals("orders").overflowed, 3 * limits::kBatchEntries);
}

TEST_P(Overflow, ADuplicateNeedsNoRoom) {
  create("orders", {.limits = {.max_length = 1}, .deduplication = {.mode = Deduplication::kById}});
  const MessageId id = must(broker().send("orders", {.body = "a", .deduplication_id = "1"})).id;
  const Sent again = must(broker().send("orders", {.body = "a", .deduplication_id = "1"}));
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.id, id);
}

TEST_P(Overflow, BytesAreThoseOfBodiesAndAttributes) {
  create("orders", {.limits = {.max_bytes = 10}});
  must(broker().send("orders", {.body = "1234", .attributes = {{"a", "b"}}}));
  EXPECT_EQ(info("orders").bytes, 6U);
  EXPECT_THAT(broker().send("orders", {.body = "12345"}),
              FailsNaming(ErrorCode::kQueueFull, "max_bytes is 10"));
  must(broker().send("orders", {.body = "123", .attributes = {{"c", ""}}, .delay = 1h}));
  EXPECT_EQ(info("orders").bytes, 10U);
  EXPECT_THAT(broker().send("orders", {.body = "1"}), FailsWith(ErrorCode::kQueueFull));
  send("orders", "");
  reopen();
  EXPECT_EQ(info("orders").bytes, 10U);
  EXPECT_THAT(broker().send("orders", {.body = "1"}), FailsWith(ErrorCode::kQueueFull));
  const Delivery out = receive_one("orders");
  reopen();
  EXPECT_EQ(info("orders").bytes, 10U);
  must(broker().ack(out.receipt));
  EXPECT_EQ(info("orders").bytes, 4U);
  send("orders", "123456");
  EXPECT_THAT(broker().send("orders", {.body = "1"}), FailsWith(ErrorCode::kQueueFull));
  reopen();
  must(broker().purge_queue("orders"));
  EXPECT_EQ(info("orders").bytes, 0U);
}

TEST_P(Overflow, AMessageLargerThanMaxBytesNeverFits) {
  create("orders", {.limits = {.max_bytes = 10, .on_overflow = OverflowPolicy::kDropHead}});
  send("orders", "0123456789");
  EXPECT_THAT(broker().send("orders", {.body = "0123456789", .attributes = {{"a", ""}}}),
              FailsNaming(ErrorCode::kLimitExceeded, "max_bytes"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Overflow, HeadsMakeRoomForBytes) {
  create("orders", {.limits = {.max_bytes = 10, .on_overflow = OverflowPolicy::kDropHead}});
  for (const char* body : {"aaa", "bbb", "ccc"}) send("orders", body);
  send("orders", "dddd");
  EXPECT_EQ(info("orders").bytes, 10U);
  EXPECT_EQ(totals("orders").overflowed, 1U);
  const Delivery held = receive_one("orders");
  EXPECT_EQ(held.body, "bbb");
  // The leased message has three bytes of the ten, so seven can be freed, and no more.
  EXPECT_THAT(broker().send("orders", {.body = "eeeeeeee"}), FailsNaming(ErrorCode::kQueueFull, "max_bytes"));
  send("orders", "eeeeeee");
  EXPECT_EQ(info("orders").bytes, 10U);
  EXPECT_EQ(totals("orders").overflowed, 3U);
  must(broker().release(held.receipt, {.delay = 1h}));
  EXPECT_THAT(broker().send("orders", {.body = "eeeeeeee"}), FailsWith(ErrorCode::kQueueFull));
  reopen();
  EXPECT_EQ(info("orders").bytes, 10U);
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("eeeeeee"));
}

TEST_P(Overflow, NoMoreLeaveThanMakeRoomForBytes) {
  create("orders",
         {.limits = {.max_bytes = 10, .on_overflow = OverflowPolicy::kDropHead}, .priority = {.levels = 2}});
  for (const char* body : {"aaa", "bbb", "ccc", "dddd"})
    must(broker().send("orders", {.body = body, .priority = 1}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("bbb", "ccc", "dddd"));
}

TEST_P(Overflow, HeadsMakeRoomForBytesAlsoWhereTheLengthIsBounded) {
  create("orders",
         {.limits = {.max_length = 100, .max_bytes = 10, .on_overflow = OverflowPolicy::kDropHead}});
  for (const char* body : {"aaa", "bbb", "ccc", "dddd"}) send("orders", body);
  EXPECT_EQ(info("orders").bytes, 10U);
}

TEST_P(Overflow, HeadsThatMakeRoomForBytesAreDeadLettered) {
  create("orders", {.dead_letters = {.queue = "dlq"},
                    .limits = {.max_bytes = 4, .on_overflow = OverflowPolicy::kDeadLetterHead}});
  send("orders", "aaa");
  send("orders", "bbb");
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.record.cause, DeathCause::kOverflow);
  EXPECT_EQ(letter.record.reason, "made room in a queue of at most 4 bytes");
  EXPECT_EQ(info("dlq").bytes, 3U);
  EXPECT_EQ(info("orders").bytes, 3U);
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 1U);
  EXPECT_EQ(info("dlq").bytes, 0U);
  EXPECT_EQ(info("orders").bytes, 6U);
  reopen();
  EXPECT_EQ(info("orders").bytes, 6U);
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("bbb", "aaa"));
}

TEST_P(Overflow, BytesAndLengthHoldTogether) {
  create("orders", {.limits = {.max_length = 3, .max_bytes = 10}});
  EXPECT_THAT(send_batch("orders", 5), ElementsAre(true, true, true, false, false));
  must(broker().alter_queue("orders", {.limits = {.max_length = 20}}));
  send("orders", "1234567");
  EXPECT_THAT(broker().send("orders", {.body = "x"}), FailsNaming(ErrorCode::kQueueFull, "max_bytes"));
  must(broker().alter_queue("orders", {.limits = {.max_bytes = 11}}));
  send("orders", "x");
}

TEST_P(Overflow, BytesFollowEveryWayOutOfAQueue) {
  create("orders", {.lease = 10s, .retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}});
  create("drops", {.expiry = {.policy = ExpiryPolicy::kDrop}});
  send_numbered("orders", 8);
  Deliveries out = receive("orders", 5);
  must(broker().ack(out[0].receipt));
  must(broker().release(out[1].receipt));
  must(broker().reject(out[2].receipt, {.category = "poison"}));
  advance(10s);
  EXPECT_EQ(info("orders").bytes, 3U);
  EXPECT_EQ(info("dlq").bytes, 4U);
  must(broker().discard_dead_letters("dlq", {.filter = {.category = "poison"}}));
  EXPECT_EQ(info("dlq").bytes, 3U);
  must(broker().send("drops", {.body = "abc", .time_to_live = 5s}));
  must(broker().send("drops", {.body = "defg", .delay = 1h}));
  advance(5s);
  EXPECT_EQ(info("drops").bytes, 4U);
  advance(1h);
  EXPECT_EQ(info("drops").bytes, 4U);
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
  reopen();
  EXPECT_EQ(info("orders").bytes, 3U);
  EXPECT_EQ(info("dlq").bytes, 3U);
}

TEST_P(Overflow, OptionsThatContradictEachOther) {
  EXPECT_THAT(broker().create_queue("a", {.limits = {.on_overflow = OverflowPolicy::kDropHead}}),
              RefusesValue("on_overflow"));
  EXPECT_THAT(broker().create_queue(
                  "a", {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDeadLetterHead}}),
              RefusesValue("on_overflow"));
}

TEST_P(Overflow, LeasesAreBounded) {
  create("orders", {.lease = 10s, .limits = {.max_leased = 3}});
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
  must(broker().alter_queue("orders", {.limits = {.max_leased = 0}}));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("4"));
}

}  // namespace
}  // namespace holdfast::testing
