// Encodes the fields of a failure record, and its dead letter's own id, within a row of `dead_letters`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/codec/dead_letters/indexed_fields.h"
#include "engine/codec/encoding/tagged.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

void put_failure_record(std::string& out, const MessageId& id, const FailureRecord& record);
// Reads a field into `id` or `record` if it is one of a failure record. Returns false if it does not decode.
bool read_failure_record_field(const tagged::Field& field, MessageId& id, FailureRecord& record);
// Reads a field into `indexed` if it is one that the index has of a failure record. Fields of triage are
// ignored.
void read_indexed_field(const tagged::Field& field, IndexedFields& indexed);
// Returns the reason among the fields of a row. Returns nothing if they do not decode.
std::optional<std::string_view> reason_of_failure_record(std::string_view fields);

}  // namespace holdfast
