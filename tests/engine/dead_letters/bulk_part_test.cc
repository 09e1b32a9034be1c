// A bulk change of dead letters that is made part by part, as the server makes it for its clients.
#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "tests/support/damaged_store.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

class BulkPartTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMany = 4'500;  // more than one part

  BulkPartTest() {
    must(engine_.create_queue("dlq"));
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    kill(kMany);
  }

  void kill(std::size_t n) {
    for (; n > 0; n -= 500) {
      must(engine_.send_batch("orders", std::vector<Message>(500), {.durability = Durability::kBuffered}));
      std::vector<Receipt> receipts;
      for (const Delivery& delivery : must(engine_.receive("orders", {.max = 500})))
        receipts.push_back(delivery.receipt);
      for (const auto& rejected :
           must(engine_.reject_batch(receipts, {}, {.durability = Durability::kBuffered})))
        must(rejected);
    }
  }

  ManualClock clock_;
  Engine engine_ = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                                {.clock = &clock_, .background = false}));
};

TEST_F(BulkPartTest, TheNextPartGoesOnWhereTheLastOneEnded) {
  const BulkPart first{.selection = {.all = true}};
  const BulkPartChanged some = must(EngineInside::change_part(engine_, "dlq", first, {.assignee = "eve"}));
  EXPECT_GT(some.changed.changed, 0U);
  EXPECT_LT(some.changed.changed, kMany);
  ASSERT_TRUE(some.next);
  kill(500);  // letters that die after the first part began are not touched
  const BulkPart second{.selection = first.selection, .from = some.next};
  const BulkPartChanged rest = must(EngineInside::change_part(engine_, "dlq", second, {.assignee = "eve"}));
  EXPECT_EQ(rest.changed, (DeadLettersChanged{.changed = kMany - some.changed.changed}));
  EXPECT_FALSE(rest.next);
  const auto groups = must(engine_.group_dead_letters("dlq", {.by = DeadLetterGrouping::kAssignee})).groups;
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].value, "eve");
  EXPECT_EQ(groups[0].count, kMany);
}

TEST_F(BulkPartTest, DiscardingGoesOnToo) {
  const BulkPart first{.selection = {.all = true}};
  const BulkPartChanged some = must(EngineInside::discard_part(engine_, "dlq", first));
  EXPECT_LT(some.changed.changed, kMany);
  ASSERT_TRUE(some.next);
  const BulkPart second{.selection = first.selection, .from = some.next};
  EXPECT_EQ(must(EngineInside::discard_part(engine_, "dlq", second)).changed.changed,
            kMany - some.changed.changed);
  EXPECT_EQ(must(engine_.describe_queue("dlq")).counts.dead, 0U);
}

// The row of a redrive task with such a filter would not decode again.
TEST_F(BulkPartTest, AFilterWithAValueThatThereIsNotIsRefused) {
  for (const DeadLetterFilter& filter :
       {DeadLetterFilter{.cause = DeathCause{}}, DeadLetterFilter{.status = DeadLetterStatus{6}}}) {
    EXPECT_THAT(engine_.redrive("dlq", {.filter = filter}), FailsWith(ErrorCode::kInvalidArgument));
    EXPECT_THAT(engine_.list_dead_letters("dlq", {.filter = filter}), FailsWith(ErrorCode::kInvalidArgument));
  }
}

// An error says that nothing was changed. After the first of several steps something was.
TEST(BulkChange, ThatEndsPartWayDoesNotSayThatNothingWasChanged) {
  const auto damage = std::make_shared<DamagedRows>();
  Engine engine = must(EngineInside::open_over(
      std::make_unique<DamagedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), damage),
      {.background = false}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine.send_batch("orders", std::vector<Message>(600)));
  for (const Delivery& delivery : must(engine.receive("orders", {.max = 600})))
    must(engine.reject(delivery.receipt, {}, {.durability = Durability::kBuffered}));
  const QueueId dlq = must(engine.describe_queue("dlq")).id;
  const auto change = [&](bool dry_run) {
    return engine.change_dead_letters("dlq", {.all = true, .dry_run = dry_run}, {.assignee = "ann"});
  };
  damage->add(Family::kDeadLetters, keys::queue_seq(dlq, Seq{550}));
  EXPECT_THAT(change(true), FailsWith(ErrorCode::kCorruption));
  EXPECT_THAT(change(false), FailsNaming(ErrorCode::kOutcomeUnknown, "damaged"));
  damage->add(Family::kDeadLetters, keys::queue_seq(dlq, Seq{1}));
  EXPECT_THAT(change(false), FailsWith(ErrorCode::kCorruption));
}

}  // namespace
}  // namespace holdfast::testing
