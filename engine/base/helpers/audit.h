// What people noted on a dead letter, and who did what to it: lists that stay bounded.
#pragma once

#include "holdfast/triage.h"

namespace holdfast {

// These append, and drop the oldest past the limit. What somebody does again and again, as bringing a message
// back that dies each time, is in the audit once, with the last time.
void add_note(Triage& triage, TriageNote note);
void add_audit(Triage& triage, AuditEntry entry);

}  // namespace holdfast
