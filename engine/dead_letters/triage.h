// Changes of one dead letter's triage.
#pragma once

#include "holdfast/dead_letter_changes.h"
#include "holdfast/error.h"

namespace holdfast {

// Appends, and drops the oldest past the limit. What somebody does again and again, as bringing a message
// back that dies each time, is there once, with the last time.
void add_audit(Triage& triage, AuditEntry entry);

enum class TriageChange : std::uint8_t {
  kMade,
  kNone,     // all is so already
  kRefused,  // the status may not be set so; nothing is changed
};
TriageChange apply(Triage& triage, const DeadLetterChanges& changes, const std::string& actor,
                   Timestamp time);

// kInvalidArgument, kLimitExceeded.
Result<void> validate(const DeadLetterSelection& selection);
Result<void> validate(const DeadLetterChanges& changes);

}  // namespace holdfast
