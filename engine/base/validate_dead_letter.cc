#include <array>
#include <string>
#include <utility>

#include "base/validate.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

Result<void> validate_texts(const FailureRecord& record) {
  struct Text {
    const std::string& value;
    std::size_t limit;
    const char* name;
  };
  const std::array texts{
      Text{record.source_queue, limits::kQueueNameBytes, "source_queue"},
      Text{record.reason, limits::kReasonBytes, "reason"},
      Text{record.stack_trace, limits::kStackTraceBytes, "stack_trace"},
      Text{record.correlation_id, limits::kAttributeValueBytes, "correlation_id"},
      Text{record.workflow_version, limits::kAttributeValueBytes, "workflow_version"},
      Text{record.partial_output, limits::kPartialOutputBytes, "partial_output"},
  };
  for (const auto& [value, limit, name] : texts) {
    if (auto ok = at_most(value.size(), limit, name); !ok) return ok;
  }
  return {};
}

Result<void> validate(const AttemptHistory& attempts) {
  if (auto ok = at_most(attempts.kept.size(), limits::kFirstAttempts + limits::kLastAttempts, "attempts",
                        "entries");
      !ok)
    return ok;
  for (const Attempt& attempt : attempts.kept) {
    if (auto ok = validate(attempt.consumer); !ok) return ok;
  }
  return {};
}

Result<void> validate(const FirstDeath& first) {
  if (auto ok = at_most(first.source_queue.size(), limits::kQueueNameBytes, "first_death.source_queue"); !ok)
    return ok;
  if (auto ok = at_most(first.reason.size(), limits::kReasonBytes, "first_death.reason"); !ok) return ok;
  return validate(Rejection{.category = first.category, .code = first.code});
}

Result<void> validate(const FailureRecord& record) {
  if (auto ok = validate_texts(record); !ok) return ok;
  const Rejection rejection{.category = record.category, .code = record.code, .causes = record.causes};
  if (auto ok = validate(rejection); !ok) return ok;
  if (auto ok = validate(record.consumer); !ok) return ok;
  if (auto ok = validate(record.attempts); !ok) return ok;
  return record.first_death ? validate(*record.first_death) : Result<void>();
}

Result<void> validate(const Triage& triage) {
  if (auto ok = at_most(triage.assignee.size(), limits::kActorBytes, "assignee"); !ok) return ok;
  if (auto ok = at_most(triage.notes.size(), limits::kTriageNotes, "notes", "entries"); !ok) return ok;
  for (const TriageNote& note : triage.notes) {
    if (auto ok = validate_actor(note.actor); !ok) return ok;
    if (auto ok = at_most(note.text.size(), limits::kNoteBytes, "a note"); !ok) return ok;
  }
  if (auto ok = at_most(triage.audit.size(), limits::kAuditEntries, "audit", "entries"); !ok) return ok;
  for (const AuditEntry& entry : triage.audit) {
    if (auto ok = validate_actor(entry.actor); !ok) return ok;
    if (auto ok = at_most(entry.action.size(), limits::kNoteBytes, "an audit entry"); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<void> validate(const DeadLetter& letter) {
  const FailureRecord& record = letter.record;
  if (auto ok = validate(Message{.body = letter.body,
                                 .attributes = letter.attributes,
                                 .group = record.group,
                                 .priority = record.priority});
      !ok)
    return ok;
  if (letter.original) {
    if (auto ok = validate(Message{.body = letter.original->body, .attributes = letter.original->attributes});
        !ok)
      return ok;
  }
  if (auto ok = validate(record); !ok) return ok;
  return validate(letter.triage);
}

}  // namespace holdfast
