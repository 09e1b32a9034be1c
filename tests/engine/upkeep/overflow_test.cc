// Bounded queues over a store that has lost what they should drop, and queues that have much to drop.
// tests/conformance has the other tests of bounded queues.
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/answer.h"
#include "tests/support/damaged_store.h"
#include "tests/support/engine_time.h"
#include "tests/support/held_store.h"
#include "tests/support/hold.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

class OverflowTest : public ::testing::Test {
 protected:
  Engine open() {
    return must(
        EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false}));
  }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
};

// The messages take more than one commit to drop, so the send that drops them asks after each part whether it
// helped.
TEST_F(OverflowTest, WhatCannotBeDroppedIsNotTriedForEver) {
  const std::size_t more_than_a_part = limits::kBatchEntries + 1;
  {
    Engine engine = open();
    must(engine.create_queue(
        "orders", {.limits = {.max_length = 1'000'000, .on_overflow = OverflowPolicy::kDropHead}}));
    for (std::size_t sent = 0; sent < more_than_a_part; sent += limits::kReceiveMax) {
      must(engine.send_batch("orders", std::vector<Message>(limits::kReceiveMax, {.body = "x"})));
      std::vector<Receipt> receipts;
      for (const Delivery& delivery : must(engine.receive("orders", {.max = limits::kReceiveMax})))
        receipts.push_back(delivery.receipt);
      for (const auto& released : must(engine.release_batch(receipts))) must(released);
    }
    must(engine.close());
  }
  {
    const auto store = must(open_memory_store(disk_));
    const auto batch = store->new_batch();
    const auto scan = store->scan(Family::kMessages, keys::queue_seq(QueueId{1}, Seq{0}),
                                  keys::queue_seq(QueueId{2}, Seq{0}));
    for (; scan->valid(); scan->next()) batch->remove_once(Family::kMessages, scan->key());
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
  }
  Engine engine = open();
  must(engine.alter_queue("orders", {.limits = {.max_length = 1}}));
  disk_->fail_commit(1000, CommitOutcome::kFailed);  // an endless loop would soon meet this failure
  EXPECT_THAT(engine.send("orders", {.body = "new"}), Succeeds());
  must(engine.close());
}

TEST_F(OverflowTest, WhatWasDroppedGoesThoughTheNextCannotBeRead) {
  {
    Engine engine = open();
    must(engine.create_queue("orders",
                             {.limits = {.max_length = 10, .on_overflow = OverflowPolicy::kDropHead}}));
    must(engine.send("orders", {.body = "given back"}));
    must(engine.release(must(engine.receive("orders")).at(0).receipt));
    must(engine.send("orders", {.body = "damaged"}));
    must(engine.close());
  }
  const auto damage = std::make_shared<DamagedRows>();
  damage->add(Family::kMessages, keys::queue_seq(QueueId{1}, Seq{2}));
  Engine engine =
      must(EngineInside::open_over(std::make_unique<DamagedStore>(must(open_memory_store(disk_)), damage),
                                   {.clock = &clock_, .background = false}));
  must(engine.alter_queue("orders", {.limits = {.max_length = 1}}));
  must(engine.send("orders", {.body = "new"}));
  const QueueInfo info = must(engine.describe_queue("orders"));
  EXPECT_EQ(info.totals.overflowed, 1U);
  EXPECT_EQ(info.counts, (QueueCounts{.ready = 2}));
}

// The bound of the queue "log" is lowered far below its length.
class LoweredBoundTest : public ::testing::Test {
 protected:
  LoweredBoundTest() {
    must(engine_.create_queue("orders"));
    must(engine_.send("orders", {.body = "x"}));
    must(engine_.create_queue("log"));
    for (int i = 0; i < 4; ++i)
      must(engine_.send_batch("log", std::vector<Message>(limits::kBatchEntries, Message{.body = "a"})));
    must(engine_.alter_queue("log", {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
  }

  // Begins a call that makes room, with the callback that it is given, and releases a message while the call
  // is at it. Checks that the release is answered first.
  template <class Reply, class Call>
  Reply expect_to_hold_up_no_release(const Call& call) {
    const Receipt held = must(engine_.receive("orders")).at(0).receipt;
    std::atomic<bool> has_made_room = false;
    Answer<Reply> made_room;
    Answer<bool> released_before;
    hold_->arm();
    call([&, tell = made_room.callback()](Reply reply) {
      has_made_room = true;
      tell(std::move(reply));
    });
    hold_->wait_until_held();
    engine_.async_release_batch(
        {&held, 1}, {}, [&, tell = released_before.callback()](const BatchResult<void>& /*released*/) {
          tell(!has_made_room);
        });
    hold_->go_on();
    EXPECT_TRUE(released_before.get());
    return made_room.get();
  }

  QueueCounts counts(std::string_view queue) { return must(engine_.describe_queue(queue)).counts; }

  std::shared_ptr<Hold> hold_ = std::make_shared<Hold>();
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<HeldStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), hold_),
      {.background = false}));
};

TEST_F(LoweredBoundTest, ASendThatMakesRoomHoldsUpNoOtherCall) {
  const auto sent = expect_to_hold_up_no_release<BatchResult<Sent>>(
      [&](auto done) { engine_.async_send_batch("log", {{.body = "b"}}, {}, std::move(done)); });
  EXPECT_THAT(must(sent).at(0), Succeeds());
  EXPECT_EQ(counts("log"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_F(LoweredBoundTest, ATransactionThatMakesRoomHoldsUpNoOtherCall) {
  const auto committed = expect_to_hold_up_no_release<Result<Committed>>([&](auto done) {
    Transaction transaction;
    transaction.send("log", {.body = "b"});
    engine_.async_commit(std::move(transaction), {}, std::move(done));
  });
  EXPECT_THAT(committed, Succeeds());
  EXPECT_EQ(counts("log"), (QueueCounts{.ready = 1}));
}

}  // namespace
}  // namespace holdfast::testing
