#include "engine/codec/rows/journal_row.h"

#include "engine/codec/encoding/tagged.h"

namespace holdfast {
namespace {

// Tags are never changed and never used again.
enum StepTag : std::uint32_t {
  kAt = 1,
  kKind = 2,
  kSeq = 3,
  kTo = 4,
  kDeliveries = 5,
  kInstance = 6,
  kVersion = 7,
  kUntil = 8,
  kCause = 9,
  kCategory = 10,
  kReason = 11,
  kFrom = 12,
};

}  // namespace

std::string encode_journal_row(const HistoryStep& step) {
  std::string out;
  tagged::put_time(out, kAt, step.at);
  tagged::put_number(out, kKind, static_cast<std::uint64_t>(step.kind));
  tagged::put_number(out, kSeq, static_cast<std::uint64_t>(step.seq));
  tagged::put_text(out, kTo, step.to);
  tagged::put_number(out, kDeliveries, step.deliveries);
  tagged::put_text(out, kInstance, step.consumer.instance);
  tagged::put_text(out, kVersion, step.consumer.version);
  tagged::put_time(out, kUntil, step.until);
  tagged::put_number(out, kCause, static_cast<std::uint64_t>(step.cause));
  tagged::put_text(out, kCategory, step.category);
  tagged::put_text(out, kReason, step.reason);
  tagged::put_text(out, kFrom, step.queue);
  return out;
}

Result<HistoryStep> decode_journal_row(std::string_view row) {
  HistoryStep step{.kind = StepKind{}};
  const bool decoded = tagged::for_each_field(row, [&](const tagged::Field& field) {
    if (field.tag == kAt) step.at = field.time();
    if (field.tag == kKind) step.kind = static_cast<StepKind>(field.number());
    if (field.tag == kSeq) step.seq = Seq{field.number()};
    if (field.tag == kTo) step.to = field.text();
    if (field.tag == kDeliveries) step.deliveries = static_cast<std::uint32_t>(field.number());
    if (field.tag == kInstance) step.consumer.instance = field.text();
    if (field.tag == kVersion) step.consumer.version = field.text();
    if (field.tag == kUntil) step.until = field.time();
    if (field.tag == kCause) step.cause = static_cast<DeathCause>(field.number());
    if (field.tag == kCategory) step.category = field.text();
    if (field.tag == kReason) step.reason = field.text();
    if (field.tag == kFrom) step.queue = field.text();
  });
  const bool known = step.kind >= StepKind::kSent && step.kind <= StepKind::kArchived;
  if (decoded && known) return step;
  return fail(ErrorCode::kCorruption, "a row of a journal does not decode");
}

}  // namespace holdfast
