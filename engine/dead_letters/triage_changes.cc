#include "engine/dead_letters/triage_changes.h"

#include <string>
#include <utility>

#include "engine/base/helpers/audit.h"
#include "engine/base/validation/validate.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "holdfast/limits.h"

namespace holdfast {

TriageChange apply(Triage& triage, const DeadLetterChanges& changes, const std::string& actor,
                   Timestamp time) {
  if (changes.status && !is_legal_step(triage.status, *changes.status)) return TriageChange::kRefused;
  const bool new_status = changes.status && *changes.status != triage.status;
  const bool new_assignee = changes.assignee && *changes.assignee != triage.assignee;
  if (!new_status && !new_assignee && !changes.note) return TriageChange::kNone;
  const auto audit = [&](std::string action) { add_audit(triage, {time, actor, std::move(action)}); };
  if (new_status) {
    audit("status " + std::string(to_string(triage.status)) + " -> " +
          std::string(to_string(*changes.status)));
    triage.status = *changes.status;
    triage.status_since = time;
  }
  if (new_assignee) {
    audit(changes.assignee->empty() ? "assigned to nobody" : "assigned to " + *changes.assignee);
    triage.assignee = *changes.assignee;
  }
  if (changes.note) add_note(triage, {time, actor, *changes.note});
  return TriageChange::kMade;
}

Result<void> validate(const DeadLetterSelection& selection) {
  if (auto ok = at_most(selection.actor.size(), limits::kActorBytes, "actor"); !ok) return ok;
  if (selection.filter.empty() && !selection.all) {
    return fail(ErrorCode::kInvalidArgument, "the filter is empty; set all to select every dead letter");
  }
  return validate(selection.filter);
}

Result<void> validate(const DeadLetterChanges& changes) {
  if (!changes.status && !changes.assignee && !changes.note) {
    return fail(ErrorCode::kInvalidArgument, "changes must set a status, an assignee or a note");
  }
  if (changes.status && to_string(*changes.status) == "unknown") {
    return fail(ErrorCode::kInvalidArgument, "changes.status is unknown");
  }
  if (changes.status == DeadLetterStatus::kReplayed) {
    return fail(ErrorCode::kInvalidArgument, "changes.status: only a redrive sets replayed");
  }
  if (changes.note && changes.note->empty()) {
    return fail(ErrorCode::kInvalidArgument, "changes.note is empty");
  }
  if (auto ok = at_most(changes.assignee.value_or("").size(), limits::kActorBytes, "changes.assignee"); !ok)
    return ok;
  return at_most(changes.note.value_or("").size(), limits::kNoteBytes, "changes.note");
}

}  // namespace holdfast
