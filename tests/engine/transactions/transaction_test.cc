// Transactions: all or nothing, over queues and the application's own families.
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/engine/transactions/transaction_fixture.h"
#include "tests/support/dead_letter_audit.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Optional;
using ::testing::SizeIs;

TEST_F(TransactionTest, DoesAllOfItsEntries) {
  const Delivery acked = deliver("orders", "acked");
  const Delivery rejected = deliver("orders", "rejected");
  const Delivery released = deliver("plain", "released");
  Transaction transaction;
  transaction.ack(acked.receipt)
      .reject(rejected.receipt, {.category = "c", .reason = "r"})
      .release(released.receipt)
      .send("plain", {.body = "first"})
      .send("orders", {.body = "second"})
      .put(family_, "a", "1")
      .put(family_, "b", "1")
      .remove(family_, "b");
  EXPECT_EQ(transaction.size(), 8U);
  const Committed done = must(engine_->commit(std::move(transaction)));
  EXPECT_EQ(done.durability, Durability::kFsync);
  ASSERT_THAT(done.sent, SizeIs(2));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(counts("plain"), (QueueCounts{.ready = 2}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
  EXPECT_EQ(must(engine_->list_dead_letters("dlq")).items.at(0).record.category, "c");
  EXPECT_EQ(must(engine_->receive("orders")).at(0).id, done.sent[1]);
  EXPECT_THAT(value("a"), Optional(std::string("1")));
  EXPECT_EQ(value("b"), std::nullopt);
}

// The promise also holds after a restart, which reads the index as it was written.
TEST_F(TransactionTest, ARejectTakesTheRoutesAndLeavesTheRecordOfAPlainOne) {
  must(engine_->alter_queue("orders", {.dead_letters = {.routes = {{{"timeout", "slow"}}}}},
                            MissingQueues::kCreate));
  const auto rejection = [](const std::string& category) {
    return Rejection{.category = category,
                     .reason = "no answer after 30 s",
                     .code = "E7",
                     .stack_trace = "main\nwork",
                     .causes = {{"E1", "refused"}},
                     .partial_output = "half"};
  };
  for (const std::string category : {"timeout", "validation"}) {
    must(engine_->reject(deliver("orders").receipt, rejection(category)));
    Transaction transaction;
    transaction.reject(deliver("orders").receipt, rejection(category)).put(family_, category, "rejected");
    must(engine_->commit(std::move(transaction)));
  }
  crash();
  for (const std::string queue : {"slow", "dlq"}) {
    SCOPED_TRACE(queue);
    const auto letters = must(engine_->list_dead_letters(queue)).items;
    ASSERT_THAT(letters, SizeIs(2));
    const FailureRecord& plain = letters[0].record;
    FailureRecord by_transaction = letters[1].record;
    EXPECT_EQ(plain.category, queue == "slow" ? "timeout" : "validation");
    EXPECT_NE(by_transaction.message_id, plain.message_id);
    by_transaction.message_id = plain.message_id;
    by_transaction.source_seq = plain.source_seq;
    EXPECT_EQ(by_transaction, plain);
    const auto groups =
        must(engine_->group_dead_letters(queue, {.by = DeadLetterGrouping::kFingerprint})).groups;
    ASSERT_THAT(groups, SizeIs(1));
    EXPECT_EQ(groups[0].count, 2U);
  }
  must(engine_->close());
  engine_.reset();
  const auto store = must(open_memory_store(disk_));
  EXPECT_EQ(stored_index(*store), expected_index(*store));
  must(store->close());
}

// If the category has no route, and the queue no dead letter queue, the message has nowhere to go.
TEST_F(TransactionTest, ARejectWithoutARouteStopsAll) {
  must(engine_->alter_queue("plain", {.dead_letters = {.routes = {{{"timeout", "slow"}}}}},
                            MissingQueues::kCreate));
  const Delivery delivery = deliver("plain");
  Transaction unrouted;
  unrouted.put(family_, "k", "v").reject(delivery.receipt, {.category = "other"});
  EXPECT_THAT(engine_->commit(std::move(unrouted)), FailsWith(ErrorCode::kNoDeadLetterQueue));
  EXPECT_EQ(value("k"), std::nullopt);
  Transaction routed;
  routed.reject(delivery.receipt, {.category = "timeout"});
  EXPECT_THAT(engine_->commit(std::move(routed)), Succeeds());
  EXPECT_EQ(counts("slow").dead, 1U);
}

TEST_F(TransactionTest, AnEmptyOneDoesNothing) {
  EXPECT_THAT(engine_->commit({}), Succeeds());
  Transaction nothing;
  nothing.expect(family_, "k", std::nullopt);
  EXPECT_THAT(engine_->commit(std::move(nothing)), Succeeds());
}

TEST_F(TransactionTest, OneBadEntryStopsAll) {
  const Delivery good = deliver("orders");
  const Delivery settled = deliver("orders");
  const Delivery nowhere = deliver("plain");
  must(engine_->ack(settled.receipt));
  const QueueCounts before = counts("orders");
  const auto refused = [&](auto add, ErrorCode code, const std::string& entry) {
    Transaction transaction;
    transaction.ack(good.receipt).send("orders", {.body = "x"}).put(family_, "k", "v");
    add(transaction);
    transaction.send("plain", {.body = "x"});
    EXPECT_THAT(engine_->commit(std::move(transaction)), FailsNaming(code, "entry 3 (" + entry + "): "));
    EXPECT_EQ(counts("orders"), before);
    EXPECT_EQ(counts("plain"), (QueueCounts{.leased = 1}));
    EXPECT_EQ(value("k"), std::nullopt);
  };
  refused([&](Transaction& t) { t.ack(settled.receipt); }, ErrorCode::kMessageNotFound, "ack");
  refused(
      [&](Transaction& t) {
        t.ack({good.receipt.queue, good.receipt.seq, LeaseId{9}});
      },
      ErrorCode::kReceiptStale, "ack");
  refused(
      [&](Transaction& t) {
        t.ack({QueueId{99}, Seq{1}, LeaseId{1}});
      },
      ErrorCode::kMessageNotFound, "ack");
  refused([&](Transaction& t) { t.reject(settled.receipt, {}); }, ErrorCode::kMessageNotFound, "reject");
  refused([&](Transaction& t) { t.reject(nowhere.receipt, {}); }, ErrorCode::kNoDeadLetterQueue, "reject");
  refused([&](Transaction& t) { t.release(settled.receipt); }, ErrorCode::kMessageNotFound, "release");
  refused([&](Transaction& t) { t.release(good.receipt); }, ErrorCode::kInvalidArgument, "release");
  refused([&](Transaction& t) { t.release(nowhere.receipt, {.delay = -1us}); }, ErrorCode::kInvalidArgument,
          "release");
  refused([&](Transaction& t) { t.send("missing", {}); }, ErrorCode::kQueueNotFound, "send");
  refused(
      [&](Transaction& t) {
        t.send("plain", {.attributes = {{"", "v"}}});
      },
      ErrorCode::kInvalidArgument, "send");
  refused([&](Transaction& t) { t.send("plain", {.visible_at = clock_.now() + limits::kDelayMax + 1us}); },
          ErrorCode::kLimitExceeded, "send");
  refused(
      [&](Transaction& t) {
        t.put({FamilyId{77}, "other"}, "k", "v");
      },
      ErrorCode::kFamilyNotFound, "put");
  refused([&](Transaction& t) { t.put(family_, "", "v"); }, ErrorCode::kInvalidArgument, "put");
  refused([&](Transaction& t) { t.remove(family_, ""); }, ErrorCode::kInvalidArgument, "remove");
  refused([&](Transaction& t) { t.expect(family_, "k", "v"); }, ErrorCode::kPreconditionFailed, "expect");
}

TEST_F(TransactionTest, NamesTheFirstOfItsRepeatedReceipts) {
  const Receipt first = deliver("orders").receipt;
  const Receipt second = deliver("orders").receipt;
  Transaction transaction;
  transaction.ack(second).send("orders", {.body = "x"}).ack(first).release(second).ack(first);
  EXPECT_THAT(engine_->commit(std::move(transaction)),
              FailsNaming(ErrorCode::kInvalidArgument, "entry 3 (release): "));
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 2}));
}

TEST_F(TransactionTest, HasItsLimits) {
  const auto put = [&](std::size_t key, std::size_t value) {
    Transaction transaction;
    transaction.put(family_, std::string(key, 'k'), std::string(value, 'v'));
    return engine_->commit(std::move(transaction));
  };
  EXPECT_THAT(put(limits::kApplicationKeyBytes, limits::kApplicationValueBytes), Succeeds());
  EXPECT_THAT(put(limits::kApplicationKeyBytes + 1, 0), FailsNaming(ErrorCode::kLimitExceeded, "the key"));
  EXPECT_THAT(put(1, limits::kApplicationValueBytes + 1),
              FailsNaming(ErrorCode::kLimitExceeded, "the value"));

  const auto entries = [&](std::size_t count, std::size_t value) {
    Transaction transaction;
    for (std::size_t i = 0; i < count; ++i) transaction.put(family_, "k", std::string(value, 'v'));
    return engine_->commit(std::move(transaction));
  };
  EXPECT_THAT(entries(limits::kBatchEntries, 1), Succeeds());
  EXPECT_THAT(entries(limits::kBatchEntries + 1, 1), FailsNaming(ErrorCode::kLimitExceeded, "entries"));
  const std::size_t large = limits::kApplicationValueBytes - 1;  // with its key, the limit exactly
  EXPECT_THAT(entries(limits::kBatchBytes / (large + 1), large), Succeeds());
  EXPECT_THAT(entries(limits::kBatchBytes / (large + 1) + 1, large),
              FailsNaming(ErrorCode::kLimitExceeded, "the batch has"));
}

// The limit is for the bodies that a transaction rejects. Discarded bodies do not count, and a single message
// is never too large.
TEST_F(TransactionTest, HasALimitForBodiesThatItDeadLetters) {
  const auto deliver_to = [&](const std::string& queue) {
    must(engine_->create_queue(
        queue,
        {.dead_letters = {.queue = queue == "kept" ? "dlq" : "", .discard_rejected = queue != "kept"},
         .limits = {.max_body_bytes = limits::kBodyBytesMax}},
        MissingQueues::kCreate));
    std::vector<Receipt> receipts;
    for (const std::size_t bytes : {limits::kBatchBytes / 2, limits::kBatchBytes / 2, std::size_t{1}})
      receipts.push_back(deliver(queue, std::string(bytes, 'x')).receipt);
    return receipts;
  };
  const auto reject = [&](const std::vector<Receipt>& receipts) {
    Transaction transaction;
    for (const Receipt& receipt : receipts) transaction.reject(receipt, {});
    transaction.put(family_, "rejected", std::to_string(receipts.size()));
    return engine_->commit(std::move(transaction));
  };
  std::vector<Receipt> kept = deliver_to("kept");
  EXPECT_THAT(reject(kept), FailsNaming(ErrorCode::kLimitExceeded, "what it rejects has 67108865 bytes"));
  EXPECT_EQ(counts("kept"), (QueueCounts{.leased = 3}));
  EXPECT_EQ(value("rejected"), std::nullopt);
  kept.pop_back();
  EXPECT_THAT(reject(kept), Succeeds());
  EXPECT_EQ(counts("dlq").dead, 2U);

  EXPECT_THAT(reject(deliver_to("thrown-away")), Succeeds());
  EXPECT_EQ(counts("thrown-away"), QueueCounts{});

  must(engine_->send("kept", {.body = std::string(limits::kBodyBytesMax, 'x'), .attributes = {{"n", "v"}}}));
  EXPECT_THAT(reject({must(engine_->receive("kept")).at(0).receipt}), Succeeds());
  EXPECT_EQ(counts("dlq").dead, 3U);
}

TEST_F(TransactionTest, ARejectMovesOneOfAChunkAsItIs) {
  std::vector<Message> messages;
  for (const std::string body : {"a", "b", "c"})
    messages.push_back({.body = body, .attributes = {{"n", body}}, .group = "g" + body});
  must(engine_->send_batch("orders", messages));
  const Deliveries deliveries = must(engine_->receive("orders", {.max = 3}));
  Transaction transaction;
  transaction.ack(deliveries.at(0).receipt)
      .reject(deliveries.at(1).receipt, {})
      .ack(deliveries.at(2).receipt);
  must(engine_->commit(std::move(transaction)));
  EXPECT_EQ(counts("orders"), QueueCounts{});
  const Delivery dead = must(engine_->receive("dlq")).at(0);
  EXPECT_EQ(dead.id, deliveries[1].id);
  EXPECT_EQ(dead.body, "b");
  EXPECT_EQ(dead.attributes, deliveries[1].attributes);
  EXPECT_EQ(dead.group, "gb");
}

TEST_F(TransactionTest, AReleaseToTheTailGoesBehindItsSends) {
  const Delivery first = deliver("plain", "first");
  Transaction transaction;
  transaction.release(first.receipt, {.to = ReturnTo::kTail}).send("plain", {.body = "second"});
  must(engine_->commit(std::move(transaction)));
  crash();
  engine_->run_due();  // moves the message again, in case the crash took the first move
  const Deliveries all = must(engine_->receive("plain", {.max = 10}));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].body, "second");
  EXPECT_EQ(all[1].body, "first");
  EXPECT_EQ(all[1].deliveries, 2U);
  EXPECT_TRUE(must(engine_->verify()).findings.empty());
}

TEST_F(TransactionTest, AConditionSeesTheStateBeforeIt) {
  Transaction first;
  first.expect(family_, "k", std::nullopt).put(family_, "k", "1").expect(family_, "k", std::nullopt);
  EXPECT_THAT(engine_->commit(std::move(first)), Succeeds());
  Transaction again;
  again.expect(family_, "k", std::nullopt).put(family_, "k", "2");
  EXPECT_THAT(engine_->commit(std::move(again)), FailsNaming(ErrorCode::kPreconditionFailed, "entry 0"));
  Transaction next;
  next.expect(family_, "k", "1").put(family_, "k", "2");
  EXPECT_THAT(engine_->commit(std::move(next)), Succeeds());
  EXPECT_THAT(value("k"), Optional(std::string("2")));
}

TEST_F(TransactionTest, ALastReleaseDeadLetters) {
  Delivery delivery = deliver("orders");
  must(engine_->release(delivery.receipt));
  delivery = must(engine_->receive("orders")).at(0);
  Transaction transaction;
  transaction.release(delivery.receipt).put(family_, "k", "v");
  must(engine_->commit(std::move(transaction)));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_F(TransactionTest, ADuplicateIsNotSentAgain) {
  must(engine_->create_queue("unique", {.deduplication = {.mode = Deduplication::kById}}));
  const MessageId first = must(engine_->send("unique", {.body = "a", .deduplication_id = "1"})).id;
  Transaction transaction;
  transaction.send("unique", {.body = "a", .deduplication_id = "1"})
      .send("unique", {.body = "b", .deduplication_id = "2"})
      .send("unique", {.body = "b", .deduplication_id = "2"});
  const auto sent = must(engine_->commit(std::move(transaction))).sent;
  ASSERT_THAT(sent, SizeIs(3));
  EXPECT_EQ(sent[0], first);
  EXPECT_EQ(sent[1], sent[2]);
  EXPECT_EQ(counts("unique").ready, 2U);
}

TEST_F(TransactionTest, WakesAWaitingReceive) {
  std::optional<Result<Deliveries>> received;
  std::atomic<bool> here = false;
  engine_->async_receive("plain", {.wait = 1h}, [&](Result<Deliveries> deliveries) {
    received = std::move(deliveries);
    here = true;
    here.notify_all();
  });
  Transaction transaction;
  transaction.send("plain", {.body = "x"});
  must(engine_->commit(std::move(transaction)));
  here.wait(false);
  EXPECT_THAT(must(*received), SizeIs(1));
}

// Every commit that a transaction can meet fails in turn. After an opening, the transaction has happened in
// whole or not at all.
TEST_F(TransactionTest, AFailedWriteLeavesAllOrNothing) {
  for (const auto outcome : {CommitOutcome::kFailed, CommitOutcome::kUnknown, CommitOutcome::kUnknown,
                             CommitOutcome::kUnknown, CommitOutcome::kUnknown}) {
    const std::uint64_t dead_before = counts("dlq").dead;
    const std::string before = value("k").value_or("0");
    const Delivery acked = deliver("orders");
    const Delivery rejected = deliver("orders");
    Transaction transaction;
    const std::string after = std::to_string(std::stoi(before) + 1);
    transaction.ack(acked.receipt).reject(rejected.receipt, {}).send("plain", {}).put(family_, "k", after);
    disk_->fail_commit(1, outcome);
    EXPECT_THAT(engine_->commit(std::move(transaction)), FailsWith(ErrorCode::kStorageFailed));
    open();
    const bool happened = value("k").value_or("0") == after;
    EXPECT_TRUE(happened || value("k").value_or("0") == before);
    EXPECT_TRUE(!happened || outcome == CommitOutcome::kUnknown);
    EXPECT_EQ(counts("dlq").dead, dead_before + (happened ? 1 : 0));
    EXPECT_EQ(counts("orders").leased, happened ? 0U : 2U);
    EXPECT_EQ(must(engine_->receive("plain")).size(), happened ? 1U : 0U);
    must(engine_->purge_queue("orders"));
    must(engine_->purge_queue("plain"));
  }
}

TEST_F(TransactionTest, ACrashLosesBufferedOnesFromTheLastOnEachInWhole) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    disk_ = std::make_shared<MemoryDisk>(seed);
    open();
    must(engine_->create_queue("out"));
    family_ = must(engine_->open_family("state"));
    constexpr int kFsynced = 4;
    for (int i = 1; i <= 10; ++i) {
      Transaction transaction;
      transaction.send("out", {}).put(family_, "n", std::to_string(i));
      const auto durability = i == kFsynced ? Durability::kFsync : Durability::kBuffered;
      must(engine_->commit(std::move(transaction), {.durability = durability}));
    }
    crash();
    const int survived = std::stoi(value("n").value());
    EXPECT_GE(survived, kFsynced);
    EXPECT_EQ(counts("out").ready, static_cast<std::uint64_t>(survived));
  }
}

}  // namespace
}  // namespace holdfast::testing
