#include "runtime/dead_letter_view.h"

#include <algorithm>
#include <utility>

#include "holdfast/limits.h"

namespace holdfast {

DeadLetter view_of(const DeadLetterCursor& place, DeadLetterRow row) {
  DeadLetter letter;
  letter.seq = place.seq;
  letter.id = row.id;
  letter.record = std::move(row.record);
  letter.triage = std::move(row.triage);
  letter.history = place.history;
  return letter;
}

void redact(DeadLetter& letter, const Redaction& redaction) {
  if (redaction.bodies) {
    letter.body.clear();
    letter.record.partial_output.clear();
    letter.redacted.insert(letter.redacted.end(), {"body", "partial_output"});
  }
  for (const std::string& name : redaction.attributes) {
    letter.redacted.push_back("attribute " + name);
    for (Attribute& attribute : letter.attributes) {
      if (attribute.name == name) attribute.value.clear();
    }
    // The record has copies of these two.
    if (name == kCorrelationIdAttribute) letter.record.correlation_id.clear();
    if (name == kWorkflowVersionAttribute) letter.record.workflow_version.clear();
  }
}

Result<void> validate_page(std::size_t max) {
  if (max == 0) return fail(ErrorCode::kInvalidArgument, "max must be at least 1");
  if (max <= limits::kListPage) return {};
  return fail(ErrorCode::kLimitExceeded,
              "max is " + std::to_string(max) + ", the limit is " + std::to_string(limits::kListPage));
}

}  // namespace holdfast
