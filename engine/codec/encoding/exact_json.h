// Reads JSON that is changed and written again, and keeps the exact value of every number.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"

namespace holdfast {

// Parses a text as parse_json() does, but allows objects of any number of members. A number that neither 64
// bits nor a double can hold is kept as its text, in a binary value, which nothing else becomes. Two such
// numbers are equal if they are written alike.
Json parse_exact_json(std::string_view text);

// Says what is wrong with a text that parse_exact_json() discards, in the words of json_fault().
std::string exact_json_fault(std::string_view text);

// Writes a value of parse_exact_json() on one line. Throws Json::exception if a text is not UTF-8.
std::string dump_exact_json(const Json& value);

}  // namespace holdfast
