// Dead letters as callers see them.
#pragma once

#include <cstddef>

#include "codec/dead_letter_row.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Without body and attributes.
DeadLetter view_of(const DeadLetterCursor& place, DeadLetterRow row);

// Takes out what the caller may not see, and says so in `redacted`.
void redact(DeadLetter& letter, const Redaction& redaction);

// kInvalidArgument, kLimitExceeded.
Result<void> validate_page(std::size_t max);

}  // namespace holdfast
