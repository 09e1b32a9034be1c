// Takes out what the caller may not see.
#pragma once

#include "holdfast/dead_letter.h"
#include "holdfast/message.h"
#include "holdfast/peek.h"

namespace holdfast {

// Each function adds the names of what it took out to `redacted` of the message.
void redact(DeadLetter& letter, const Redaction& redaction);
void redact(PeekedMessage& message, const Redaction& redaction);

}  // namespace holdfast
