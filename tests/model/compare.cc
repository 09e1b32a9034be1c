#include "tests/model/compare.h"

namespace holdfast::testing {
namespace {

Verdict first_of(std::initializer_list<Verdict> verdicts) {
  for (const Verdict& verdict : verdicts) {
    if (!verdict.empty()) return verdict;
  }
  return {};
}

Verdict compare_bytes(std::string_view what, std::string_view got, std::string_view expected) {
  if (got == expected) return {};
  return std::string(what) + " of " + std::to_string(got.size()) + " bytes differs from the one sent, of " +
         std::to_string(expected.size());
}

// The model knows neither the fingerprint of a first death nor when exactly a lease ran out, so these come
// from the engine's answer.
void take_unknown(const FailureRecord& got, FailureRecord& expected) {
  if (!got.first_death || !expected.first_death) return;
  expected.first_death->fingerprint = got.first_death->fingerprint;
  expected.first_death->died_at = got.first_death->died_at;
}

Verdict compare_triage(const Triage& got, const Triage& expected) {
  return first_of({differs("status", to_string(got.status), to_string(expected.status)),
                   differs("status_since", got.status_since, expected.status_since),
                   differs("assignee", got.assignee, expected.assignee),
                   got == expected ? Verdict() : Verdict("notes or audit differ")});
}

// Returns the record that the model expects. What the model does not know comes from the engine's answer.
FailureRecord known_of(const FailureRecord& got, const ModelMessage& expected) {
  FailureRecord record = *expected.record;
  record.attempts = got.attempts;
  record.fingerprint = got.fingerprint;
  record.visits = got.visits;
  take_unknown(got, record);
  const bool within = record.last_failed_at <= got.died_at && got.died_at <= record.died_at;
  if (expected.unlisted && within) record.died_at = got.died_at;
  return record;
}

Verdict compare_failure(const Delivery& got, const ModelMessage& expected) {
  if (!got.failure || !expected.record)
    return differs("dead letter", got.failure != nullptr, expected.record.has_value());
  return differs("failure", *got.failure, known_of(*got.failure, expected));
}

}  // namespace

Verdict compare(const Delivery& got, const ModelMessage& expected) {
  return first_of({differs("id", got.id, expected.content->id),
                   compare_bytes("body", got.body, expected.content->body),
                   differs("attributes", got.attributes, expected.content->attributes),
                   differs("sent_at", got.sent_at, expected.content->sent_at),
                   differs("deliveries", got.deliveries, expected.deliveries),
                   differs("replays", got.replays, expected.replays), compare_failure(got, expected)});
}

Verdict compare(const DeadLetter& got, const ModelMessage& expected, bool with_body) {
  const FailureRecord record = known_of(got.record, expected);
  Triage triage = expected.triage;
  if (expected.unlisted) triage.status_since = got.triage.status_since;
  return first_of(
      {differs("record", got.record, record), compare_triage(got.triage, triage),
       expected.letter ? differs("letter", got.id, *expected.letter) : Verdict(),
       expected.seq ? differs("seq", got.seq, *expected.seq) : Verdict(),
       compare_bytes("body", got.body, with_body ? expected.content->body : ""),
       differs("attributes", got.attributes, with_body ? expected.content->attributes : Attributes{})});
}

Verdict compare(const DeadLetter& got, const ModelRecord& expected) {
  FailureRecord record = expected.record;
  record.attempts = got.record.attempts;
  record.fingerprint = got.record.fingerprint;
  record.visits = got.record.visits;
  take_unknown(got.record, record);
  std::optional<Replay> replay = expected.replay;
  // The lease may have run out before the driver looked, so the engine's time may be earlier.
  const bool elsewhere = replay && replay->outcome == ReplayOutcome::kDiedElsewhere;
  if (elsewhere && got.replay && got.replay->at <= replay->at) replay->at = got.replay->at;
  return first_of({differs("record", got.record, record), compare_triage(got.triage, expected.triage),
                   expected.letter ? differs("letter", got.id, *expected.letter) : Verdict(),
                   got.replay == replay ? Verdict() : Verdict("the outcome differs"),
                   got.history && got.body.empty() ? Verdict() : Verdict("it is no history")});
}

}  // namespace holdfast::testing
