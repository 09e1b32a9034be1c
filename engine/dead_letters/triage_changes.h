// Changes the triage of one dead letter.
#pragma once

#include "holdfast/dead_letter_query.h"
#include "holdfast/error.h"

namespace holdfast {

enum class TriageChange : std::uint8_t {
  kMade,
  kNone,     // everything is so already
  kRefused,  // the status may not change so, and nothing is changed
};
TriageChange apply(Triage& triage, const DeadLetterChanges& changes, const std::string& actor,
                   Timestamp time);

// These check the arguments of a bulk change. kInvalidArgument, kLimitExceeded.
Result<void> validate(const DeadLetterSelection& selection);
Result<void> validate(const DeadLetterChanges& changes);

}  // namespace holdfast
