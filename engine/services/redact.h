// Taking out what the caller may not see.
#pragma once

#include "holdfast/dead_letter.h"
#include "holdfast/message.h"
#include "holdfast/peek.h"

namespace holdfast {

// Both say in `redacted` what they took out.
void redact(DeadLetter& letter, const Redaction& redaction);
void redact(PeekedMessage& message, const Redaction& redaction);

}  // namespace holdfast
