// A bulk change of dead letters that is made part by part, as the server makes it for its clients.
#include "engine/engine/inside.h"
#include "engine/storage/memory/memory_store.h"
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

  std::uint64_t assigned_to(std::string_view name) {
    for (const auto& group :
         must(engine_.group_dead_letters("dlq", {.by = DeadLetterGrouping::kAssignee})).groups) {
      if (group.value == name) return group.count;
    }
    return 0;
  }

  ManualClock clock_;
  const std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  Engine engine_ =
      must(EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false}));
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

// An error means that nothing was changed, and kOutcomeUnknown that something may be.
TEST_F(BulkPartTest, AnErrorInALaterStepDoesNotSayThatNothingWasChanged) {
  bool untouched = false;
  bool part_way = false;
  for (std::uint64_t nth = 1;; ++nth) {
    const std::string name = "tester " + std::to_string(nth);
    disk_->fail_read(nth, ErrorCode::kCorruption);
    const auto changed = engine_.change_dead_letters("dlq", {.all = true}, {.assignee = name});
    disk_->fail_read(1'000'000, ErrorCode::kCorruption);  // far away: the reads that follow succeed
    if (changed) break;
    if (assigned_to(name) == 0) {
      EXPECT_EQ(changed.error().code, ErrorCode::kCorruption) << "read " << nth;
      untouched = true;
    } else {
      EXPECT_EQ(changed.error().code, ErrorCode::kOutcomeUnknown) << "read " << nth;
      part_way = true;
    }
  }
  EXPECT_TRUE(untouched);
  EXPECT_TRUE(part_way);
}

}  // namespace
}  // namespace holdfast::testing
