// Dead letters come back from an export.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Import : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
    for (const char* body : {"a", "b"}) {
      send("orders", body, {{"k", std::string("\0", 1)}});
      reject_one("orders", {.category = body, .reason = "why"});
    }
    must(broker().change_dead_letters("dlq", {.filter = {.category = "a"}},
                                      {.status = DeadLetterStatus::kInvestigating, .note = "looked"}));
  }
};
HOLDFAST_FOR_EACH_BROKER(Import);

TEST_P(Import, BringsBackMessageRecordAndTriageUnderTheSameIds) {
  const auto before = dead_letters("dlq");
  must(broker().purge_queue("dlq"));
  advance(1s);
  EXPECT_EQ(must(broker().import_dead_letters("dlq", before)), (DeadLettersImported{.imported = 2}));
  reopen();
  const auto after = dead_letters("dlq");
  ASSERT_EQ(after.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(after[i].id, before[i].id);
    EXPECT_EQ(after[i].record, before[i].record);
    EXPECT_EQ(after[i].body, before[i].body);
    EXPECT_EQ(after[i].attributes, before[i].attributes);
    EXPECT_EQ(after[i].triage.notes, before[i].triage.notes);
  }
  EXPECT_EQ(receive_one("dlq").id, before[0].record.message_id);
}

TEST_P(Import, SkipsWhatIsThereAndWhatHasNoMessage) {
  auto letters = dead_letters("dlq");
  EXPECT_EQ(must(broker().import_dead_letters("dlq", letters)), (DeadLettersImported{.duplicates = 2}));
  must(broker().redrive("dlq"));
  EXPECT_EQ(must(broker().import_dead_letters("dlq", letters)), (DeadLettersImported{.duplicates = 2}));
  const auto history = must(broker().list_dead_letters("dlq", {.filter = {.history = true}})).items;
  EXPECT_EQ(must(broker().import_dead_letters("dlq", history)), (DeadLettersImported{.refused = 2}));
  must(broker().purge_queue("dlq"));
  letters.push_back(letters.front());
  EXPECT_EQ(must(broker().import_dead_letters("dlq", letters)),
            (DeadLettersImported{.imported = 2, .duplicates = 1}));
}

TEST_P(Import, BringsBackWhatWasDiscarded) {
  const auto letters = dead_letters("dlq");
  must(broker().discard_dead_letters("dlq", {.all = true}));
  EXPECT_EQ(must(broker().import_dead_letters("dlq", letters)), (DeadLettersImported{.imported = 2}));
  EXPECT_EQ(must(broker().import_dead_letters("dlq", letters)), (DeadLettersImported{.duplicates = 2}));
  reopen();
  const auto all =
      must(broker().list_dead_letters("dlq", {.filter = {.history = true}, .bodies = true})).items;
  ASSERT_EQ(all.size(), 2U) << "the records of the discarded ones are gone";
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(all[i].id, letters[i].id);
    EXPECT_EQ(all[i].body, letters[i].body);
    EXPECT_FALSE(all[i].history);
  }
  EXPECT_TRUE(must(broker().verify()).sound());
}

TEST_P(Import, IsBounded) {
  const std::vector<DeadLetter> many(limits::kListPage + 1, dead_letters("dlq").front());
  EXPECT_THAT(broker().import_dead_letters("dlq", many), FailsNaming(ErrorCode::kLimitExceeded, "letters"));
  EXPECT_THAT(broker().import_dead_letters("nowhere", {}), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(Import, BoundsWhatARecordHolds) {
  struct Limited {
    const char* field;
    std::size_t limit;
    std::function<void(DeadLetter&, std::size_t)> fill;
  };
  const auto text = [](std::size_t size) { return std::string(size, 'x'); };
  const std::vector<Limited> all = {
      {"category", limits::kCategoryBytes, [&](auto& l, auto n) { l.record.category = text(n); }},
      {"code", limits::kErrorCodeBytes, [&](auto& l, auto n) { l.record.code = text(n); }},
      {"reason", limits::kReasonBytes, [&](auto& l, auto n) { l.record.reason = text(n); }},
      {"stack_trace", limits::kStackTraceBytes, [&](auto& l, auto n) { l.record.stack_trace = text(n); }},
      {"source_queue", limits::kQueueNameBytes, [&](auto& l, auto n) { l.record.source_queue = text(n); }},
      {"consumer.version", limits::kConsumerBytes,
       [&](auto& l, auto n) { l.record.consumer.version = text(n); }},
      {"causes", limits::kNestedErrors, [&](auto& l, auto n) { l.record.causes.resize(n); }},
      {"partial_output", limits::kPartialOutputBytes,
       [&](auto& l, auto n) { l.record.partial_output = text(n); }},
      {"attempts", limits::kFirstAttempts + limits::kLastAttempts,
       [&](auto& l, auto n) { l.record.attempts.kept.resize(n); }},
      {"assignee", limits::kActorBytes, [&](auto& l, auto n) { l.triage.assignee = text(n); }},
      {"notes", limits::kTriageNotes, [&](auto& l, auto n) { l.triage.notes.resize(n); }},
      {"a note", limits::kNoteBytes, [&](auto& l, auto n) { l.triage.notes = {{.text = text(n)}}; }},
      {"audit", limits::kAuditEntries, [&](auto& l, auto n) { l.triage.audit.resize(n); }},
  };
  const auto letter = dead_letters("dlq").front();
  must(broker().purge_queue("dlq"));
  for (const auto& [field, limit, fill] : all) {
    auto changed = letter;
    fill(changed, limit + 1);
    EXPECT_THAT(broker().import_dead_letters("dlq", {changed}),
                FailsNaming(ErrorCode::kLimitExceeded, field));
    fill(changed, limit);
    EXPECT_EQ(must(broker().import_dead_letters("dlq", {changed})).imported, 1U) << field;
    must(broker().purge_queue("dlq"));
  }
}

TEST_P(Import, BoundsTheTimesOfARecord) {
  struct Timed {
    const char* field;
    std::function<void(DeadLetter&, Timestamp)> set;
  };
  const std::vector<Timed> all = {
      {"sent_at", [](auto& l, auto t) { l.record.sent_at = t; }},
      {"first_failed_at", [](auto& l, auto t) { l.record.first_failed_at = t; }},
      {"last_failed_at", [](auto& l, auto t) { l.record.last_failed_at = t; }},
      {"died_at", [](auto& l, auto t) { l.record.died_at = t; }},
      {"an attempt's failed_at", [](auto& l, auto t) { l.record.attempts.kept = {{.failed_at = t}}; }},
      {"first_death.died_at", [](auto& l, auto t) { l.record.first_death = FirstDeath{.died_at = t}; }},
      {"status_since", [](auto& l, auto t) { l.triage.status_since = t; }},
      {"a note's time", [](auto& l, auto t) { l.triage.notes = {{.at = t, .text = "a"}}; }},
      {"an audit entry's time", [](auto& l, auto t) { l.triage.audit = {{.at = t, .action = "a"}}; }},
  };
  const auto letter = dead_letters("dlq").front();
  must(broker().purge_queue("dlq"));
  for (const auto& [field, set] : all) {
    auto changed = letter;
    for (const Timestamp time :
         {Timestamp::min(), Timestamp{} - 1us, limits::kImportedTimeMax + 1us, Timestamp::max()}) {
      set(changed, time);
      EXPECT_THAT(broker().import_dead_letters("dlq", {changed}),
                  FailsNaming(ErrorCode::kInvalidArgument, field));
    }
    for (const Timestamp time : {Timestamp{}, limits::kImportedTimeMax}) {
      set(changed, time);
      EXPECT_EQ(must(broker().import_dead_letters("dlq", {changed})).imported, 1U) << field;
      // The index has the imported letter.
      EXPECT_EQ(dead_letters("dlq").size(), 1U) << field;
      EXPECT_EQ(must(broker().discard_dead_letters("dlq", {.all = true})).changed, 1U) << field;
      must(broker().purge_queue("dlq"));
    }
  }
  EXPECT_TRUE(must(broker().verify()).sound());
}

TEST_P(Import, RefusesWhatWasShownOnlyInPart) {
  auto in_part = must(broker().list_dead_letters("dlq", {})).items;
  const ListDeadLettersOptions redacted{.bodies = true, .redact = {.attributes = {"k"}}};
  const auto without_values = must(broker().list_dead_letters("dlq", redacted)).items;
  in_part.insert(in_part.end(), without_values.begin(), without_values.end());
  ASSERT_EQ(in_part.size(), 4U);
  must(broker().purge_queue("dlq"));
  for (const DeadLetter& letter : in_part) {
    EXPECT_THAT(broker().import_dead_letters("dlq", {letter}),
                FailsNaming(ErrorCode::kInvalidArgument, letter.without_body ? "bodies" : "attribute k"));
  }
  EXPECT_EQ(dead_letters("dlq").size(), 0U);
}

TEST_P(Import, RefusesAStatusThatOnlyHistoryHas) {
  auto letter = dead_letters("dlq").front();
  must(broker().purge_queue("dlq"));
  letter.triage.status = DeadLetterStatus::kReplayed;
  EXPECT_THAT(broker().import_dead_letters("dlq", {letter}),
              FailsNaming(ErrorCode::kInvalidArgument, "status"));
  letter.history = true;
  EXPECT_EQ(must(broker().import_dead_letters("dlq", {letter})), (DeadLettersImported{.refused = 1}));
}

TEST_P(Import, CountsThatAreAtTheirEndStayThere) {
  auto letter = dead_letters("dlq").front();
  must(broker().purge_queue("dlq"));
  letter.record.replays = UINT32_MAX;
  letter.record.visits = UINT32_MAX;
  letter.triage.notes.assign(limits::kTriageNotes, {.actor = "ann", .text = "old"});
  letter.triage.notes_dropped = UINT32_MAX;
  letter.triage.audit.assign(limits::kAuditEntries, {.actor = "ann", .action = "old"});
  letter.triage.audit_dropped = UINT32_MAX;
  must(broker().import_dead_letters("dlq", {letter}));
  must(broker().change_dead_letters("dlq", {.all = true}, {.note = "new"}));
  EXPECT_EQ(must(broker().redrive("dlq", {.actor = "ada"})).moved, 1U);
  const Delivery back = receive_one("orders");
  EXPECT_EQ(back.replays, UINT32_MAX);
  must(broker().reject(back.receipt, {}));
  const DeadLetter again = only_dead_letter("dlq");
  EXPECT_EQ(again.record.replays, UINT32_MAX);
  EXPECT_EQ(again.record.visits, UINT32_MAX);
  EXPECT_EQ(again.triage.notes.back().text, "new");
  EXPECT_EQ(again.triage.notes_dropped, UINT32_MAX);
  EXPECT_EQ(again.triage.audit.back().actor, "ada");
  EXPECT_EQ(again.triage.audit_dropped, UINT32_MAX);
  EXPECT_EQ(must(broker().redrive("dlq", {.max_replays = 3})).left, LeftInPlace{.replay_limit = 1});
}

// Dead letters with equal fingerprints are searched by one reason, so the fingerprint of an import is
// computed from its reason.
TEST_P(Import, GivesFingerprintsOfItsOwn) {
  auto letter = dead_letters("dlq").front();
  const auto fingerprint = letter.record.fingerprint;
  letter.record.fingerprint = Fingerprint{1};
  must(broker().purge_queue("dlq"));
  must(broker().import_dead_letters("dlq", {letter}));
  EXPECT_EQ(dead_letters("dlq").front().record.fingerprint, fingerprint);
}

TEST_P(Import, RetentionTimesAreBoundedAndKept) {
  const auto keep = [&](Duration time) {
    return broker().alter_queue("dlq", {.retention = {.abandoned = time}});
  };
  EXPECT_THAT(keep(-1us), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(keep(limits::kKeepMax + 1us), FailsNaming(ErrorCode::kLimitExceeded, "keep_abandoned"));
  must(keep(limits::kKeepMax));
  must(broker().alter_queue("dlq", {.retention = {.replayed = 0us}}));
  reopen();
  EXPECT_EQ(info("dlq").options.retention.abandoned, limits::kKeepMax);
  EXPECT_EQ(info("dlq").options.retention.replayed, Duration{0});
}

}  // namespace
}  // namespace holdfast::testing
