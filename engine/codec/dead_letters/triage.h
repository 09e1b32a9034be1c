// The fields of a dead letter's triage within its row of `dead_letters`.
#pragma once

#include <string>

#include "engine/codec/encoding/tagged.h"
#include "holdfast/triage.h"

namespace holdfast {

// Failure records have those before.
inline constexpr std::uint32_t kFirstTriageTag = 64;

void put_triage(std::string& out, const Triage& triage);
// A field of another kind is left alone. False if it does not decode.
bool read_triage_field(const tagged::Field& field, Triage& triage);

}  // namespace holdfast
