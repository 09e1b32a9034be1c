// Converts listDeadLetters between the API and the protocol.
#pragma once

#include <string_view>

#include "holdfast/broker.h"
#include "holdfast/wire/dead_letter.capnp.h"
#include "schema/convert/dead_letters/dead_letter_query_conversion.h"

namespace holdfast::convert {

struct ListDeadLettersCall {
  std::string_view queue;  // a view into the request
  ListDeadLettersOptions options;
};

void write(const FailureRecord& from, wire::FailureRecord::Builder to);
Result<FailureRecord> read(wire::FailureRecord::Reader from);
// Returns about how many words a record takes up, padding included.
std::uint64_t words_of(const FailureRecord& record);

void write(std::string_view queue, const ListDeadLettersOptions& options,
           wire::ListDeadLettersRequest::Builder to);
Result<ListDeadLettersCall> read(wire::ListDeadLettersRequest::Reader from);

void write(const Result<DeadLetterPage>& from, wire::ListDeadLettersReply::Builder to);
Result<DeadLetterPage> read(wire::ListDeadLettersReply::Reader from);

}  // namespace holdfast::convert
