// Converts filters, cursors, redactions and groupDeadLetters between the API and the protocol.
#pragma once

#include <string_view>

#include "holdfast/dead_letter_query.h"
#include "holdfast/wire/dead_letter.capnp.h"

namespace holdfast::convert {

struct GroupDeadLettersCall {
  std::string_view queue;  // a view into the request
  GroupDeadLettersOptions options;
};

// Reads at most one id or seq more than a filter may have, so that a filter with too many is refused.
void write(const DeadLetterFilter& from, wire::DeadLetterFilter::Builder to);
Result<DeadLetterFilter> read(wire::DeadLetterFilter::Reader from);

void write(const DeadLetterCursor& from, wire::DeadLetterCursor::Builder to);
DeadLetterCursor read(wire::DeadLetterCursor::Reader from);

void write(const Redaction& from, wire::Redaction::Builder to);
Redaction read(wire::Redaction::Reader from);

void write(const DeadLetter& from, wire::DeadLetter::Builder to);
Result<DeadLetter> read(wire::DeadLetter::Reader from);

void write(std::string_view queue, const GroupDeadLettersOptions& options,
           wire::GroupDeadLettersRequest::Builder to);
Result<GroupDeadLettersCall> read(wire::GroupDeadLettersRequest::Reader from);

void write(const Result<DeadLetterGroups>& from, wire::GroupDeadLettersReply::Builder to);
Result<DeadLetterGroups> read(wire::GroupDeadLettersReply::Reader from);

}  // namespace holdfast::convert
