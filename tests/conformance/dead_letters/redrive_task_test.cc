// Redrive as a task, and as a dry run: redrive, redrive_status, list_redrives, cancel_redrive.
#include <algorithm>

#include "engine/base/time_text.h"
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RedriveTasks : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letter_queue = "dlq"});
  }

  // n dead letters of `orders`, "0" to "n-1", and all else that is in there.
  void die(std::size_t n, const Rejection& rejection = {}) {
    send_numbered("orders", n);
    const Deliveries out = receive_all("orders");
    EXPECT_THAT(must(broker().reject_batch(receipts(out), rejection)), Each(Succeeds()));
  }

  TaskId start(RedriveOptions options = {}) {
    options.wait = false;
    return must(broker().redrive("dlq", std::move(options))).task;
  }
  Redriven dry_run(RedriveOptions options = {}) {
    options.dry_run = true;
    return must(broker().redrive("dlq", std::move(options)));
  }
  TaskStatus status(TaskId id) { return must(broker().redrive_status(id)); }
};
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
  // A pause saves up no more than one second's worth.
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
  die(30);  // and the 20 that came back die again
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

// Longer than their tasks are, so that a repetition finds out what became of the first call.
TEST_P(RedriveTasks, RequestIdsAreRememberedHoweverManyOtherTasksEnd) {
  must(
      broker().alter_queue("dlq", {.max_deliveries = {}, .parking_queue = "parked"}, MissingQueues::kCreate));
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
    const auto other = FailsNaming(ErrorCode::kInvalidArgument, "request_id 'bounded'");
    EXPECT_THAT(broker().redrive("dlq", {.max = 3, .request_id = "bounded"}), other);
    EXPECT_THAT(broker().redrive("dlq", {.max = 3, .wait = false, .request_id = "bounded"}), other);
    reopen();
  }
  for (Duration lived{}; lived < limits::kRequestWindow - 10s; lived += 10s) advance(10s);
  EXPECT_EQ(must(broker().redrive("dlq", bounded)).task, second);
  // It is forgotten one day.
  for (Duration lived{}; lived < 3 * limits::kRequestWindow; lived += 10s) advance(10s);
  EXPECT_NE(must(broker().redrive("dlq", bounded)).task, second);
  EXPECT_EQ(counts("dlq").dead, 1U);
}

// The last that ended, whenever they began.
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
  must(broker().alter_queue("orders", {.dead_letter_queue = ""}));
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

TEST_P(RedriveTasks, TakeAtMostWhatIsAsked) {
  die(300);
  EXPECT_EQ(must(broker().redrive("dlq", {.max = 130})).moved, 130U);
  EXPECT_EQ(must(broker().redrive("dlq", {.max = 1})).moved, 1U);
  const Deliveries back = receive_all("orders");
  ASSERT_EQ(back.size(), 131U);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(back[i].body, std::to_string(i));
  EXPECT_EQ(counts("dlq").dead, 169U);
}

TEST_P(RedriveTasks, TakeTheNamedOnes) {
  die(200);
  const std::vector<DeadLetter> letters = dead_letters("dlq");
  const RedriveOptions options{
      .filter = {.seqs = {letters[150].seq, letters[3].seq, letters[3].seq, Seq{1'000'000}}}};
  EXPECT_EQ(must(broker().redrive("dlq", options)).moved, 2U);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("3", "150"));
  EXPECT_EQ(counts("dlq").dead, 198U);
}

TEST_P(RedriveTasks, NoneBeginsIfAllThatAreNamedAreMissing) {
  die(3);
  const std::vector<DeadLetter> letters = dead_letters("dlq");
  const RedriveOptions options{.filter = {.ids = {letters[0].id}, .seqs = {letters[1].seq}},
                               .request_id = "one"};
  const Redriven moved = must(broker().redrive("dlq", options));
  EXPECT_EQ(moved.moved, 2U);
  // What was asked for before is told again.
  EXPECT_EQ(must(broker().redrive("dlq", options)).task, moved.task);

  must(
      broker().alter_queue("dlq", {.max_deliveries = {}, .parking_queue = "parked"}, MissingQueues::kCreate));
  const auto missing = FailsNaming(ErrorCode::kMessageNotFound, "'dlq'");
  for (const DeadLetterFilter& filter : {DeadLetterFilter{.ids = {letters[0].id, MessageId{}}},
                                         DeadLetterFilter{.seqs = {letters[1].seq, Seq{1'000'000}}}}) {
    EXPECT_THAT(broker().redrive("dlq", {.filter = filter}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.filter = filter, .wait = false}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark, .filter = filter}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.filter = filter, .dry_run = true}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark, .filter = filter, .dry_run = true}),
                missing);
  }
  EXPECT_EQ(must(broker().list_redrives()).size(), 1U);
  // One of those is enough; and a filter that means nothing is no name.
  EXPECT_EQ(must(broker().redrive("dlq", {.filter = {.seqs = {letters[1].seq, letters[2].seq}}})).moved, 1U);
  EXPECT_EQ(must(broker().redrive("dlq", {.filter = {.category = "none"}})).moved, 0U);
}

TEST_P(RedriveTasks, MoveToAnotherQueue) {
  create("repair");
  die(3);
  EXPECT_EQ(must(broker().redrive("dlq", {.to = "repair"})).moved, 3U);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_THAT(bodies(receive_all("repair")), ElementsAre("0", "1", "2"));
  EXPECT_THAT(broker().redrive("dlq", {.to = "dlq"}), FailsNaming(ErrorCode::kInvalidArgument, "to"));
  EXPECT_THAT(broker().redrive("dlq", {.to = "nowhere"}), FailsNaming(ErrorCode::kQueueNotFound, "nowhere"));
}

// It could not pause.
TEST_P(RedriveTasks, ACallThatWaitsTakesNoRateAndNoCanary) {
  die(2);
  must(
      broker().alter_queue("dlq", {.max_deliveries = {}, .parking_queue = "parked"}, MissingQueues::kCreate));
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
  const Redriven begun = must(broker().redrive("dlq", options));
  EXPECT_EQ(begun.moved, 0U);
  EXPECT_THAT(begun.sample, IsEmpty());
  EXPECT_EQ(status(begun.task).state, TaskState::kRunning);
  advance(1s);
  const std::uint64_t moved = status(begun.task).moved;
  EXPECT_GT(moved, 0U);
  EXPECT_LT(moved, 5U);
  const Redriven repeated = must(broker().redrive("dlq", options));
  EXPECT_EQ(repeated.task, begun.task);
  EXPECT_EQ(repeated.moved, moved);
}

// What it takes of the options is what a call that moves something takes.
TEST_P(RedriveTasks, ADryRunIsOfACallInTheBackgroundToo) {
  die(3);
  EXPECT_EQ(dry_run({.rate = 1, .canary = 1}).moved, 3U);
  EXPECT_EQ(dry_run({.rate = 1, .canary = 1, .wait = false}).moved, 3U);
  EXPECT_THAT(broker().redrive("dlq", {.rate = limits::kRedriveRate + 1, .dry_run = true}),
              FailsNaming(ErrorCode::kLimitExceeded, "rate"));
  EXPECT_EQ(counts("dlq").dead, 3U);
  EXPECT_THAT(must(broker().list_redrives()), IsEmpty());
}

TEST_P(RedriveTasks, ADryRunCountsAndChangesNothing) {
  die(20, {.category = "timeout"});
  die(5, {.category = "validation"});
  const Delivery leased = receive_one("dlq");
  const Redriven all = dry_run();
  EXPECT_EQ(all.task, TaskId{});
  EXPECT_EQ(all.moved, 24U);
  EXPECT_EQ(all.left, LeftInPlace{.leased = 1});
  ASSERT_EQ(all.sample.size(), limits::kDryRunSample);
  EXPECT_EQ(all.sample.front().record.category, "timeout");
  EXPECT_EQ(dry_run({.filter = {.category = "validation"}}).moved, 5U);
  EXPECT_EQ(dry_run({.max = 7}).moved, 7U);
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 24, .leased = 1, .dead = 25}));
  EXPECT_THAT(must(broker().list_redrives()), IsEmpty());
}

TEST_P(RedriveTasks, ADryRunLeavesOutWhatIsNotToBeSeen) {
  send("orders", "a", {{"correlation-id", "secret"}});
  reject_one("orders", {.partial_output = "secret"});
  const auto seen = [&](Redaction redact) { return dry_run({.redact = std::move(redact)}).sample.at(0); };
  EXPECT_EQ(seen({}).record.partial_output, "secret");
  const DeadLetter redacted = seen({.bodies = true, .attributes = {"correlation-id"}});
  EXPECT_EQ(redacted.record.partial_output, "");
  EXPECT_EQ(redacted.record.correlation_id, "");
  EXPECT_THAT(redacted.redacted, ElementsAre("body", "partial_output", "attribute correlation-id"));
}

TEST_P(RedriveTasks, ADryRunTriesTheEdit) {
  die(3);
  send("orders", "no JSON");
  reject_one("orders");
  const RedriveOptions options{.edit = {.json_patch = R"([{"op":"replace","path":"","value":7}])"}};
  const Redriven would = dry_run(options);
  EXPECT_EQ(would.moved, 3U);
  EXPECT_EQ(would.left, LeftInPlace{.edit = 1});
  const Redriven redriven = must(broker().redrive("dlq", options));
  EXPECT_EQ(redriven.moved, would.moved);
  EXPECT_EQ(redriven.left, would.left);
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.json_patch = "{}"}, .dry_run = true}),
              FailsNaming(ErrorCode::kInvalidArgument, "json_patch"));
}

TEST_P(RedriveTasks, ADryRunShowsWhatTheEditMakesOfASample) {
  send("orders", R"({"quantity":0})", {{"k", "old"}, {"card", "4111"}});
  reject_one("orders", {.partial_output = "secret"});
  RedriveOptions options{.edit = {.json_patch = R"([{"op":"replace","path":"/quantity","value":1}])",
                                  .set_attributes = {{"k", "new"}}}};
  const DeadLetter letter = dry_run(options).sample.at(0);
  EXPECT_EQ(letter.body, R"({"quantity":1})");
  EXPECT_EQ(letter.attributes, (Attributes{{"card", "4111"}, {"k", "new"}}));
  const OriginalMessage before{.body = R"({"quantity":0})", .attributes = {{"k", "old"}, {"card", "4111"}}};
  EXPECT_EQ(letter.original, before);
  EXPECT_EQ(only_dead_letter("dlq").body, before.body) << "nothing has changed";

  options.redact = {.bodies = true, .attributes = {"card"}};
  const DeadLetter redacted = dry_run(options).sample.at(0);
  EXPECT_EQ(redacted.body, "");
  EXPECT_EQ(redacted.attributes, (Attributes{{"card", ""}, {"k", "new"}}));
  EXPECT_EQ(redacted.original, (OriginalMessage{.attributes = {{"k", "old"}, {"card", ""}}}));

  const DeadLetter unedited = dry_run().sample.at(0);
  EXPECT_EQ(unedited.original, std::nullopt);
  EXPECT_EQ(unedited.body, "");
}

TEST_P(RedriveTasks, ADryRunShowsSoManyBytesOfEdits) {
  const std::string third(limits::kDryRunBytes / 3, 'x');
  for (int i = 0; i < 3; ++i) {
    send("orders", third);
    reject_one("orders");
  }
  const auto sample = dry_run({.edit = {.set_attributes = {{"k", "v"}}}}).sample;
  ASSERT_EQ(sample.size(), 3U);
  EXPECT_EQ(sample[0].original->body, third);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(sample[i].original, std::nullopt);
    EXPECT_EQ(sample[i].body, "");
  }
}

TEST_P(RedriveTasks, CountTowardsWhatTheirFilterMeans) {
  die(20, {.category = "timeout", .code = "E1"});
  die(5, {.category = "validation", .code = "E1"});
  const auto total = [&](RedriveOptions options) {
    options.rate = 1;
    const TaskStatus started = status(start(options));
    must(broker().cancel_redrive(started.id));
    return started.total;
  };
  EXPECT_EQ(total({.filter = {.category = "validation"}}), 5U);
  EXPECT_EQ(total({.filter = {.category = "timeout", .code = "E1"}}), 20U);
  EXPECT_EQ(total({.filter = {.category = "nothing"}}), 0U);
  EXPECT_EQ(total({.filter = {.category = "timeout"}, .max = 3}), 3U);
  EXPECT_EQ(total({.filter = {.reason = "x"}}), 25U);
}

TEST_P(RedriveTasks, RefuseWhatWasReplayedTooOften) {
  die(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(must(broker().redrive("dlq", {.max_replays = 2})).moved, 1U);
    reject_one("orders");
  }
  const Redriven refused = must(broker().redrive("dlq", {.max_replays = 2}));
  EXPECT_EQ(refused.moved, 0U);
  EXPECT_EQ(refused.left, LeftInPlace{.replay_limit = 1});
  EXPECT_THAT(broker().redrive("dlq", {.max_replays = 2, .park_refused = true}),
              FailsNaming(ErrorCode::kInvalidArgument, "parking_queue"));

  must(
      broker().alter_queue("dlq", {.max_deliveries = {}, .parking_queue = "parked"}, MissingQueues::kCreate));
  const Redriven parked = must(broker().redrive("dlq", {.max_replays = 2, .park_refused = true}));
  EXPECT_EQ(parked.parked, 1U);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_EQ(only_dead_letter("parked").record.replays, 2U);
}

TEST_P(RedriveTasks, SayWhatTheyLeftAndWhy) {
  const auto die_as = [&](const std::string& queue, const std::string& body, const Consumer& consumer = {}) {
    send(queue, body);
    must(broker().reject(receive_one(queue, {.consumer = consumer}).receipt, {}));
  };
  die_as("orders", "{}");
  const Delivery held = receive_one("dlq");
  die(10, {.category = "spam"});
  must(broker().change_dead_letters("dlq", {.filter = {.category = "spam"}},
                                    {.status = DeadLetterStatus::kAbandoned}));
  die(2);
  EXPECT_EQ(must(broker().redrive("dlq")).left, (LeftInPlace{.abandoned = 10, .leased = 1}));
  for (int i = 0; i < 2; ++i) reject_one("orders");
  die_as("orders", "{}", {.version = "2.1"});
  die_as("orders", "not JSON");
  create("gone", {.dead_letter_queue = "dlq"});
  die_as("gone", "{}");
  must(broker().delete_queue("gone"));
  die_as("orders", "{}");

  const RedriveOptions options{.max_replays = 1,
                               .unless_version = "2.1",
                               .edit = {.json_patch = R"([{"op":"test","path":"","value":{}}])"}};
  const LeftInPlace left{
      .abandoned = 10, .replay_limit = 2, .version = 1, .edit = 1, .no_queue = 1, .leased = 1};
  const Redriven would = dry_run(options);
  EXPECT_EQ(would.moved, 1U);
  EXPECT_EQ(would.left, left);
  EXPECT_EQ(would.left.total(), 16U);
  const TaskId id = start(options);
  advance(1s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
  EXPECT_EQ(status(id).moved, 1U);
  EXPECT_EQ(status(id).left, left);
  reopen();
  EXPECT_EQ(status(id).left, left);
  EXPECT_EQ(
      to_string(left),
      "10 abandoned, 2 over the replay limit, 1 failed on the consumer version that is refused, 1 that the "
      "edit does not fit, 1 without a queue to go to, 1 leased");
  const Redriven again = must(broker().redrive("dlq", {.filter = {.category = "spam"}}));
  EXPECT_EQ(again.moved, 0U);
  EXPECT_EQ(again.left, LeftInPlace{.abandoned = 10});
  // Asked for by status they are not left.
  EXPECT_EQ(must(broker().redrive("dlq", {.filter = {.status = DeadLetterStatus::kAbandoned}})).moved, 10U);
  must(broker().ack(held.receipt));
}

TEST_P(RedriveTasks, RefuseWhatTheSameVersionFailedOn) {
  for (const char* version : {"2.0", "2.1"}) {
    send("orders", version);
    must(broker().reject(receive_one("orders", {.consumer = {.version = version}}).receipt, {}));
  }
  const Redriven redriven = must(broker().redrive("dlq", {.unless_version = "2.1"}));
  EXPECT_EQ(redriven.moved, 1U);
  EXPECT_EQ(redriven.left, LeftInPlace{.version = 1});
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("2.0"));
}

TEST_P(RedriveTasks, EditOnTheWay) {
  const MessageId id =
      send("orders", R"({"quantity":0,"z":1,"a":[1]})", {{"drop", "1"}, {"k", "old"}, {"k", "2"}});
  reject_one("orders");
  send("orders", "not json");
  reject_one("orders");
  const RedriveEdit edit{.json_patch = R"([{"op":"replace","path":"/quantity","value":1},
                                          {"op":"remove","path":"/a"}])",
                         .set_attributes = {{"k", "new"}},
                         .drop_attributes = {"drop"}};
  const Redriven redriven = must(broker().redrive("dlq", {.edit = edit}));
  EXPECT_EQ(redriven.moved, 1U);
  EXPECT_EQ(redriven.left, LeftInPlace{.edit = 1});
  const Delivery back = receive_one("orders");
  EXPECT_EQ(back.id, id);
  EXPECT_EQ(back.body, R"({"quantity":1,"z":1})");
  EXPECT_EQ(back.attributes, (Attributes{{"k", "new"}}));
  EXPECT_EQ(back.replays, 1U);
  EXPECT_EQ(only_dead_letter("dlq").body, "not json");
}

TEST_P(RedriveTasks, SetAttributesToWhatTheyKnow) {
  send("orders", "x", {{"from", "elsewhere"}, {"from", "twice"}, {"k", "stays"}});
  reject_one("orders");
  const RedriveEdit edit{.value_attributes = {{"from", RedriveValue::kFromDlq},
                                              {"at", RedriveValue::kTime},
                                              {"replays", RedriveValue::kReplays}}};
  for (const char* replays : {"1", "2"}) {
    advance(1min);
    must(broker().redrive("dlq", {.edit = edit}));
    const Delivery back = receive_one("orders");
    EXPECT_EQ(
        back.attributes,
        (Attributes{{"k", "stays"}, {"from", "dlq"}, {"at", format_time(now())}, {"replays", replays}}));
    must(broker().reject(back.receipt, {}));
  }
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.value_attributes = {{"", RedriveValue::kTime}}}}),
              FailsNaming(ErrorCode::kInvalidArgument, "value_attributes"));
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.value_attributes = {{"k", RedriveValue{9}}}}}),
              FailsNaming(ErrorCode::kInvalidArgument, "value_attributes"));
  std::vector<ValueAttribute> many(limits::kAttributes, {"k", RedriveValue::kTime});
  EXPECT_EQ(must(broker().redrive("dlq", {.edit = {.value_attributes = many}})).moved, 1U);
  many.push_back(many.front());
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.value_attributes = many}}),
              FailsNaming(ErrorCode::kLimitExceeded, "value_attributes"));
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
