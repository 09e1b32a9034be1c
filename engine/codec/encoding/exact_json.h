// JSON that is read, changed and written again, with the value of every number as it was.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"

namespace holdfast {

// As parse_json(), with any number of members. Of a number that neither 64 bits nor a double hold, its text,
// as a binary value, which nothing else becomes: two of them are equal if they are written alike.
Json parse_exact_json(std::string_view text);

// As json_fault(), of what parse_exact_json() discards.
std::string exact_json_fault(std::string_view text);

// What that gave, on one line. Throws Json::exception if a text is not UTF-8.
std::string dump_exact_json(const Json& value);

}  // namespace holdfast
