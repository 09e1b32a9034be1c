// Bounded queues over a store that has lost what they should drop. tests/conformance has the other tests of
// bounded queues.
#include "engine/codec/encoding/keys.h"
#include "engine/engine/inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/damaged_store.h"
#include "tests/support/engine_time.h"
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

}  // namespace
}  // namespace holdfast::testing
