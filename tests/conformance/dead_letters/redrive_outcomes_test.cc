// A task tells what became of the messages that it moved, and of no others, whatever else is redriven
// meanwhile.
#include "tests/conformance/dead_letters/replay_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class RedriveOutcomes : public ReplayFixture {
 protected:
  TaskId redrive(RedriveOptions options = {}) {
    options.wait = false;
    const TaskId id = must(broker().redrive("dlq", std::move(options))).task;
    advance(1s);
    return id;
  }
  ReplayCounts outcomes(TaskId id) { return must(broker().redrive_status(id)).outcomes; }
  void ack_one() { must(broker().ack(receive_one("orders").receipt)); }
};
HOLDFAST_FOR_EACH_BROKER(RedriveOutcomes);

TEST_P(RedriveOutcomes, AreCountedByTask) {
  for (int i = 0; i < 4; ++i) die(std::to_string(i), "first");
  const TaskId first = redrive({.filter = {.category = "first"}});
  for (int i = 0; i < 2; ++i) ack_one();
  reject_one("orders", {.category = "again"});
  EXPECT_EQ(outcomes(first), (ReplayCounts{.acked = 2, .died_again = 1}));

  // The message that died again counts for the task that moves it now.
  const TaskId second = redrive({.filter = {.category = "again"}});
  for (int i = 0; i < 2; ++i) ack_one();
  EXPECT_EQ(outcomes(first), (ReplayCounts{.acked = 3, .died_again = 1}));
  EXPECT_EQ(outcomes(second), (ReplayCounts{.acked = 1}));
  EXPECT_EQ(must(broker().list_redrives()).back().outcomes, outcomes(second));
}

TEST_P(RedriveOutcomes, TellDeathsElsewhereAndDropsApart) {
  for (int i = 0; i < 3; ++i) die(std::to_string(i));
  const TaskId id = redrive();
  create("other");
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "other"}}, MissingQueues::kCreate));
  reject_one("orders");
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "", .discard_rejected = true}}));
  reject_one("orders");
  EXPECT_EQ(outcomes(id), (ReplayCounts{.died_elsewhere = 1, .dropped = 1}));
}

TEST_P(RedriveOutcomes, AreKeptOverARestartAndForgottenWithTheTask) {
  for (int i = 0; i < 3; ++i) die(std::to_string(i));
  const TaskId id = redrive();
  ack_one();
  reopen();
  EXPECT_EQ(outcomes(id), (ReplayCounts{.acked = 1}));
  ack_one();
  EXPECT_EQ(outcomes(id), (ReplayCounts{.acked = 2}));
  for (std::size_t i = 0; i < limits::kFinishedTasks; ++i) must(broker().redrive("dlq"));
  advance(1s);
  EXPECT_THAT(broker().redrive_status(id), FailsWith(ErrorCode::kTaskNotFound));
  ack_one();  // the engine has forgotten this message's task
  reopen();
  EXPECT_THAT(broker().redrive_status(id), FailsWith(ErrorCode::kTaskNotFound));
}

TEST_P(RedriveOutcomes, OfManyInOneGroupAreAllCounted) {
  for (int i = 0; i < 20; ++i) die(std::to_string(i));
  const TaskId id = redrive();
  std::vector<Receipt> receipts;
  for (int i = 0; i < 20; ++i) receipts.push_back(receive_one("orders").receipt);
  for (const auto& acked : must(broker().ack_batch(receipts))) must(acked);
  EXPECT_EQ(outcomes(id), (ReplayCounts{.acked = 20}));
}

}  // namespace
}  // namespace holdfast::testing
