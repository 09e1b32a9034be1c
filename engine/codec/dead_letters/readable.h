// What is known of a dead letter as JSON, for people and programs: `holdfast dlq show --json`, archives and
// exports have the same. Field names are stable. Times are RFC 3339 in UTC, null for what did not happen;
// durations milliseconds.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

// `name` if the bytes are UTF-8, else `name`_base64.
void put_bytes(Json& object, const std::string& name, std::string_view bytes);

Json readable(const FailureRecord& record);
Json readable(const Triage& triage);
Json readable(const Attributes& attributes);  // [{"name": …, "value": …}, …]
Json readable(const Replay& replay);
Json readable_time(Timestamp time);  // null for the epoch, which stands for what did not happen

}  // namespace holdfast
