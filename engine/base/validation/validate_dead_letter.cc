// Checks dead letters that are to be imported. They come from files that anybody may have edited, so their
// times, enums and sizes must be ones that an engine could have written, since later reads rely on that.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// A walk over the index does not see times before the epoch, nor the last time there is; and a backoff cannot
// be added to a very late one.
Result<void> validate_time(Timestamp time, std::string_view field) {
  if (time >= Timestamp{} && time <= limits::kImportedTimeMax) return {};
  const auto micros = [](Timestamp of) { return std::to_string(of.time_since_epoch().count()); };
  return fail(ErrorCode::kInvalidArgument, std::string(field) + " is " + micros(time) +
                                               " us after 1970, it must be 0.." +
                                               micros(limits::kImportedTimeMax));
}

Result<void> validate_times(const FailureRecord& record) {
  struct Time {
    Timestamp value;
    const char* name;
  };
  const std::array times{
      Time{record.sent_at, "sent_at"},
      Time{record.first_failed_at, "first_failed_at"},
      Time{record.last_failed_at, "last_failed_at"},
      Time{record.died_at, "died_at"},
  };
  for (const auto& [value, name] : times) {
    if (auto ok = validate_time(value, name); !ok) return ok;
  }
  return {};
}

// Checks that to_string() knows a name for the enum's value.
template <class Enum>
Result<void> validate_named(Enum value, std::string_view field) {
  if (to_string(value) != "unknown") return {};
  return fail(
      ErrorCode::kInvalidArgument,
      std::string(field) + " is " + std::to_string(static_cast<unsigned>(value)) + ", which has no meaning");
}

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

// Refuses descriptions of a failed delivery that no engine writes.
Result<void> validate_failure(const Attempt& attempt) {
  const Failure& failure = attempt.failure;
  if (attempt.extended > limits::kCountedExtensions || attempt.held < Duration{0})
    return fail(ErrorCode::kInvalidArgument, "an attempt's held is negative, or its extended is more than " +
                                                 std::to_string(limits::kCountedExtensions));
  if (auto ok = at_most(failure.reason.size(), limits::kAttemptReasonBytes, "an attempt's reason"); !ok)
    return ok;
  if (auto ok =
          at_most(failure.stack_trace.size(), limits::kAttemptStackTraceBytes, "an attempt's stack_trace");
      !ok)
    return ok;
  if (auto ok =
          at_most(failure.causes.size(), limits::kAttemptNestedErrors, "an attempt's causes", "entries");
      !ok)
    return ok;
  if (auto ok = at_most(failure.partial_output.size(), limits::kAttemptPartialOutputBytes,
                        "an attempt's partial_output");
      !ok)
    return ok;
  return validate(failure);
}

Result<void> validate(const AttemptHistory& attempts) {
  if (auto ok = at_most(attempts.kept.size(), limits::kFirstAttempts + limits::kLastAttempts, "attempts",
                        "entries");
      !ok)
    return ok;
  for (const Attempt& attempt : attempts.kept) {
    if (auto ok = validate_time(attempt.failed_at, "an attempt's failed_at"); !ok) return ok;
    if (auto ok = validate_named(attempt.end, "an attempt's end"); !ok) return ok;
    if (auto ok = validate(attempt.consumer); !ok) return ok;
    if (auto ok = validate_failure(attempt); !ok) return ok;
  }
  return {};
}

Result<void> validate(const FirstDeath& first) {
  if (auto ok = at_most(first.source_queue.size(), limits::kQueueNameBytes, "first_death.source_queue"); !ok)
    return ok;
  if (auto ok = at_most(first.reason.size(), limits::kReasonBytes, "first_death.reason"); !ok) return ok;
  if (auto ok = validate_time(first.died_at, "first_death.died_at"); !ok) return ok;
  if (auto ok = validate_named(first.cause, "first_death.cause"); !ok) return ok;
  return validate(Rejection{.category = first.category, .code = first.code});
}

Result<void> validate(const FailureRecord& record) {
  if (auto ok = validate_texts(record); !ok) return ok;
  if (auto ok = validate_times(record); !ok) return ok;
  if (auto ok = validate_named(record.cause, "cause"); !ok) return ok;
  const Rejection rejection{.category = record.category, .code = record.code, .causes = record.causes};
  if (auto ok = validate(rejection); !ok) return ok;
  if (auto ok = validate(record.consumer); !ok) return ok;
  if (auto ok = validate(record.attempts); !ok) return ok;
  return record.first_death ? validate(*record.first_death) : Result<void>();
}

Result<void> validate(const Triage& triage) {
  if (auto ok = validate_named(triage.status, "status"); !ok) return ok;
  if (auto ok = validate_time(triage.status_since, "status_since"); !ok) return ok;
  if (auto ok = at_most(triage.assignee.size(), limits::kActorBytes, "assignee"); !ok) return ok;
  if (auto ok = at_most(triage.notes.size(), limits::kTriageNotes, "notes", "entries"); !ok) return ok;
  for (const TriageNote& note : triage.notes) {
    if (auto ok = validate_time(note.at, "a note's time"); !ok) return ok;
    if (auto ok = validate_actor(note.actor); !ok) return ok;
    if (auto ok = at_most(note.text.size(), limits::kNoteBytes, "a note"); !ok) return ok;
  }
  if (auto ok = at_most(triage.audit.size(), limits::kAuditEntries, "audit", "entries"); !ok) return ok;
  for (const AuditEntry& entry : triage.audit) {
    if (auto ok = validate_time(entry.at, "an audit entry's time"); !ok) return ok;
    if (auto ok = validate_actor(entry.actor); !ok) return ok;
    if (auto ok = at_most(entry.action.size(), limits::kNoteBytes, "an audit entry"); !ok) return ok;
  }
  return {};
}

// An import of a dead letter that was shown only in part would put an emptier message in its place for good.
// History has no message, and an import counts it as refused.
Result<void> validate_whole(const DeadLetter& letter) {
  if (letter.history) return {};
  if (letter.without_body)
    return fail(ErrorCode::kInvalidArgument,
                "it was listed without its body and attributes: list it with `bodies`");
  if (letter.redacted.empty()) return {};
  return fail(ErrorCode::kInvalidArgument,
              "its " + letter.redacted.front() + " was redacted, so there is no whole message to bring back");
}

}  // namespace

Result<void> validate(const DeadLetter& letter) {
  if (auto ok = validate_whole(letter); !ok) return ok;
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
  if (!letter.history && letter.triage.status == DeadLetterStatus::kReplayed)
    return fail(ErrorCode::kInvalidArgument, "status is replayed, which only history may have");
  return validate(letter.triage);
}

}  // namespace holdfast
