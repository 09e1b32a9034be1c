// Notes of people on a dead letter, and the record of who did what to it, are lists of a bounded length.
#pragma once

#include "holdfast/triage.h"

namespace holdfast {

// These functions append an entry and drop the oldest one past the limit. If the last entry of the audit has
// the same actor and action, only its time changes: a message that is brought back and dies again and again
// has one entry.
void add_note(Triage& triage, TriageNote note);
void add_audit(Triage& triage, AuditEntry entry);

}  // namespace holdfast
