// Changes of the status, assignee, notes and audit of dead letters, and how they are discarded.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class TriageTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
  }

  void kill(std::size_t n, const std::string& category = "") {
    send_numbered("orders", n);
    for (const Delivery& delivery : receive("orders", n)) {
      must(broker().reject(delivery.receipt, {.category = category}, {.durability = Durability::kBuffered}));
    }
    advance(1s);
  }

  DeadLettersChanged change(DeadLetterFilter filter, DeadLetterChanges changes) {
    return must(broker().change_dead_letters("dlq", {.filter = std::move(filter), .actor = "ann"},
                                             std::move(changes)));
  }
  std::size_t count(DeadLetterFilter filter) {
    return must(broker().list_dead_letters("dlq", {.filter = std::move(filter), .max = 1000})).items.size();
  }

  const DeadLetterSelection all_{.all = true, .actor = "ann"};
};
HOLDFAST_FOR_EACH_BROKER(TriageTest);

TEST_P(TriageTest, SetsStatusAssigneeAndNoteAndSaysWho) {
  kill(1);
  const DeadLetterFilter new_ones{.status = DeadLetterStatus::kNew};
  EXPECT_EQ(
      change(new_ones, {.status = DeadLetterStatus::kInvestigating, .assignee = "bob", .note = "looking"}),
      (DeadLettersChanged{.changed = 1}));
  const Triage expected{
      .status = DeadLetterStatus::kInvestigating,
      .status_since = now(),
      .assignee = "bob",
      .notes = {{now(), "ann", "looking"}},
      .audit = {{now(), "ann", "status new -> investigating"}, {now(), "ann", "assigned to bob"}}};
  EXPECT_EQ(only_dead_letter("dlq").triage, expected);
  EXPECT_EQ(count(new_ones), 0U);
  EXPECT_EQ(count({.status = DeadLetterStatus::kInvestigating, .assignee = "bob"}), 1U);
  reopen();
  EXPECT_EQ(only_dead_letter("dlq").triage, expected);
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(TriageTest, TakesLegalStepsOnly) {
  using S = DeadLetterStatus;
  for (const S from : {S::kNew, S::kInvestigating, S::kFixed, S::kAbandoned}) {
    for (const S to : {S::kNew, S::kInvestigating, S::kFixed, S::kAbandoned}) {
      must(broker().purge_queue("dlq"));
      kill(1);
      if (from != S::kNew) change({.status = S::kNew}, {.status = from});
      const bool legal = is_legal_step(from, to);
      DeadLettersChanged expected;
      ++(from == to ? expected.unchanged : legal ? expected.changed : expected.refused);
      EXPECT_EQ(change({.status = from}, {.status = to}), expected);
      EXPECT_EQ(only_dead_letter("dlq").triage.status, legal ? to : from);
    }
  }
  EXPECT_FALSE(is_legal_step(S::kFixed, S::kNew));
  EXPECT_FALSE(is_legal_step(S::kReplayed, S::kFixed));
  EXPECT_TRUE(is_legal_step(S::kAbandoned, S::kInvestigating));
}

TEST_P(TriageTest, WhatIsSoAlreadyIsCountedApartAndNotWritten) {
  kill(3);
  const DeadLetterFilter first{.seqs = {dead_letters("dlq")[0].seq}};
  const DeadLetterChanges changes{.status = DeadLetterStatus::kInvestigating, .assignee = "bob"};
  EXPECT_EQ(change(first, changes), (DeadLettersChanged{.changed = 1}));
  const Triage triage = dead_letters("dlq")[0].triage;
  advance(1s);
  const DeadLettersChanged rest{.changed = 2, .unchanged = 1};
  EXPECT_EQ(
      must(broker().change_dead_letters("dlq", {.all = true, .actor = "ann", .dry_run = true}, changes)),
      rest);
  EXPECT_EQ(must(broker().change_dead_letters("dlq", all_, changes)), rest);
  EXPECT_EQ(must(broker().change_dead_letters("dlq", all_, changes)), (DeadLettersChanged{.unchanged = 3}));
  EXPECT_EQ(dead_letters("dlq")[0].triage, triage);
  // One of the two values is new. A note always counts as new.
  EXPECT_EQ(change(first, {.status = DeadLetterStatus::kInvestigating, .assignee = "eve"}).changed, 1U);
  EXPECT_EQ(change(first, {.assignee = "eve", .note = "again"}).changed, 1U);
  EXPECT_EQ(dead_letters("dlq")[0].triage.audit.size(), 3U);
}

TEST_P(TriageTest, KeepsTheNewestNotesAndAuditAndCountsTheDropped) {
  kill(1);
  const std::size_t n = limits::kTriageNotes + 3;
  for (std::size_t i = 0; i < n; ++i) {
    change({.category = ""}, {.assignee = std::to_string(i), .note = "note " + std::to_string(i)});
  }
  const Triage triage = only_dead_letter("dlq").triage;
  EXPECT_EQ(triage.notes.size(), limits::kTriageNotes);
  EXPECT_EQ(triage.notes_dropped, 3U);
  EXPECT_EQ(triage.notes.front().text, "note 3");
  EXPECT_EQ(triage.audit.size(), limits::kAuditEntries);
  EXPECT_EQ(triage.audit_dropped, n - limits::kAuditEntries);
  EXPECT_EQ(triage.audit.back().action, "assigned to " + std::to_string(n - 1));
}

TEST_P(TriageTest, RefusesAnEmptyFilterUnlessAllIsSaid) {
  kill(3);
  const DeadLetterChanges changes{.status = DeadLetterStatus::kFixed};
  EXPECT_THAT(broker().change_dead_letters("dlq", {}, changes), RefusesValue("filter"));
  EXPECT_THAT(broker().change_dead_letters("dlq", {.filter = {.history = true}}, changes),
              RefusesValue("filter"));
  EXPECT_THAT(broker().discard_dead_letters("dlq", {}), RefusesValue("filter"));
  EXPECT_EQ(count({.status = DeadLetterStatus::kNew}), 3U);
  EXPECT_EQ(must(broker().change_dead_letters("dlq", all_, changes)), (DeadLettersChanged{.changed = 3}));
}

TEST_P(TriageTest, ManyAreChanged) {
  constexpr std::size_t kMany = 4'500;
  for (std::size_t n = kMany; n > 0; n -= 500) {
    must(broker().send_batch("orders", std::vector<Message>(500), {.durability = Durability::kBuffered}));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : receive("orders", 500)) receipts.push_back(delivery.receipt);
    for (const auto& rejected :
         must(broker().reject_batch(receipts, {}, {.durability = Durability::kBuffered})))
      must(rejected);
  }
  EXPECT_EQ(must(broker().change_dead_letters("dlq", all_, {.assignee = "bob"})),
            (DeadLettersChanged{.changed = kMany}));
  const auto groups = must(broker().group_dead_letters("dlq", {.by = DeadLetterGrouping::kAssignee}));
  ASSERT_EQ(groups.groups.size(), 1U);
  EXPECT_EQ(groups.groups[0].value, "bob");
  EXPECT_EQ(groups.groups[0].count, kMany);
}

TEST_P(TriageTest, RefusesWhatSaysNothingOrTooMuch) {
  kill(1);
  const auto refused = [&](DeadLetterChanges changes) {
    return broker().change_dead_letters("dlq", all_, std::move(changes));
  };
  EXPECT_THAT(refused({}), RefusesValue("changes"));
  EXPECT_THAT(refused({.status = DeadLetterStatus::kReplayed}), RefusesValue("replayed"));
  EXPECT_THAT(refused({.note = ""}), RefusesValue("note"));
  EXPECT_THAT(refused({.note = std::string(limits::kNoteBytes + 1, 'x')}),
              FailsNaming(ErrorCode::kLimitExceeded, "note"));
  EXPECT_THAT(refused({.assignee = std::string(limits::kActorBytes + 1, 'x')}),
              FailsNaming(ErrorCode::kLimitExceeded, "assignee"));
  EXPECT_THAT(
      broker().discard_dead_letters("dlq", {.all = true, .actor = std::string(limits::kActorBytes + 1, 'x')}),
      FailsNaming(ErrorCode::kLimitExceeded, "actor"));
  must(refused(
      {.assignee = std::string(limits::kActorBytes, 'x'), .note = std::string(limits::kNoteBytes, 'x')}));
  EXPECT_THAT(broker().change_dead_letters("nowhere", all_, {.note = "x"}),
              FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(TriageTest, ADryRunCountsAndChangesNothing) {
  kill(2, "timeout");
  kill(1);
  const DeadLetterSelection dry{.filter = {.category = "timeout"}, .dry_run = true};
  EXPECT_EQ(must(broker().change_dead_letters("dlq", dry, {.status = DeadLetterStatus::kFixed})),
            (DeadLettersChanged{.changed = 2}));
  EXPECT_EQ(must(broker().discard_dead_letters("dlq", dry)), (DeadLettersChanged{.changed = 2}));
  EXPECT_EQ(count({.status = DeadLetterStatus::kNew}), 3U);
}

TEST_P(TriageTest, ChangesThousandsInSteps) {
  kill(1200, "timeout");
  EXPECT_EQ(change({.category = "timeout"}, {.status = DeadLetterStatus::kFixed}),
            (DeadLettersChanged{.changed = 1200}));
  const auto groups = must(broker().group_dead_letters("dlq", {.by = DeadLetterGrouping::kStatus}));
  ASSERT_EQ(groups.groups.size(), 1U);
  EXPECT_EQ(groups.groups[0].value, "fixed");
  EXPECT_EQ(groups.groups[0].count, 1200U);
}

TEST_P(TriageTest, DiscardDeletesTheMessageAndKeepsTheRecordAsHistory) {
  kill(2, "timeout");
  kill(1);
  EXPECT_EQ(must(broker().discard_dead_letters("dlq", {.filter = {.category = "timeout"}, .actor = "ann"})),
            (DeadLettersChanged{.changed = 2}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
  EXPECT_EQ(totals("dlq").discarded, 2U);
  EXPECT_EQ(count({}), 1U);
  EXPECT_EQ(count({.history = true}), 3U);
  reopen();
  const auto page =
      must(broker().list_dead_letters("dlq", {.filter = {.category = "timeout", .history = true}}));
  ASSERT_EQ(page.items.size(), 2U);
  const DeadLetter& letter = page.items[0];
  EXPECT_TRUE(letter.history);
  EXPECT_EQ(letter.triage.status, DeadLetterStatus::kAbandoned);
  EXPECT_EQ(letter.triage.audit.back().action, "discarded");
  EXPECT_EQ(must(broker().get_dead_letter("dlq", letter.id)).record, letter.record);
  EXPECT_EQ(receive("dlq", 10).size(), 1U);
  EXPECT_EQ(must(broker().discard_dead_letters("dlq", {.filter = {.category = "timeout"}})),
            DeadLettersChanged{});
}

TEST_P(TriageTest, DiscardLeavesWhatAConsumerHas) {
  kill(2);
  const Delivery leased = receive_one("dlq");
  EXPECT_EQ(must(broker().discard_dead_letters("dlq", all_)),
            (DeadLettersChanged{.changed = 1, .refused = 1}));
  must(broker().ack(leased.receipt));
  EXPECT_EQ(counts("dlq"), QueueCounts{});
}

TEST_P(TriageTest, WhatALeaseHoldsIsTriagedToo) {
  kill(1);
  const Delivery leased = receive_one("dlq");
  EXPECT_EQ(change({.category = ""}, {.note = "mine"}).changed, 1U);
  EXPECT_EQ(only_dead_letter("dlq").triage.notes.size(), 1U);
  must(broker().ack(leased.receipt));
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
}

// History has no messages that could be discarded, and the discard itself makes history.
TEST_P(TriageTest, ADiscardThatAsksForHistoryTakesWhatIsThere) {
  constexpr std::size_t kOneStepAndOne = 513;
  send_numbered("orders", kOneStepAndOne);
  for (const auto& rejected : must(broker().reject_batch(receipts(receive("orders", kOneStepAndOne)), {})))
    must(rejected);
  const auto done = must(broker().discard_dead_letters("dlq", {.filter = {.history = true}, .all = true}));
  EXPECT_EQ(done, (DeadLettersChanged{.changed = kOneStepAndOne}));
  EXPECT_EQ(must(broker().discard_dead_letters("dlq", {.filter = {.history = true}, .all = true})),
            DeadLettersChanged{});
}

}  // namespace
}  // namespace holdfast::testing
