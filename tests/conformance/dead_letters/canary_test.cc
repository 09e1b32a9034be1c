// These tests are about redrive tasks that try a few messages before the rest.
#include "holdfast/limits.h"
#include "tests/conformance/dead_letters/replay_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Canary : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    for (int i = 0; i < 10; ++i) die(std::to_string(i));
  }

  TaskId start(RedriveOptions options) {
    options.wait = false;
    return must(broker().redrive("dlq", std::move(options))).task;
  }
  TaskStatus status(TaskId id) { return must(broker().redrive_status(id)); }
  void finish(std::size_t acks, std::size_t deaths) {
    for (; acks > 0; --acks) must(broker().ack(receive_one("orders").receipt));
    for (; deaths > 0; --deaths) reject_one("orders");
  }
};
HOLDFAST_FOR_EACH_BROKER(Canary);

TEST_P(Canary, GoesOnOnceAllAreAcked) {
  const TaskId id = start({.canary = 3});
  advance(1s);
  EXPECT_EQ(status(id).moved, 3U);
  EXPECT_EQ(status(id).canaries, 3U);
  EXPECT_EQ(status(id).state, TaskState::kRunning);
  finish(2, 0);
  advance(10s);
  EXPECT_EQ(status(id).moved, 3U);
  EXPECT_EQ(status(id).canary_acked, 2U);
  reopen();
  finish(1, 0);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
  EXPECT_EQ(status(id).moved, 10U);
  EXPECT_EQ(counts("orders").ready, 7U);
}

TEST_P(Canary, StopsWhenOneDies) {
  const TaskId id = start({.canary = 3});
  advance(1s);
  finish(1, 1);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(status(id).canary_failed, 1U);
  EXPECT_EQ(status(id).finished_at, now());
  EXPECT_EQ(counts("dlq").dead, 8U);
  reopen();
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(counts("dlq").dead, 8U);
}

TEST_P(Canary, StopsWhenOneDiesElsewhere) {
  const TaskId id = start({.canary = 3});
  advance(1s);
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "other"}}, MissingQueues::kCreate));
  finish(2, 1);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(status(id).canary_failed, 1U);
}

TEST_P(Canary, StopsWhenOneIsDropped) {
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 1min, .policy = ExpiryPolicy::kDrop}}));
  const TaskId id = start({.canary = 3});
  advance(1s);
  finish(2, 0);
  advance(58s);
  EXPECT_EQ(status(id).state, TaskState::kRunning);
  advance(1min);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(status(id).canary_acked, 2U);
  EXPECT_EQ(status(id).canary_failed, 1U);
  EXPECT_EQ(counts("dlq").dead, 7U);
}

TEST_P(Canary, StopsWhenOneIsDiscarded) {
  const TaskId id = start({.canary = 3});
  advance(1s);
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "", .discard_rejected = true}}));
  finish(2, 1);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(status(id).canary_failed, 1U);
}

TEST_P(Canary, StopsWhenTheQueueWithTheRestOfThemIsPurged) {
  const TaskId id = start({.canary = 3});
  advance(1s);
  finish(1, 0);
  must(broker().purge_queue("orders"));
  send("orders", "another");
  reopen();
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(status(id).canary_acked, 1U);
  EXPECT_EQ(status(id).canary_failed, 2U);
  EXPECT_EQ(counts("dlq").dead, 7U);
}

TEST_P(Canary, StopsWhenTheQueueWithTheRestOfThemIsDeleted) {
  const TaskId id = start({.canary = 3});
  advance(1s);
  finish(1, 0);
  must(broker().delete_queue("orders"));
  reopen();
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(status(id).canary_failed, 2U);
}

TEST_P(Canary, GoesOnIfItsQueueIsPurgedAfterTheAcks) {
  const TaskId id = start({.canary = 3});
  advance(1s);
  finish(3, 0);
  must(broker().purge_queue("orders"));
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
  EXPECT_EQ(status(id).moved, 10U);
}

TEST_P(Canary, MindsNoPurgeOfAnotherQueue) {
  create("repair");
  const TaskId id = start({.to = "repair", .canary = 3});
  advance(1s);
  must(broker().purge_queue("orders"));
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kRunning);
  EXPECT_EQ(status(id).canary_failed, 0U);
  must(broker().purge_queue("repair"));
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kCanaryFailed);
  EXPECT_EQ(status(id).canary_failed, 3U);
}

TEST_P(Canary, ThatCameAfterAPurgeIsWaitedFor) {
  const TaskId id = start({.rate = 1, .canary = 2, .canary_percent = 50});
  advance(1s);
  EXPECT_EQ(status(id).moved, 1U);
  must(broker().purge_queue("orders"));
  advance(1s);
  EXPECT_EQ(status(id).moved, 2U);
  finish(1, 0);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kRunning);
  EXPECT_EQ(status(id).canary_acked, 1U);
  EXPECT_EQ(status(id).canary_failed, 1U);
  EXPECT_GT(status(id).moved, 2U);
}

TEST_P(Canary, TakesAShare) {
  const TaskId id = start({.canary = 4, .canary_percent = 50});
  advance(1s);
  finish(1, 2);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kRunning);
  finish(1, 0);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
}

TEST_P(Canary, NeedsAtLeastItsShare) {
  const TaskId id = start({.canary = 3, .canary_percent = 50});
  advance(1s);
  finish(1, 0);
  advance(2s);
  EXPECT_EQ(status(id).moved, 3U);  // one of three is less than a half
  finish(1, 0);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
}

TEST_P(Canary, OfAllThereAreWaitsForThem) {
  const TaskId id = start({.canary = 20});
  advance(2s);
  EXPECT_EQ(status(id).moved, 10U);
  EXPECT_EQ(status(id).state, TaskState::kRunning);
  finish(10, 0);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
}

TEST_P(Canary, MayBeAllThatIsToMove) {
  const TaskId id = start({.max = 3, .rate = 1000, .canary = 3});
  advance(2s);
  EXPECT_EQ(status(id).moved, 3U);
  finish(3, 0);
  advance(2s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
  EXPECT_EQ(status(id).moved, 3U);
}

TEST_P(Canary, CanBeCancelled) {
  const TaskId id = start({.canary = 1});
  advance(2s);
  EXPECT_EQ(must(broker().cancel_redrive(id)).state, TaskState::kCancelled);
  finish(1, 0);
  advance(2s);
  EXPECT_EQ(status(id).moved, 1U);
}

TEST_P(Canary, IsChecked) {
  EXPECT_THAT(broker().redrive("dlq", {.canary = limits::kCanary + 1, .wait = false}),
              FailsNaming(ErrorCode::kLimitExceeded, "canary"));
  EXPECT_THAT(broker().redrive("dlq", {.canary = 1, .canary_percent = 0, .wait = false}),
              FailsNaming(ErrorCode::kInvalidArgument, "canary_percent"));
  EXPECT_THAT(broker().redrive("dlq", {.canary = 1, .canary_percent = 101, .wait = false}),
              FailsNaming(ErrorCode::kInvalidArgument, "canary_percent"));
  EXPECT_THAT(broker().redrive("dlq", {.canary_percent = 50, .wait = false}),
              FailsNaming(ErrorCode::kInvalidArgument, "canary"));
  EXPECT_THAT(broker().redrive("dlq", {.canary = 1}), FailsNaming(ErrorCode::kInvalidArgument, "canary"));
  create("parked");
  EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark, .to = "parked", .canary = 1}),
              FailsNaming(ErrorCode::kInvalidArgument, "canary"));
}

}  // namespace
}  // namespace holdfast::testing
