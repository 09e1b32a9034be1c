// Encodes the fields of a dead letter's triage within its row of `dead_letters`.
#pragma once

#include <string>

#include "engine/codec/encoding/tagged.h"
#include "holdfast/triage.h"

namespace holdfast {

// Triage begins at this tag. Failure records have the lower tags.
inline constexpr std::uint32_t kFirstTriageTag = 64;

void put_triage(std::string& out, const Triage& triage);
// Reads a field into `triage` if it is one of triage. Returns false if it does not decode.
bool read_triage_field(const tagged::Field& field, Triage& triage);

}  // namespace holdfast
