// These tests check what becomes of redriven messages, and how their records tell it.
#include "tests/conformance/dead_letters/replay_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Replay : public ReplayFixture {};
HOLDFAST_FOR_EACH_BROKER(Replay);

TEST_P(Replay, OutcomeIsPendingUntilTheAck) {
  const MessageId id = die("a", "timeout");
  const DeadLetter before = only_dead_letter("dlq");
  advance(1s);
  const Timestamp redriven_at = now();
  must(broker().redrive("dlq", {.actor = "ada"}));
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  const DeadLetter pending = record();
  EXPECT_TRUE(pending.history);
  EXPECT_EQ(pending.id, before.id);
  EXPECT_EQ(pending.record, before.record);
  EXPECT_EQ(pending.triage.status, DeadLetterStatus::kReplayed);
  EXPECT_EQ(pending.triage.status_since, redriven_at);
  EXPECT_THAT(pending.triage.audit, ElementsAre(AuditEntry{redriven_at, "ada", "redriven to orders"}));
  EXPECT_EQ(pending.replay, (holdfast::Replay{ReplayOutcome::kPending, {}}));
  EXPECT_EQ(pending.body, "");
  EXPECT_EQ(pending.original, std::nullopt);
  advance(1s);
  reopen();
  must(broker().ack(receive_one("orders").receipt));
  const auto acked = holdfast::Replay{ReplayOutcome::kAcked, now()};
  EXPECT_EQ(record().replay, acked);
  reopen();
  EXPECT_EQ(record().replay, acked);
  const auto by_status =
      must(broker().list_dead_letters("dlq", {.filter = {.status = DeadLetterStatus::kReplayed}})).items;
  ASSERT_EQ(by_status.size(), 1U);
  EXPECT_EQ(by_status[0].record.message_id, id);
  EXPECT_EQ(must(broker().list_dead_letters("dlq", {.filter = {.ids = {id}, .history = true}})).items.size(),
            1U);
  EXPECT_EQ(must(broker().list_dead_letters("dlq", {.filter = {.category = "timeout", .history = true}}))
                .items.size(),
            1U);
  const auto groups = must(
      broker().group_dead_letters("dlq", {.by = DeadLetterGrouping::kCategory, .filter = {.history = true}}));
  ASSERT_EQ(groups.groups.size(), 1U);
  EXPECT_EQ(groups.groups[0].count, 1U);
}

TEST_P(Replay, ThatDiesAgainHasOneRecord) {
  die("a");
  must(broker().change_dead_letters("dlq", {.all = true}, {.assignee = "ann", .note = "looked"}));
  const DeadLetter before = only_dead_letter("dlq");
  must(broker().redrive("dlq"));
  must(broker().change_dead_letters("dlq", {.filter = {.history = true}, .all = true}, {.note = "hope"}));
  advance(1s);
  reject_one("orders", {.reason = "still"});
  const DeadLetter again = record();
  EXPECT_FALSE(again.history);
  EXPECT_EQ(again.body, "a");
  EXPECT_EQ(again.id, before.id);
  EXPECT_EQ(again.record.replays, 1U);
  EXPECT_EQ(again.record.visits, 2U);
  EXPECT_EQ(again.record.reason, "still");
  EXPECT_EQ(again.triage.status, DeadLetterStatus::kNew);
  EXPECT_EQ(again.triage.status_since, now());
  EXPECT_EQ(again.triage.assignee, "ann");
  ASSERT_EQ(again.triage.notes.size(), 2U);
  EXPECT_EQ(again.triage.notes[1].text, "hope");
  EXPECT_EQ(again.replay, std::nullopt);
  EXPECT_EQ(counts("dlq").dead, 1U);
  must(broker().redrive("dlq"));
  must(broker().ack(receive_one("orders").receipt));
  EXPECT_EQ(record().replay->outcome, ReplayOutcome::kAcked);
}

TEST_P(Replay, EveryRedriveIsInTheAuditOfTheOneRecord) {
  die("a");
  std::vector<AuditEntry> audit;
  for (const char* actor : {"op1", "op2", "op3", "op4"}) {
    audit.push_back({now(), actor, "redriven to orders"});
    must(broker().redrive("dlq", {.actor = actor}));
    if (audit.size() == 2) {
      audit.push_back({now(), "ann", "assigned to bob"});
      must(broker().change_dead_letters("dlq", {.filter = {.history = true}, .all = true, .actor = "ann"},
                                        {.assignee = "bob"}));
    }
    advance(1s);
    reject_one("orders");
  }
  EXPECT_EQ(record().triage.audit, audit);
  EXPECT_EQ(record().triage.audit_dropped, 0U);
}

TEST_P(Replay, ByRunningOutOfDeliveriesAgain) {
  must(broker().alter_queue("orders", {.retry = {.max_deliveries = 1}}));
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  must(broker().redrive("dlq"));
  (void)receive_one("orders", {.lease = 1s});
  advance(2s);
  EXPECT_EQ(record().record.replays, 1U);
  EXPECT_FALSE(record().history);
}

TEST_P(Replay, ThatDiesElsewhereSaysSo) {
  die("a");
  must(broker().redrive("dlq"));
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "other"}}, MissingQueues::kCreate));
  reject_one("orders");
  EXPECT_EQ(record().replay, (holdfast::Replay{ReplayOutcome::kDiedElsewhere, now()}));
  EXPECT_EQ(only_dead_letter("other").record.replays, 1U);
  EXPECT_NE(only_dead_letter("other").id, record().id);
}

TEST_P(Replay, ThatExpiresAndIsDroppedSaysSo) {
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 1min, .policy = ExpiryPolicy::kDrop}}));
  die("a");
  must(broker().redrive("dlq"));
  advance(1min);
  const auto dropped = holdfast::Replay{ReplayOutcome::kDropped, now()};
  EXPECT_EQ(record().replay, dropped);
  reopen();
  EXPECT_EQ(record().replay, dropped);
}

TEST_P(Replay, ThatMakesRoomAndIsDroppedSaysSo) {
  must(broker().alter_queue("orders",
                            {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
  die("a");
  must(broker().redrive("dlq"));
  advance(1s);
  send("orders", "b");
  run_due();
  EXPECT_EQ(record().replay, (holdfast::Replay{ReplayOutcome::kDropped, now()}));
}

TEST_P(Replay, ThatIsRejectedAndDiscardedSaysSo) {
  die("a");
  must(broker().redrive("dlq"));
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "", .discard_rejected = true}}));
  advance(1s);
  reject_one("orders");
  EXPECT_EQ(record().replay, (holdfast::Replay{ReplayOutcome::kDropped, now()}));
}

TEST_P(Replay, TheFirstDeathStaysInTheRecord) {
  die("a", "timeout");
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.record.first_death, std::nullopt);
  const FirstDeath first{.cause = DeathCause::kRejected,
                         .category = "timeout",
                         .reason = "why",
                         .source_queue = "orders",
                         .died_at = letter.record.died_at,
                         .fingerprint = letter.record.fingerprint};
  EXPECT_EQ(first_death_of(letter.record), first);
  for (int replay = 0; replay < 3; ++replay) {
    advance(1s);
    must(broker().redrive("dlq"));
    reject_one("orders", {.category = "other", .reason = "still"});
    EXPECT_EQ(record().record.first_death, first);
    EXPECT_EQ(record().record.reason, "still");
    reopen();
  }
  // The message dies into another dead letter queue.
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "other"}}, MissingQueues::kCreate));
  must(broker().redrive("dlq"));
  reject_one("orders", {.reason = "elsewhere"});
  EXPECT_EQ(only_dead_letter("other").record.first_death, first);
  EXPECT_EQ(record().record.first_death, first);
}

TEST_P(Replay, TheFirstDeathStaysDownAChainOfDeadLetterQueues) {
  must(broker().alter_queue("dlq", {.retry = {.max_deliveries = 2}, .dead_letters = {.queue = "deep"}},
                            MissingQueues::kCreate));
  must(broker().alter_queue("deep", {.dead_letters = {.queue = "deeper"}}, MissingQueues::kCreate));
  die("a", "timeout");
  const FirstDeath first = first_death_of(only_dead_letter("dlq").record);
  must(broker().redrive("dlq", {.edit = {.body = "b"}}));
  reject_one("orders", {.reason = "second"});
  advance(1s);
  reject_one("dlq", {.category = "triage", .reason = "third"});
  EXPECT_THAT(records(), IsEmpty());
  const DeadLetter deep = only_dead_letter("deep");
  EXPECT_EQ(deep.record.reason, "third");
  EXPECT_EQ(deep.record.source_queue, "orders");
  EXPECT_EQ(deep.record.first_death, first);
  EXPECT_EQ(deep.original, (OriginalMessage{"a", {{"k", "v"}}}));
  // The next death is by a lease that runs out, after a restart.
  (void)receive_one("deep", {.lease = 1s});
  reopen();
  must(broker().alter_queue("deep", {.retry = {.max_deliveries = 1}}));
  advance(2s);
  EXPECT_EQ(only_dead_letter("deeper").record.cause, DeathCause::kMaxDeliveries);
  EXPECT_EQ(only_dead_letter("deeper").record.first_death, first);
  // The message goes back to where it was sent, and dies into a queue that has no record of it any more.
  must(broker().redrive("deeper"));
  reject_one("orders", {.reason = "fifth"});
  EXPECT_EQ(only_dead_letter("dlq").record.first_death, first);
  // An import and parking keep the first death.
  const DeadLetter last = only_dead_letter("dlq");
  must(broker().purge_queue("dlq"));
  must(broker().import_dead_letters("dlq", {last}));
  create("parked");
  must(broker().redrive("dlq", {.action = RedriveAction::kPark, .to = "parked"}));
  EXPECT_EQ(only_dead_letter("parked").record.first_death, first);
}

TEST_P(Replay, WaitsAndRetriesUntilItIsAcked) {
  die("a");
  must(broker().redrive("dlq"));
  must(broker().release(receive_one("orders").receipt, {.delay = 2h}));
  reopen();
  EXPECT_EQ(record().replay->outcome, ReplayOutcome::kPending);
  advance(3h);
  must(broker().ack(receive_one("orders").receipt));
  EXPECT_EQ(record().replay->outcome, ReplayOutcome::kAcked);
}

TEST_P(Replay, OfManyTellEachApart) {
  send_numbered("orders", 300);
  EXPECT_THAT(must(broker().reject_batch(receipts(receive_all("orders")), {})), Each(Succeeds()));
  must(broker().redrive("dlq"));
  send_numbered("orders", 10);
  const Deliveries back = receive_all("orders");
  ASSERT_EQ(back.size(), 310U);
  std::vector<Receipt> acked;
  std::vector<Receipt> rejected;
  for (std::size_t i = 0; i < back.size(); ++i) (i % 3 == 0 ? rejected : acked).push_back(back[i].receipt);
  EXPECT_THAT(must(broker().ack_batch(acked)), Each(Succeeds()));
  EXPECT_THAT(must(broker().reject_batch(rejected, {})), Each(Succeeds()));
  std::size_t done = 0;
  std::size_t dead = 0;
  for (const DeadLetter& letter : records()) {
    (letter.history ? done : dead) += 1;
    if (letter.history) {
      EXPECT_EQ(letter.replay->outcome, ReplayOutcome::kAcked);
    }
  }
  EXPECT_EQ(done, 200U);
  EXPECT_EQ(dead, rejected.size());
}

TEST_P(Replay, OutlivesTheQueueItCameFrom) {
  create("gone", {.dead_letters = {.queue = "gone-dlq"}});
  send("gone", "a");
  reject_one("gone");
  must(broker().redrive("gone-dlq", {.to = "orders"}));
  must(broker().delete_queue("gone"));
  must(broker().delete_queue("gone-dlq"));
  must(broker().ack(receive_one("orders").receipt));
  die("b");
  must(broker().redrive("dlq"));
  must(broker().purge_queue("dlq"));
  must(broker().ack(receive_one("orders").receipt));
  EXPECT_THAT(records(), IsEmpty());
  die("c");
  must(broker().redrive("dlq"));
  must(broker().purge_queue("orders"));
  EXPECT_EQ(record().replay->outcome, ReplayOutcome::kPending);
}

TEST_P(Replay, EditedKeepsTheOriginal) {
  die(R"({"n":1})");
  must(broker().redrive("dlq", {.edit = {.set_attributes = {{"k", "fixed"}}, .body = "first"}}));
  const OriginalMessage original{R"({"n":1})", {{"k", "v"}}};
  EXPECT_EQ(record().original, original);
  const auto without = must(broker().list_dead_letters("dlq", {.filter = {.history = true}})).items;
  EXPECT_EQ(without[0].original, std::nullopt);
  EXPECT_EQ(reject_one("orders"), record().record.message_id);
  EXPECT_EQ(record().body, "first");
  EXPECT_EQ(record().original, original);
  reopen();
  must(broker().redrive("dlq", {.edit = {.body = ""}}));
  EXPECT_EQ(record().original, original);
  const Delivery delivery = receive_one("orders");
  EXPECT_EQ(delivery.body, "");
  EXPECT_EQ(delivery.attributes, (Attributes{{"k", "fixed"}}));
  must(broker().ack(delivery.receipt));
  EXPECT_EQ(record().original, original);
  const auto redacted = must(broker().list_dead_letters(
      "dlq", {.filter = {.history = true}, .bodies = true, .redact = {.bodies = true, .attributes = {"k"}}}));
  EXPECT_EQ(redacted.items[0].original, (OriginalMessage{"", {{"k", ""}}}));
}

TEST_P(Replay, EditedKeepsItsGroupAndLivesAnew) {
  must(broker().alter_queue("orders", {.expiry = {.time_to_live = 1min}}));
  must(broker().send("orders", {.body = "a", .group = "g"}));
  reject_one("orders");
  must(broker().redrive("dlq", {.edit = {.body = "b"}}));
  const Delivery back = receive_one("orders");
  EXPECT_EQ(back.body, "b");
  EXPECT_EQ(back.group, "g");
  must(broker().release(back.receipt));
  advance(1min);
  run_due();
  EXPECT_EQ(only_dead_letter("dlq").record.cause, DeathCause::kExpired);
}

TEST_P(Replay, AnOriginalIsParkedImportedAndDiscarded) {
  die("a");
  must(broker().redrive("dlq", {.edit = {.body = "b"}}));
  reject_one("orders");
  create("parked");
  must(broker().redrive("dlq", {.action = RedriveAction::kPark, .to = "parked"}));
  const DeadLetter letter = only_dead_letter("parked");
  EXPECT_EQ(letter.original, (OriginalMessage{"a", {{"k", "v"}}}));
  EXPECT_THAT(records(), IsEmpty());
  must(broker().purge_queue("parked"));
  EXPECT_EQ(must(broker().import_dead_letters("parked", {letter})).imported, 1U);
  EXPECT_EQ(only_dead_letter("parked").original, letter.original);
  must(broker().discard_dead_letters("parked", {.all = true}));
  EXPECT_EQ(records("parked").at(0).original, std::nullopt);
}

TEST_P(Replay, RecordsAreKeptForATime) {
  EXPECT_EQ(info("dlq").options.retention.replayed, 24h * 90);
  must(broker().alter_queue("dlq", {.retention = {.replayed = 1h}}));
  die("a");
  must(broker().redrive("dlq"));
  must(broker().ack(receive_one("orders").receipt));
  advance(59min);
  EXPECT_EQ(record().replay->outcome, ReplayOutcome::kAcked);
  advance(2min);
  EXPECT_THAT(records(), IsEmpty());
}

TEST_P(Replay, ImportKeepsWhatTheNextDeathTells) {
  must(broker().alter_queue("dlq", {.dead_letters = {.queue = "deep"}}, MissingQueues::kCreate));
  must(broker().send("orders", {.body = "a", .group = "g"}));
  reject_one("orders");
  advance(1s);
  must(broker().redrive("dlq"));
  reject_one("orders");
  const DeadLetter letter = only_dead_letter("dlq");
  must(broker().purge_queue("dlq"));
  must(broker().import_dead_letters("dlq", {letter}));
  EXPECT_EQ(must(broker().redrive("dlq", {.max_replays = 1})).left, LeftInPlace{.replay_limit = 1});
  advance(1s);
  reject_one("dlq");
  const FailureRecord record = only_dead_letter("deep").record;
  EXPECT_EQ(record.replays, 1U);
  EXPECT_EQ(record.group, "g");
  EXPECT_EQ(record.first_failed_at, letter.record.first_failed_at);
  EXPECT_EQ(record.source_seq, letter.record.source_seq);
}

TEST_P(Replay, ImportKeepsThePriority) {
  create("ranked", {.dead_letters = {.queue = "ranked-dlq"}, .priority = {.levels = 4}});
  must(broker().send("ranked", {.body = "high", .priority = 3}));
  reject_one("ranked");
  const DeadLetter letter = only_dead_letter("ranked-dlq");
  EXPECT_EQ(letter.record.priority, 3U);
  must(broker().purge_queue("ranked-dlq"));
  must(broker().import_dead_letters("ranked-dlq", {letter}));
  must(broker().redrive("ranked-dlq"));
  EXPECT_EQ(receive_one("ranked").priority, 3U);
}

}  // namespace
}  // namespace holdfast::testing
