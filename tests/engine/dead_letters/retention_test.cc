// Retention: what is resolved stays for a time, is archived, and goes.
#include "tests/engine/dead_letters/retention_fixture.h"
#include "tests/support/answer.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A letter that is held is not archived again and again, nor is it in the way of letters that may go.
TEST_F(Retention, WaitsForWhatIsHeldAndTakesTheRest) {
  constexpr std::size_t kHeld = 300;
  must(engine_->alter_queue("dlq", {.retention = {.abandoned = 1h}}));
  for (std::size_t i = 0; i < kHeld + 50; ++i) kill("x");
  abandon();
  std::vector<Receipt> held;
  for (const Delivery& delivery : must(engine_->receive("dlq", {.max = kHeld, .lease = 12h})))
    held.push_back(delivery.receipt);
  ASSERT_EQ(held.size(), kHeld);
  pass(1h);
  for (int minute = 0; minute < 10; ++minute) pass(1min);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, kHeld);
  EXPECT_EQ(archived().size(), 50U);
  for (const auto& acked : must(engine_->ack_batch(held))) must(acked);
  pass(1h);
  EXPECT_EQ(archived().size(), 50U);
}

// The time counts from the ack on, as it does for a redriven dead letter.
TEST_F(Retention, WhatWasAcknowledgedGoesWithItsHistory) {
  must(engine_->alter_queue("dlq", {.retention = {.replayed = 48h}}));
  kill("x");
  pass(24h);
  must(engine_->ack(must(engine_->receive("dlq")).at(0).receipt));
  pass(47h);
  EXPECT_EQ(all().size(), 1U);
  open(archive_.path());  // the time outlives the engine
  pass(1h);
  EXPECT_TRUE(all().empty());
  const auto lines = archived();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].history);
  EXPECT_EQ(lines[0].triage.audit.back().action, "acknowledged");
}

TEST_F(Retention, WhatNobodyResolvedGoesOnlyIfThatIsWanted) {
  kill("old");
  investigate();
  pass(24h * 1000);
  EXPECT_EQ(all().size(), 1U);
  must(engine_->alter_queue("dlq", {.retention = {.unresolved = 24h * 1000 + 1h}}));
  kill("young");
  investigate();
  pass(1h);
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all().at(0).body, "young");
  ASSERT_EQ(archived().size(), 1U);
  EXPECT_EQ(archived().at(0).body, "old");
  // A letter that comes after the options were altered goes too.
  pass(24h * 1000);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(archived().size(), 2U);
}

// What a policy parks is kept as long as the parking queue says, not as long as the queue it died into.
TEST_F(Retention, WhatAPolicyParkedGoesWhenTheParkingQueueKeepsItNoLonger) {
  must(engine_->create_queue("parked", {.retention = {.unresolved = 1h}}));
  must(engine_->alter_queue(
      "dlq",
      {.dead_letters = {.parking_queue = "parked",
                        .auto_redrive = AutoRedrive{.every = 10s, .backoff = 1h, .give_up_after = 1s}}}));
  kill("x");
  pass(20s);
  ASSERT_EQ(must(engine_->describe_queue("parked")).counts.dead, 1U);
  pass(2h);
  EXPECT_EQ(must(engine_->describe_queue("parked")).counts.dead, 0U);
  EXPECT_EQ(read_archive(archive_.path()).size(), 1U);
}

// Retention works in parts, so that nothing else that is due waits for all of it.
TEST_F(Retention, TakesABoundedNumberAtATime) {
  constexpr std::size_t kLetters = 2'000;
  for (const auto& sent : must(engine_->send_batch("orders", std::vector<Message>(kLetters, {.body = "x"}))))
    must(sent);
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = kLetters})))
    receipts.push_back(delivery.receipt);
  for (const auto& rejected : must(engine_->reject_batch(receipts, {.reason = "bad"}))) must(rejected);
  abandon();
  const auto dead = [&] { return must(engine_->describe_queue("dlq")).counts.dead; };
  ASSERT_EQ(dead(), kLetters);
  clock_.advance(24h);
  EXPECT_LE(engine_->run_due(), clock_.now());
  EXPECT_LT(dead(), kLetters);
  EXPECT_GT(dead(), kLetters / 2);
  run_due_until_quiet(*engine_, clock_);
  EXPECT_EQ(dead(), 0U);
  EXPECT_EQ(archived().size(), kLetters);
}

// A round of the policy gives up more dead letters than a step of retention archives.
TEST_F(Retention, ArchivesAllThatARoundHasGivenUp) {
  constexpr std::size_t kLetters = 1'000;
  for (std::size_t i = 0; i < kLetters; ++i) kill("x");
  archive_given_up(1h, 4096);
  pass(1h + 1s);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 0U);
  EXPECT_EQ(archived().size(), kLetters);
}

TEST_F(Retention, ArchivesWhatWasAbandonedForLongEnoughAndDeletesIt) {
  kill("a");
  kill("b");
  must(engine_->change_dead_letters("dlq", {.filter = {.seqs = {all()[0].seq}}},
                                    {.status = DeadLetterStatus::kAbandoned}));
  const DeadLetter expected = all()[0];
  pass(24h - 1us);
  EXPECT_EQ(all().size(), 2U);
  pass(1us);
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all()[0].body, "b");
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 1U);
  const auto letters = archived();
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].record, expected.record);
  EXPECT_EQ(letters[0].triage, expected.triage);
  EXPECT_EQ(letters[0].body, "a");
  EXPECT_EQ(letters[0].attributes, expected.attributes);
}

TEST_F(Retention, KeepsWhatNobodyResolved) {
  kill("a");
  pass(24h * 365 * 10);
  EXPECT_EQ(all().size(), 1U);
  EXPECT_TRUE(archived().empty());
}

TEST_F(Retention, TakesHistoryToo) {
  kill("a");
  must(engine_->discard_dead_letters("dlq", {.all = true}));
  EXPECT_EQ(all().size(), 1U);
  pass(24h);
  EXPECT_TRUE(all().empty());
  ASSERT_EQ(archived().size(), 1U);
  EXPECT_TRUE(archived()[0].history);
}

TEST_F(Retention, TakesRecordsOfReplayedOnesWithTheirOutcomeAndOriginal) {
  must(engine_->alter_queue("dlq", {.retention = {.replayed = 48h}}));
  kill("a");
  must(engine_->redrive("dlq", {.edit = {.body = "b"}}));
  must(engine_->ack(must(engine_->receive("orders")).at(0).receipt));
  pass(48h - 1us);
  EXPECT_EQ(all().size(), 1U);
  pass(1us);
  EXPECT_TRUE(all().empty());
  const auto letters = archived();
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].original->body, "a");
  EXPECT_EQ(letters[0].triage.status, DeadLetterStatus::kReplayed);
  must(engine_->close());
  engine_.reset();
  const auto store = must(open_memory_store(disk_));
  EXPECT_FALSE(store->scan(Family::kDeadLetters, {}, std::string(32, '\xff'))->valid());
  EXPECT_FALSE(store->scan(Family::kHistory, {}, std::string(32, '\xff'))->valid());
  EXPECT_FALSE(store->scan(Family::kDeadLetterIndex, {}, std::string(32, '\xff'))->valid());
  EXPECT_FALSE(store->scan(Family::kDeadLetterIds, {}, std::string(32, '\xff'))->valid());
}

// The task finds in the records what became of its canaries.
TEST_F(Retention, WaitsForATaskThatWaitsForItsCanaries) {
  must(engine_->alter_queue("dlq", {.retention = {.replayed = 0s}}));
  for (const char* body : {"a", "b", "c"}) kill(body);
  const TaskId task = must(engine_->redrive("dlq", {.canary = 2, .wait = false})).task;
  for (const std::uint64_t acked : {1U, 2U}) {
    pass(2min);
    must(engine_->ack(must(engine_->receive("orders")).at(0).receipt));
    pass(2s);
    EXPECT_EQ(must(engine_->redrive_status(task)).canary_acked, acked);
  }
  EXPECT_EQ(must(engine_->redrive_status(task)).state, TaskState::kDone);
  pass(1min);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(archived().size(), 3U);
}

TEST_F(Retention, GoesOnAfterAnOpening) {
  kill("a");
  abandon();
  open(archive_.path());
  pass(24h);
  EXPECT_TRUE(all().empty());
}

TEST_F(Retention, LeavesWhatAConsumerHas) {
  kill("a");
  abandon();
  const Delivery leased = must(engine_->receive("dlq", {.lease = 12h})).at(0);
  clock_.advance(6h);
  must(engine_->extend(leased.receipt, 12h));
  clock_.advance(11h);
  must(engine_->extend(leased.receipt, 12h));
  pass(11h);
  EXPECT_EQ(all().size(), 1U);
  pass(1h + 1min);
  EXPECT_TRUE(all().empty());
}

TEST_F(Retention, WithoutAnArchiveDeletesNothing) {
  kill("a");
  abandon();
  open({});
  pass(24h * 400);
  EXPECT_EQ(all().size(), 1U);
}

// More letters than one step looks at are in the way, with two statuses. They are read once for all letters
// that go behind them.
TEST_F(Retention, HoweverManyWereTakenUpLatelyWhatDiedAfterThemGoes) {
  constexpr std::size_t kInTheWay = 4500;
  must(engine_->alter_queue("dlq", {.retention = {.unresolved = 24h}}));
  const auto kill_many = [&](std::size_t count, const std::string& reason) {
    must(engine_->send_batch("orders", std::vector<Message>(count, {.body = "x"})));
    for (;;) {
      std::vector<Receipt> receipts;
      for (const Delivery& delivery : must(engine_->receive("orders", {.max = 1000})))
        receipts.push_back(delivery.receipt);
      if (receipts.empty()) break;
      for (const auto& one : must(engine_->reject_batch(receipts, {.reason = reason}))) must(one);
    }
  };
  const auto change = [&](const std::string& reason, DeadLetterStatus status) {
    must(engine_->change_dead_letters("dlq", {.filter = {.reason = reason}}, {.status = status}));
  };
  kill_many(kInTheWay, "first");
  kill_many(kInTheWay, "second");
  pass(1h);
  kill_many(600, "third");
  kill_many(600, "fourth");
  change("fourth", DeadLetterStatus::kInvestigating);
  pass(22h);
  change("first", DeadLetterStatus::kInvestigating);
  change("second", DeadLetterStatus::kInvestigating);
  change("second", DeadLetterStatus::kFixed);
  pass(2h + 1min);
  const auto groups = must(engine_->group_dead_letters("dlq", {.by = DeadLetterGrouping::kStatus}));
  EXPECT_EQ(groups.total, 2 * kInTheWay);
}

TEST_F(Retention, FreesAGroupForAReceiveThatWaits) {
  must(engine_->alter_queue("dlq",
                            {.grouping = {.mode = Grouping::kOrdered}, .retention = {.abandoned = 30min}}));
  kill("first");
  kill("second");
  const Delivery first = must(engine_->receive("dlq")).at(0);
  EXPECT_TRUE(must(engine_->receive("dlq")).empty());  // "first" holds the group
  must(engine_->release(first.receipt, {.delay = 12h, .charge = false}));
  must(engine_->change_dead_letters("dlq", {.filter = {.ids = {first.id}}},
                                    {.status = DeadLetterStatus::kAbandoned}));
  Answer<Result<Deliveries>> waited;
  engine_->async_receive("dlq", {.wait = 1h}, waited.callback());
  for (int half_hour = 0; half_hour < 2; ++half_hour) {
    clock_.advance(30min);
    engine_->run_due();
  }
  const auto deliveries = must(waited.get());
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].body, "second");
}

}  // namespace
}  // namespace holdfast::testing
