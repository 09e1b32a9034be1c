// Parking moves dead letters aside with their records, to where nothing moves them by itself.
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class Park : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
    create("dlq-options");
    must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
  }
};
HOLDFAST_FOR_EACH_BROKER(Park);

TEST_P(Park, KeepsTheRecordAndTheWayBack) {
  const MessageId id = send("orders", "a", {{"k", "v"}});
  reject_one("orders", {.category = "fraud", .reason = "why", .code = "7", .stack_trace = "main"});
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(must(broker().redrive("dlq", {.action = RedriveAction::kPark})).parked, 1U);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_EQ(totals("dlq"), (QueueTotals{.parked = 1}));
  const DeadLetter parked = only_dead_letter("parked");
  EXPECT_EQ(parked.record, record);
  EXPECT_EQ(parked.body, "a");
  reopen();
  EXPECT_EQ(must(broker().redrive("parked")).moved, 1U);
  const Delivery back = receive_one("orders");
  EXPECT_EQ(back.id, id);
  EXPECT_EQ(back.replays, 1U);
}

TEST_P(Park, TakesACategoryOrNamedOnesOrAnotherQueue) {
  for (const char* category : {"a", "b", "a", "c"}) {
    send("orders", category);
    reject_one("orders", {.category = category});
  }
  EXPECT_EQ(
      must(broker().redrive("dlq", {.action = RedriveAction::kPark, .filter = {.category = "a"}})).parked,
      2U);
  EXPECT_EQ(must(broker().redrive("dlq", {.action = RedriveAction::kPark,
                                          .filter = {.seqs = {dead_letters("dlq")[1].seq}},
                                          .to = "dlq-options"}))
                .parked,
            1U);
  EXPECT_EQ(only_dead_letter("dlq-options").record.category, "c");
  EXPECT_EQ(only_dead_letter("dlq").record.category, "b");
}

TEST_P(Park, RunsInTheBackground) {
  send_numbered("orders", 3);
  for (const Delivery& delivery : receive_all("orders")) must(broker().reject(delivery.receipt, {}));
  const Redriven started =
      must(broker().redrive("dlq", {.action = RedriveAction::kPark, .rate = 1, .wait = false}));
  EXPECT_EQ(started.parked, 0U);
  EXPECT_EQ(must(broker().redrive_status(started.task)).state, TaskState::kRunning);
  advance(1s);
  EXPECT_LT(counts("parked").dead, 3U);
  reopen();
  for (int i = 0; i < 5; ++i) advance(1s);
  const TaskStatus status = must(broker().redrive_status(started.task));
  EXPECT_EQ(status.state, TaskState::kDone);
  EXPECT_EQ(status.action, RedriveAction::kPark);
  EXPECT_EQ(status.parked, 3U);
  EXPECT_EQ(status.moved, 0U);
  EXPECT_EQ(counts("parked").dead, 3U);
  EXPECT_EQ(counts("dlq").dead, 0U);
}

TEST_P(Park, ADryRunCountsAndChangesNothing) {
  for (const char* category : {"a", "b", "a"}) {
    send("orders", category);
    reject_one("orders", {.category = category});
  }
  const Delivery leased = receive_one("dlq");
  const auto dry_run = [&](RedriveOptions options) {
    options.action = RedriveAction::kPark;
    options.dry_run = true;
    return broker().redrive("dlq", std::move(options));
  };
  const Redriven all = must(dry_run({}));
  EXPECT_EQ(all.task, TaskId{});
  EXPECT_EQ(all.moved, 0U);
  EXPECT_EQ(all.parked, 2U);
  EXPECT_EQ(all.left, LeftInPlace{.leased = 1});
  ASSERT_EQ(all.sample.size(), 2U);
  EXPECT_EQ(all.sample[0].record.category, "b");
  EXPECT_EQ(must(dry_run({.filter = {.category = "b"}, .to = "dlq-options"})).parked, 1U);
  EXPECT_EQ(must(dry_run({.max = 1})).parked, 1U);
  EXPECT_THAT(dry_run({.max_replays = 1}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_EQ(counts("dlq").dead, 3U);
  EXPECT_EQ(counts("parked").dead, 0U);
  EXPECT_THAT(must(broker().list_redrives()), IsEmpty());
}

TEST_P(Park, GoesToNoQueueThatRedrivesByItself) {
  create("busy", {.dead_letters = {.auto_redrive = {.every = 10s}}});
  send("orders", "a");
  reject_one("orders");
  for (const bool dry_run : {true, false}) {
    EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark, .to = "busy", .dry_run = dry_run}),
                FailsNaming(ErrorCode::kInvalidArgument, "auto_redrive"));
  }
  EXPECT_EQ(counts("dlq").dead, 1U);
  must(broker().alter_queue("busy", {.dead_letters = {.auto_redrive = AutoRedrive{}}}));
  EXPECT_EQ(must(broker().redrive("dlq", {.action = RedriveAction::kPark, .to = "busy"})).parked, 1U);
}

TEST_P(Park, NeedsAQueueToParkIn) {
  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = ""}}));
  EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark}),
              FailsNaming(ErrorCode::kInvalidArgument, "parking_queue"));
  EXPECT_THAT(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "dlq"}}, MissingQueues::kCreate),
              FailsNaming(ErrorCode::kInvalidArgument, "parking_queue"));
  EXPECT_THAT(broker().create_queue("q", {.dead_letters = {.queue = "d", .parking_queue = "d"}},
                                    MissingQueues::kCreate),
              FailsNaming(ErrorCode::kInvalidArgument, "parking_queue"));
  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "p"}}, MissingQueues::kCreate));
  EXPECT_THAT(broker().delete_queue("p"), FailsNaming(ErrorCode::kQueueInUse, "parking queue of 'dlq'"));
}

}  // namespace
}  // namespace holdfast::testing
