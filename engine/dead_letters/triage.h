// Changes of one dead letter's triage.
#pragma once

#include "holdfast/dead_letter_query.h"
#include "holdfast/error.h"

namespace holdfast {

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
