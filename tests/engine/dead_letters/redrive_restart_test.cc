// The process or the machine of a redrive task dies on the way.
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class RedriveRestart : public ::testing::Test, public CrashableEngine {
 protected:
  RedriveRestart() : CrashableEngine(5) {
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (int i = 0; i < 200; ++i) must(engine_->send("orders", {.body = std::to_string(i)}));
    for (const Delivery& delivery : must(engine_->receive("orders", {.max = 200})))
      must(engine_->reject(delivery.receipt, {.reason = "bad"}));
  }

  std::uint64_t ready(std::string_view queue) { return must(engine_->describe_queue(queue)).counts.ready; }
};

// What the task says of itself is written together with what it does.
TEST_F(RedriveRestart, CountsWhatItMovedAndKeepsToItsMaximum) {
  const TaskId id = must(engine_->redrive("dlq", {.max = 100, .rate = 7, .wait = false})).task;
  for (int i = 0; must(engine_->redrive_status(id)).state == TaskState::kRunning; ++i) {
    advance(*engine_, clock_, 1s);
    if (i % 2 == 0) crash(i % 4 == 0 ? Crash::kMachine : Crash::kProcess);
    const TaskStatus task = must(engine_->redrive_status(id));
    ASSERT_EQ(task.moved, ready("orders"));
    ASSERT_EQ(ready("dlq"), 200 - task.moved);
  }
  EXPECT_EQ(must(engine_->redrive_status(id)).moved, 100U);
  EXPECT_EQ(must(engine_->redrive_status(id)).state, TaskState::kDone);
}

TEST_F(RedriveRestart, GoesOnWithItsEdit) {
  must(engine_->redrive("dlq", {.rate = 20, .edit = {.set_attributes = {{"edited", "yes"}}}, .wait = false}));
  for (int i = 0; ready("dlq") > 0 && i < 100; ++i) {
    advance(*engine_, clock_, 1s);
    crash(i % 2 == 0 ? Crash::kMachine : Crash::kProcess);
  }
  const Deliveries deliveries = must(engine_->receive("orders", {.max = 200}));
  EXPECT_EQ(deliveries.size(), 200U);
  for (const Delivery& delivery : deliveries)
    EXPECT_EQ(delivery.attributes, (Attributes{{"edited", "yes"}})) << delivery.body;
}

// A step is bounded by what it writes, however small the messages were that it edits.
TEST_F(RedriveRestart, AStepDoesNotWriteAllThatAnEditMakesLarge) {
  must(engine_->redrive("dlq", {.edit = {.body = std::string(1U << 20, 'x')}, .wait = false}));
  engine_->run_due();  // makes one step
  EXPECT_GT(ready("orders"), 0U);
  EXPECT_LE(ready("orders"), 8U);
}

// What has moved stays moved. So a failure is never told as if nothing had been done, not even after a
// restart.
TEST_F(RedriveRestart, SaysAgainThatItFailedAfterSomeHadMoved) {
  must(engine_->create_queue("other"));
  must(engine_->alter_queue("orders", {.limits = {.max_body_bytes = 4U << 20}}));
  for (int i = 0; i < 4; ++i) {
    must(engine_->send("orders", {.body = std::string(3U << 20, 'x')}));
    must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {.reason = "large"}));
  }
  RedriveOptions options{.to = "other", .wait = false, .request_id = "one"};
  must(engine_->redrive("dlq", options));
  engine_->run_due();  // makes one step
  const std::uint64_t moved = ready("other");
  EXPECT_GT(moved, 0U);
  EXPECT_GT(ready("dlq"), 0U);
  must(engine_->delete_queue("other"));
  run_due_until_quiet(*engine_, clock_);
  options.wait = true;
  for (int again = 0; again < 2; ++again) {
    EXPECT_THAT(
        engine_->redrive("dlq", options),
        FailsNaming(ErrorCode::kOutcomeUnknown, "failed after " + std::to_string(moved) + " had moved"));
    for (std::size_t i = 0; again == 1 && i <= limits::kFinishedTasks; ++i) must(engine_->redrive("orders"));
    EXPECT_THAT(engine_->redrive("dlq", options), FailsNaming(ErrorCode::kOutcomeUnknown, "was deleted"));
    crash(Crash::kProcess);
  }
}

TEST_F(RedriveRestart, ACallWithAFunctionWaitsOrOnlyLooks) {
  const auto shout = [](const DeadLetter& letter) -> Result<Message> {
    if (letter.body == "3") return fail(ErrorCode::kInvalidArgument, "no");
    return Message{.body = letter.body + "!"};
  };
  const std::uint64_t all = ready("dlq");
  const Redriven would = must(engine_->redrive("dlq", {.dry_run = true}, shout));
  EXPECT_EQ(would.moved, all - 1);
  EXPECT_EQ(would.left, LeftInPlace{.edit = 1});
  EXPECT_EQ(would.sample.at(0).body, would.sample.at(0).original->body + "!");
  EXPECT_EQ(ready("dlq"), all);
  EXPECT_THAT(engine_->redrive("dlq", {.action = RedriveAction::kPark, .to = "orders"}, shout),
              FailsNaming(ErrorCode::kInvalidArgument, "function"));
  const Redriven done = must(engine_->redrive("dlq", {}, shout));
  EXPECT_EQ(done.moved, would.moved);
  EXPECT_EQ(done.left, would.left);
  EXPECT_EQ(must(engine_->redrive_status(done.task)).state, TaskState::kDone);
  EXPECT_EQ(ready("dlq"), 1U);
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = 5})))
    EXPECT_TRUE(delivery.body.ends_with('!'));
}

// The call is not answered as if its task had come to its end.
TEST_F(RedriveRestart, ACallWhoseFunctionHasEndedIsNotRepeated) {
  const auto same = [](const DeadLetter& letter) -> Result<Message> { return Message{.body = letter.body}; };
  RedriveOptions options{.max = 5, .wait = false, .request_id = "one"};
  must(engine_->redrive("dlq", options, same));
  crash(Crash::kProcess);
  options.wait = true;
  EXPECT_THAT(engine_->redrive("dlq", options, same),
              FailsNaming(ErrorCode::kOutcomeUnknown, "was interrupted"));
}

// The engine cannot store a function, so the task does not go on after a restart.
TEST_F(RedriveRestart, AFunctionEndsWithItsProcess) {
  const auto shout = [](const DeadLetter& letter) -> Result<Message> {
    if (letter.body == "3") return fail(ErrorCode::kInvalidArgument, "no");
    return Message{.body = letter.body + "!", .attributes = {{"made", "anew"}}};
  };
  const TaskId id = must(engine_->redrive("dlq", {.rate = 7, .wait = false}, shout)).task;
  for (int i = 0; i < 10; ++i) advance(*engine_, clock_, 1s);
  const TaskStatus before = must(engine_->redrive_status(id));
  EXPECT_EQ(before.state, TaskState::kRunning);
  EXPECT_EQ(before.left.edit, 1U);
  EXPECT_GT(before.moved, 10U);
  crash(Crash::kProcess);
  const TaskStatus ended = must(engine_->redrive_status(id));
  EXPECT_EQ(ended.state, TaskState::kInterrupted);
  EXPECT_EQ(ended.finished_at, clock_.now());
  for (int i = 0; i < 10; ++i) advance(*engine_, clock_, 1s);
  crash(Crash::kProcess);
  const TaskStatus later = must(engine_->redrive_status(id));
  EXPECT_EQ(later.state, TaskState::kInterrupted);
  EXPECT_EQ(later.finished_at, ended.finished_at);
  EXPECT_EQ(later.moved, before.moved);
  EXPECT_EQ(ready("orders"), before.moved);
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = 200}))) {
    EXPECT_TRUE(delivery.body.ends_with('!'));
    EXPECT_EQ(delivery.attributes, (Attributes{{"made", "anew"}}));
  }
  const auto history = must(
      engine_->list_dead_letters("dlq", {.filter = {.status = DeadLetterStatus::kReplayed}, .max = 200}));
  EXPECT_EQ(history.items.size(), before.moved);
  // A new task takes the rest.
  must(engine_->redrive("dlq", {.wait = false}, shout));
  run_due_until_quiet(*engine_, clock_);
  EXPECT_EQ(ready("dlq"), 1U);
}

}  // namespace
}  // namespace holdfast::testing
