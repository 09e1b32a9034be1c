// Reads and writes a call's parameters and replies as JSON, by the protocol's schema alone: a new field of
// the schema needs no line here.
//
//   Cap'n Proto                          JSON
//   leaseMicros :Int64                   "lease": 30.5, seconds; read from "30s" and "1h30m" too
//   sentAtMicros :Int64 $Json.time       "sentAt": "2026-03-01T09:30:00.123456Z"; left out if it is 0
//   body :Data                           "body": "text", or "bodyBase64" if it is not UTF-8
//   MessageId, Receipt                   the texts that the library and the command use
//   a union of one value and nothings    the value; left out or null if there is none
//   a union of more                      {"member": value}
//   $Json.hex, $Json.opaque              a text
//
// Empty texts, and data, structs and lists that are not set, are left out, unless they are required.
#pragma once

#include <capnp/dynamic.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/encoding/json.h"
#include "holdfast/error.h"

namespace holdfast::server {

// Writes what `from` says into `to`. kInvalidArgument names the member: "messages[2].delay". A required field
// may be missing in `from` itself, which need not be all that a request says, but not in an object inside it.
Result<void> read_json(const Json& from, capnp::DynamicStruct::Builder to);

// Writes one member from the texts that a URL's query has for it: a list has one text for each element, a
// list of objects one text, which is JSON, and any other member has one. A member of a struct that
// opens_in_query() is found by its own name. kInvalidArgument, also for an unknown name.
Result<void> read_query(std::string_view name, const std::vector<std::string>& values,
                        capnp::DynamicStruct::Builder to);

Json write_json(capnp::DynamicStruct::Reader from);

// Returns the duration in seconds: an integer if they are whole.
Json write_duration(std::int64_t micros);

}  // namespace holdfast::server
