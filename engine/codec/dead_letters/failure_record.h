// The fields of a failure record within a row of `dead_letters`, and its dead letter's own id.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/codec/dead_letters/indexed_fields.h"
#include "engine/codec/encoding/tagged.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

void put_failure_record(std::string& out, const MessageId& id, const FailureRecord& record);
// A field of another kind is left alone. False if it does not decode.
bool read_failure_record_field(const tagged::Field& field, MessageId& id, FailureRecord& record);
// Of what the index has; a field of another kind is left alone, as is one of triage.
void read_indexed_field(const tagged::Field& field, IndexedFields& indexed);
// The reason among the fields of a row; none if they do not decode.
std::optional<std::string_view> reason_of_failure_record(std::string_view fields);

}  // namespace holdfast
