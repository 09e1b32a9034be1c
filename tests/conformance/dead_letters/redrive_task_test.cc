// Redrives as tasks, from their start to their end: redrive, redrive_status, list_redrives, cancel_redrive.
#include <algorithm>

#include "holdfast/limits.h"
#include "tests/conformance/dead_letters/redrive_task_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HOLDFAST_FOR_EACH_BROKER(RedriveTasks);

TEST_P(RedriveTasks, RunInTheBackground) {
  die(1000);
  const Timestamp started_at = now();
  const TaskId id = start({.actor = "ada"});
  EXPECT_EQ(status(id), (TaskStatus{.id = id,
                                    .queue = "dlq",
                                    .to = "",
                                    .state = TaskState::kRunning,
                                    .total = 1000,
                                    .started_at = started_at,
                                    .actor = "ada",
                                    .error = ""}));
  EXPECT_EQ(counts("dlq").dead, 1000U);
  advance(1s);
  EXPECT_EQ(status(id), (TaskStatus{.id = id,
                                    .queue = "dlq",
                                    .to = "",
                                    .state = TaskState::kDone,
                                    .moved = 1000,
                                    .total = 1000,
                                    .started_at = started_at,
                                    .finished_at = now(),
                                    .actor = "ada",
                                    .error = ""}));
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_EQ(counts("orders").ready, 1000U);
  EXPECT_EQ(totals("dlq").redriven, 1000U);
}

TEST_P(RedriveTasks, KeepToTheirRate) {
  die(500);
  const TaskId id = start({.rate = 100});
  EXPECT_EQ(status(id).rate, 100U);
  run_due();
  EXPECT_EQ(status(id).moved, 0U);
  for (std::uint64_t second = 1; second <= 4; ++second) {
    advance(1s);
    EXPECT_EQ(status(id).moved, 100 * second);
  }
  advance(500ms);
  EXPECT_EQ(status(id).moved, 450U);
  // In a pause, a task saves up no more than what its rate allows in one second.
  const TaskId slow = start({.rate = 10});
  advance(1h);
  EXPECT_EQ(status(id).moved, 500U);
  EXPECT_EQ(status(id).state, TaskState::kDone);
  EXPECT_EQ(status(slow).moved, 0U);
}

TEST_P(RedriveTasks, DoNotSweepNewFailuresAlong) {
  die(50);
  const TaskId id = start({.rate = 20});
  advance(1s);
  EXPECT_EQ(status(id).moved, 20U);
  die(30);  // the 20 messages that came back die again
  for (int second = 0; second < 3; ++second) advance(1s);
  EXPECT_EQ(status(id).moved, 50U);
  EXPECT_EQ(counts("dlq").dead, 50U);
  for (const DeadLetter& letter : dead_letters("dlq"))
    EXPECT_GE(letter.record.died_at, status(id).started_at);
}

TEST_P(RedriveTasks, GoOnAfterAReopen) {
  die(300);
  const TaskId id = start({.rate = 100});
  advance(1s);
  EXPECT_EQ(status(id).moved, 100U);
  reopen();
  EXPECT_EQ(status(id).moved, 100U);
  EXPECT_EQ(status(id).state, TaskState::kRunning);
  for (int second = 0; second < 4; ++second) advance(1s);
  EXPECT_EQ(status(id).moved, 300U);
  EXPECT_EQ(status(id).state, TaskState::kDone);
  reopen();
  EXPECT_EQ(status(id).moved, 300U);
  EXPECT_EQ(status(id).state, TaskState::kDone);
}

TEST_P(RedriveTasks, EndWhenCancelled) {
  die(100);
  const TaskId id = start({.rate = 30});
  advance(1s);
  EXPECT_THAT(broker().cancel_redrive(id, std::string(limits::kActorBytes + 1, 'a')),
              FailsNaming(ErrorCode::kLimitExceeded, "actor"));
  const std::string ann(limits::kActorBytes, 'a');
  const TaskStatus cancelled = must(broker().cancel_redrive(id, ann));
  EXPECT_EQ(cancelled.state, TaskState::kCancelled);
  EXPECT_EQ(cancelled.cancelled_by, ann);
  EXPECT_EQ(cancelled.moved, 30U);
  EXPECT_EQ(cancelled.finished_at, now());
  advance(10s);
  reopen();
  advance(10s);
  EXPECT_EQ(status(id), cancelled);
  EXPECT_EQ(must(broker().cancel_redrive(id, "too late")), cancelled);
  EXPECT_EQ(counts("dlq").dead, 70U);
  EXPECT_EQ(counts("orders").ready, 30U);
}

TEST_P(RedriveTasks, SideBySideMoveEachMessageOnce) {
  die(400);
  const TaskId a = start({.rate = 50});
  const TaskId b = start({.rate = 70});
  const TaskId c = start({.max = 10});
  for (int second = 0; second < 10; ++second) advance(1s);
  EXPECT_EQ(status(a).moved + status(b).moved + status(c).moved, 400U);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  std::vector<MessageId> back = ids(receive_all("orders"));
  ASSERT_EQ(back.size(), 400U);
  std::ranges::sort(back);
  EXPECT_EQ(std::ranges::adjacent_find(back), back.end());
}

TEST_P(RedriveTasks, AreRememberedForAWhile) {
  for (std::size_t i = 0; i < limits::kFinishedTasks + 5; ++i) must(broker().redrive("dlq"));
  const TaskId running = start({.rate = 1});
  const auto tasks = must(broker().list_redrives());
  EXPECT_EQ(tasks.size(), limits::kFinishedTasks + 1);
  EXPECT_EQ(tasks.back().id, running);
  EXPECT_TRUE(std::ranges::is_sorted(tasks, {}, &TaskStatus::id));
  reopen();
  EXPECT_EQ(must(broker().list_redrives()), tasks);
  EXPECT_THAT(broker().redrive_status(TaskId{1}), FailsWith(ErrorCode::kTaskNotFound));
  EXPECT_THAT(broker().cancel_redrive(TaskId{1}), FailsWith(ErrorCode::kTaskNotFound));
}

// Request ids are remembered for longer than their tasks, so that a repetition finds out what became of the
// first call.
TEST_P(RedriveTasks, RequestIdsAreRememberedHoweverManyOtherTasksEnd) {
  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
  die(8);
  const std::vector<DeadLetter> letters = dead_letters("dlq");
  const RedriveOptions named{.filter = {.seqs = {letters[0].seq}}, .request_id = "named"};
  const RedriveOptions bounded{.max = 2, .request_id = "bounded"};
  const RedriveOptions parking{
      .action = RedriveAction::kPark, .filter = {.seqs = {letters[7].seq}}, .request_id = "parking"};
  const RedriveOptions starting{.max = 1, .request_id = "starting"};
  const Redriven first = must(broker().redrive("dlq", named));
  const TaskId second = must(broker().redrive("dlq", bounded)).task;
  const TaskId third = must(broker().redrive("dlq", parking)).task;
  const TaskId fourth = start(starting);
  advance(1s);
  for (std::size_t i = 0; i <= limits::kFinishedTasks; ++i)
    must(broker().redrive("dlq", {.filter = {.category = "none"}}));
  EXPECT_EQ(must(broker().list_redrives()).size(), limits::kFinishedTasks);
  EXPECT_THAT(broker().redrive_status(first.task), FailsWith(ErrorCode::kTaskNotFound));

  const QueueCounts left = counts("dlq");
  EXPECT_EQ(left.dead, 3U);
  for (int again = 0; again < 2; ++again) {
    const auto same = must(broker().redrive("dlq", named));
    EXPECT_EQ(same.task, first.task);
    EXPECT_EQ(same.moved, 1U);
    EXPECT_EQ(must(broker().redrive("dlq", bounded)).task, second);
    EXPECT_EQ(must(broker().redrive("dlq", parking)).parked, 1U);
    EXPECT_EQ(must(broker().redrive("dlq", parking)).task, third);
    EXPECT_EQ(start(starting), fourth);
    advance(1s);
    EXPECT_EQ(counts("dlq"), left);
    const auto other = FailsNaming(ErrorCode::kInvalidArgument, "the request_id was used");
    EXPECT_THAT(broker().redrive("dlq", {.max = 3, .request_id = "bounded"}), other);
    EXPECT_THAT(broker().redrive("dlq", {.max = 3, .wait = false, .request_id = "bounded"}), other);
    reopen();
  }
  for (Duration lived{}; lived < limits::kRequestWindow - 10s; lived += 10s) advance(10s);
  EXPECT_EQ(must(broker().redrive("dlq", bounded)).task, second);
  // The window of the request id ends some time.
  for (Duration lived{}; lived < 3 * limits::kRequestWindow; lived += 10s) advance(10s);
  EXPECT_NE(must(broker().redrive("dlq", bounded)).task, second);
  EXPECT_EQ(counts("dlq").dead, 1U);
}

// The tasks that ended last are remembered, whenever they began.
TEST_P(RedriveTasks, OneThatRanLongIsRememberedWhenItEnds) {
  die(1);
  const TaskId slow = start({.rate = 1});
  for (std::size_t i = 0; i <= limits::kFinishedTasks; ++i)
    must(broker().redrive("dlq", {.filter = {.category = "none"}}));
  EXPECT_EQ(status(slow).state, TaskState::kRunning);
  advance(2s);
  EXPECT_EQ(status(slow).state, TaskState::kDone);
  reopen();
  EXPECT_EQ(status(slow).state, TaskState::kDone);
}

TEST_P(RedriveTasks, AreToldOfAgainAfterTheirQueueWasDeleted) {
  die(3);
  const RedriveOptions options{.max = 2, .request_id = "one"};
  const Redriven first = must(broker().redrive("dlq", options));
  must(broker().alter_queue("orders", {.dead_letters = {.queue = ""}}));
  must(broker().delete_queue("dlq"));
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(must(broker().redrive("dlq", options)).task, first.task);
    EXPECT_EQ(must(broker().redrive("dlq", options)).moved, 2U);
    reopen();
  }
  EXPECT_THAT(broker().redrive("dlq"), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(RedriveTasks, AreLimitedInNumberWhileTheyRun) {
  die(1);
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < limits::kRunningTasks; ++i) tasks.push_back(start({.rate = 1}));
  EXPECT_THAT(broker().redrive("dlq", {.wait = false}),
              FailsNaming(ErrorCode::kLimitExceeded, std::to_string(limits::kRunningTasks)));
  EXPECT_THAT(broker().redrive("dlq"), FailsWith(ErrorCode::kLimitExceeded));
  must(broker().cancel_redrive(tasks.back()));
  start();
}

TEST_P(RedriveTasks, FailWhenTheirQueueIsDeleted) {
  create("other");
  die(3);
  const TaskId task = start({.to = "other", .rate = 1});
  must(broker().delete_queue("other"));
  advance(1s);
  EXPECT_EQ(status(task).state, TaskState::kFailed);
  EXPECT_THAT(status(task).error, HasSubstr("the target queue was deleted"));
  EXPECT_EQ(counts("dlq").dead, 3U);
}

// A call that waits has no task that could pause.
TEST_P(RedriveTasks, ACallThatWaitsTakesNoRateAndNoCanary) {
  die(2);
  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
  EXPECT_THAT(broker().redrive("dlq", {.rate = 1}), FailsNaming(ErrorCode::kInvalidArgument, "rate"));
  EXPECT_THAT(broker().redrive("dlq", {.canary = 1}), FailsNaming(ErrorCode::kInvalidArgument, "canary"));
  EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark, .rate = 1}),
              FailsNaming(ErrorCode::kInvalidArgument, "rate"));
  EXPECT_THAT(must(broker().list_redrives()), IsEmpty());
  EXPECT_EQ(counts("dlq").dead, 2U);
}

TEST_P(RedriveTasks, ACallThatDoesNotWaitTellsWhatIsKnown) {
  die(5);
  const RedriveOptions options{.rate = 1, .wait = false, .request_id = "one"};
  const Redriven started = must(broker().redrive("dlq", options));
  EXPECT_EQ(started.moved, 0U);
  EXPECT_THAT(started.sample, IsEmpty());
  EXPECT_EQ(status(started.task).state, TaskState::kRunning);
  advance(1s);
  const std::uint64_t moved = status(started.task).moved;
  EXPECT_GT(moved, 0U);
  EXPECT_LT(moved, 5U);
  const Redriven repeated = must(broker().redrive("dlq", options));
  EXPECT_EQ(repeated.task, started.task);
  EXPECT_EQ(repeated.moved, moved);
}

TEST_P(RedriveTasks, AreCheckedWhenTheyStart) {
  EXPECT_THAT(broker().redrive("nowhere", {.wait = false}), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(broker().redrive("dlq", {.rate = 1}), FailsNaming(ErrorCode::kInvalidArgument, "rate"));
  for (const char* patch : {"{}", "[1]", R"([{"op":"jump","path":"/a"}])", R"([{"op":"add","path":"/a"}])"}) {
    EXPECT_THAT(broker().redrive("dlq", {.edit = {.json_patch = patch}, .wait = false}),
                FailsNaming(ErrorCode::kInvalidArgument, "json_patch"));
  }
  EXPECT_THAT(broker().redrive("dlq", {.rate = limits::kRedriveRate + 1, .wait = false}),
              FailsNaming(ErrorCode::kLimitExceeded, "rate"));
  EXPECT_THAT(broker().redrive("dlq", {.wait = false, .actor = std::string(limits::kActorBytes + 1, 'a')}),
              FailsNaming(ErrorCode::kLimitExceeded, "actor"));
  EXPECT_THAT(broker().redrive("dlq", {.filter = {.seqs = std::vector<Seq>(limits::kFilterIds + 1, Seq{1})},
                                       .wait = false}),
              FailsNaming(ErrorCode::kLimitExceeded, "filter"));
  EXPECT_THAT(broker().redrive("dlq", {.park_refused = true, .wait = false}),
              FailsNaming(ErrorCode::kInvalidArgument, "park_refused"));
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.drop_attributes = {"k", ""}}, .wait = false}),
              FailsNaming(ErrorCode::kInvalidArgument, "edit.drop_attributes"));
  const auto patch = [](std::size_t size) {
    return RedriveEdit{.json_patch = "[" + std::string(size - 2, ' ') + "]"};
  };
  EXPECT_THAT(broker().redrive("dlq", {.edit = patch(limits::kPatchBytes + 1), .wait = false}),
              FailsNaming(ErrorCode::kLimitExceeded, "json_patch"));
  EXPECT_THAT(broker().redrive("dlq", {.canary = limits::kCanary + 1, .wait = false}),
              FailsNaming(ErrorCode::kLimitExceeded, "canary"));
  EXPECT_THAT(must(broker().list_redrives()), IsEmpty());
  die(1);
  must(broker().redrive("dlq", {.filter = {.seqs = std::vector<Seq>(limits::kFilterIds, Seq{1})},
                                .rate = limits::kRedriveRate,
                                .edit = patch(limits::kPatchBytes),
                                .canary = limits::kCanary,
                                .wait = false,
                                .actor = std::string(limits::kActorBytes, 'a')}));
}

}  // namespace
}  // namespace holdfast::testing
