// Transactions that send to bounded and deduplicating queues.
#include "holdfast/engine.h"
#include "tests/engine/transactions/transaction_fixture.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

TEST_F(TransactionTest, FillsAQueueUpToItsMaxLength) {
  must(engine_->create_queue("full", {.limits = {.max_length = 2, .max_bytes = 5}}));
  const auto sends = [&](const std::vector<std::string>& bodies) {
    Transaction transaction;
    for (const std::string& body : bodies) transaction.send("full", {.body = body});
    return engine_->commit(std::move(transaction));
  };
  EXPECT_THAT(sends({"a", "b", "c"}), FailsNaming(ErrorCode::kQueueFull, "entry 2 (send): queue 'full'"));
  EXPECT_THAT(sends({"aaa", "bbb"}), FailsNaming(ErrorCode::kQueueFull, "max_bytes is 5"));
  EXPECT_THAT(sends({"aaaaaa"}), FailsNaming(ErrorCode::kLimitExceeded, "entry 0 (send)"));
  EXPECT_EQ(counts("full"), QueueCounts{});
  EXPECT_THAT(sends({"aaa", "bb"}), Succeeds());
  EXPECT_THAT(sends({""}), FailsNaming(ErrorCode::kQueueFull, "max_length is 2"));
}

TEST_F(TransactionTest, WhatItTakesOutFirstMakesRoom) {
  must(engine_->create_queue("full",
                             {.dead_letters = {.queue = "dlq"}, .limits = {.max_length = 1, .max_bytes = 5}},
                             MissingQueues::kCreate));
  const auto replace = [&](auto take, const std::string& body) {
    const Delivery delivery = must(engine_->receive("full", {.lease = 1h})).at(0);
    Transaction late;
    late.send("full", {.body = body});
    take(late, delivery.receipt);
    EXPECT_THAT(engine_->commit(std::move(late)), FailsNaming(ErrorCode::kQueueFull, "entry 0 (send)"));
    Transaction transaction;
    take(transaction, delivery.receipt);
    transaction.send("full", {.body = body});
    return engine_->commit(std::move(transaction));
  };
  must(engine_->send("full", {.body = "aaaa"}));
  EXPECT_THAT(replace([](Transaction& t, const Receipt& receipt) { t.ack(receipt); }, "bbbbb"), Succeeds());
  EXPECT_THAT(replace([](Transaction& t, const Receipt& receipt) { t.reject(receipt, {}); }, "c"),
              Succeeds());
  EXPECT_EQ(must(engine_->describe_queue("full")).bytes, 1U);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).bytes, 5U);
  // A message that is given back keeps its room.
  const Delivery held = must(engine_->receive("full")).at(0);
  Transaction transaction;
  transaction.release(held.receipt).send("full", {.body = "d"});
  EXPECT_THAT(engine_->commit(std::move(transaction)), FailsNaming(ErrorCode::kQueueFull, "entry 1 (send)"));
}

TEST_F(TransactionTest, WhatItDeadLettersFirstTakesRoom) {
  must(engine_->create_queue("dead", {.dead_letters = {.direct_sends = true}, .limits = {.max_length = 1}}));
  must(engine_->create_queue("heavy", {.dead_letters = {.direct_sends = true}, .limits = {.max_bytes = 5}}));
  for (const std::string target : {"dead", "heavy"}) {
    const std::string source = target + "-source";
    must(engine_->create_queue(source, {.dead_letters = {.queue = target}}, MissingQueues::kCreate));
    must(engine_->send(source, {.body = "aaa"}));
    Transaction transaction;
    transaction.reject(must(engine_->receive(source)).at(0).receipt, {}).send(target, {.body = "bbb"});
    EXPECT_THAT(engine_->commit(std::move(transaction)),
                FailsNaming(ErrorCode::kQueueFull, "entry 1 (send)"));
    EXPECT_EQ(counts(target), QueueCounts{});
  }
}

TEST_F(TransactionTest, ItsSendsDropHeadsAfterIt) {
  must(
      engine_->create_queue("short", {.durability = Durability::kBuffered,
                                      .limits = {.max_bytes = 6, .on_overflow = OverflowPolicy::kDropHead}}));
  must(engine_->send("short", {.body = "aaa"}));
  const Delivery held = must(engine_->receive("short", {.lease = 1h})).at(0);
  Transaction transaction;
  transaction.send("short", {.body = "bb"}).send("short", {.body = "cc"});
  EXPECT_THAT(engine_->commit(std::move(transaction)), Succeeds());
  EXPECT_EQ(counts("short"), (QueueCounts{.ready = 1, .leased = 1}));
  EXPECT_EQ(must(engine_->describe_queue("short")).bytes, 5U);
  // A message that waits cannot be dropped to make room.
  Transaction waiting;
  waiting.send("short", {.body = "ddd", .delay = 1h}).send("short", {.body = "e"});
  EXPECT_THAT(engine_->commit(std::move(waiting)), FailsNaming(ErrorCode::kQueueFull, "entry 1 (send)"));
  EXPECT_THAT(engine_->ack(held.receipt), Succeeds());
}

TEST_F(TransactionTest, WithoutASendDropsNothing) {
  for (const OverflowPolicy policy : {OverflowPolicy::kRejectSend, OverflowPolicy::kDropHead}) {
    const std::string queue = "shortened" + std::to_string(static_cast<int>(policy));
    must(engine_->create_queue(queue));
    for (int i = 0; i < 4; ++i) must(engine_->send(queue, {.body = "x"}));
    must(engine_->alter_queue(queue, {.limits = {.max_length = 1, .on_overflow = policy}}));
    const Deliveries held = must(engine_->receive(queue, {.max = 2}));
    Transaction transaction;
    transaction.ack(held.at(0).receipt).release(held.at(1).receipt);
    EXPECT_THAT(engine_->commit(std::move(transaction)), Succeeds());
    EXPECT_EQ(counts(queue), (QueueCounts{.ready = 3}));
  }
}

TEST_F(TransactionTest, ADuplicateWithinItNeedsNoRoom) {
  must(engine_->create_queue("once",
                             {.limits = {.max_length = 1}, .deduplication = {.mode = Deduplication::kById}}));
  const Message message{.body = "x", .deduplication_id = "a"};
  Transaction transaction;
  transaction.send("once", message).send("once", message);
  const Committed done = must(engine_->commit(std::move(transaction)));
  EXPECT_EQ(done.sent.at(0), done.sent.at(1));
  EXPECT_EQ(counts("once"), (QueueCounts{.ready = 1}));
}

// The message that is dropped for room is written buffered, which says nothing of the transaction itself.
TEST_F(TransactionTest, SaysWhatItGotAlsoIfItMakesRoom) {
  must(engine_->create_queue("short",
                             {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
  for (int i = 0; i < 3; ++i) {
    Transaction transaction;
    transaction.send("short", {.body = "x"});
    EXPECT_EQ(must(engine_->commit(std::move(transaction))).durability, Durability::kFsync) << i;
  }
}

// The dead letters can be listed at once. They are not only counted, with their write left to a later commit.
TEST_F(TransactionTest, WhatItsSendsPushOutIsListedWhenItReturns) {
  must(engine_->create_queue("short",
                             {.durability = Durability::kBuffered,
                              .dead_letters = {.queue = "dead"},
                              .limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDeadLetterHead}},
                             MissingQueues::kCreate));
  must(engine_->send("short", {.body = "a"}));
  Transaction transaction;
  transaction.send("short", {.body = "b"});
  EXPECT_THAT(engine_->commit(std::move(transaction)), Succeeds());
  EXPECT_EQ(counts("dead").dead, 1U);
  EXPECT_THAT(must(engine_->list_dead_letters("dead")).items, SizeIs(1));
}

}  // namespace
}  // namespace holdfast::testing
