// A call's parameters and replies as JSON, by the protocol's schema alone: a field that the schema gets is
// there without a line here.
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
// Texts and data that are empty, and structs and lists that are not set, are left out.
#pragma once

#include <capnp/dynamic.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/encoding/json.h"
#include "holdfast/error.h"

namespace holdfast::server {

// Fills in what `from` says. kInvalidArgument names the member: "messages[2].delay".
Result<void> read_json(const Json& from, capnp::DynamicStruct::Builder to);

// Fills in one member from texts, as the query of a URL has them: a list has one for each of its elements,
// all else just one. A member of a union of several values, and one of the struct `filter`, is found by its
// own name. kInvalidArgument, also for a name that there is not.
Result<void> read_query(std::string_view name, const std::vector<std::string>& values,
                        capnp::DynamicStruct::Builder to);

Json write_json(capnp::DynamicStruct::Reader from);

}  // namespace holdfast::server
