#include "model/compare.h"

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

}  // namespace

Verdict compare(const Delivery& got, const ModelMessage& expected) {
  return first_of({differs("id", got.id, expected.content->id),
                   compare_bytes("body", got.body, expected.content->body),
                   differs("attributes", got.attributes, expected.content->attributes),
                   differs("sent_at", got.sent_at, expected.content->sent_at),
                   differs("deliveries", got.deliveries, expected.deliveries),
                   differs("replays", got.replays, expected.replays)});
}

Verdict compare(const DeadLetter& got, const ModelMessage& expected, bool with_body) {
  FailureRecord record = *expected.record;
  record.attempts = got.record.attempts;
  record.fingerprint = got.record.fingerprint;
  record.visits = got.record.visits;
  const bool within = record.last_failed_at <= got.record.died_at && got.record.died_at <= record.died_at;
  if (expected.unlisted && within) record.died_at = got.record.died_at;
  return first_of(
      {differs("record", got.record, record),
       expected.seq ? differs("seq", got.seq, *expected.seq) : Verdict(),
       compare_bytes("body", got.body, with_body ? expected.content->body : ""),
       differs("attributes", got.attributes, with_body ? expected.content->attributes : Attributes{})});
}

}  // namespace holdfast::testing
