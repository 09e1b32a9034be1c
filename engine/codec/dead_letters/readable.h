// Writes what is known of a dead letter as JSON for people and programs: `holdfast dlq show --json`, archives
// and exports share it. Field names are stable. Times are RFC 3339 in UTC, and null for what did not happen;
// durations are milliseconds.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

// Adds the bytes as `name` if they are UTF-8, or else in base64 as `name`_base64.
void put_bytes(Json& object, const std::string& name, std::string_view bytes);

Json readable(const FailureRecord& record);
Json readable(const Triage& triage);
Json readable(const Attributes& attributes);  // [{"name": …, "value": …}, …]
Json readable(const Replay& replay);
Json readable_time(Timestamp time);  // null for the epoch

}  // namespace holdfast
