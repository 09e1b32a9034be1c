// Finds what equal failures have in common.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"

namespace holdfast {

// Returns the text without what differs from one failure to the next: UUIDs, hex and decimal numbers become
// '#', and texts in quotes become '?'.
std::string normalised(std::string_view text);

// Returns the fingerprint of the record's cause, category, reason and the innermost frames of its stack
// trace. It is stored, so a change here separates old failures from new ones. Searches rely on this: records
// with the same fingerprint have reasons that normalised() makes equal.
Fingerprint fingerprint_of(const FailureRecord& record);

}  // namespace holdfast
