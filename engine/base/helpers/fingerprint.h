// What equal failures have in common.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"

namespace holdfast {

// The text without what differs from one failure to the next: UUIDs, hex and decimal numbers become '#',
// texts in quotes "?".
std::string normalised(std::string_view text);

// Of the record's cause, category, reason and the innermost frames of its stack trace. It is stored, so a
// change here parts old failures from new ones. Searches rely on this: records with the same fingerprint have
// reasons that normalised() makes equal.
Fingerprint fingerprint_of(const FailureRecord& record);

}  // namespace holdfast
