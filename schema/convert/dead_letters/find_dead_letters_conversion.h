// Converts findDeadLetters between the API and the protocol.
#pragma once

#include "holdfast/dead_letter_query.h"
#include "holdfast/wire/dead_letter.capnp.h"

namespace holdfast::convert {

void write(const FindDeadLettersOptions& options, wire::FindDeadLettersRequest::Builder to);
Result<FindDeadLettersOptions> read(wire::FindDeadLettersRequest::Reader from);

void write(const Result<FoundDeadLetters>& from, wire::FindDeadLettersReply::Builder to);
Result<FoundDeadLetters> read(wire::FindDeadLettersReply::Reader from);

}  // namespace holdfast::convert
