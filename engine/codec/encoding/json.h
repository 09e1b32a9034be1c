// Reads JSON that comes from outside, such as bodies, patches and archives, and writes JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "holdfast/limits.h"

namespace holdfast {

using Json = nlohmann::ordered_json;  // keeps the order of members

// Returns whether the text has a zero byte. The library takes one for the end of the text and would silently
// lose what follows.
inline bool has_zero_byte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// The bounds of a text beside limits::kJsonDepth. The depth is bounded because values are copied, written and
// destroyed by recursion, and a deep value would overflow the stack.
struct JsonBounds {
  // The text has this many values at most. A value of two bytes of text takes many bytes of memory.
  std::size_t values = limits::kJsonValues;
  // One object has this many members at most. The library looks for a member among all others of the object.
  std::size_t members = limits::kJsonMembers;
};

// Parses a text. The result is discarded if the text is not JSON or exceeds the bounds. The time is
// proportional to the length of the text.
Json parse_json(std::string_view text, const JsonBounds& bounds = {});

// Says what is wrong with a text that parse_json() discards, as the end of a sentence: "is not JSON", "is
// nested deeper than 256 levels".
std::string json_fault(std::string_view text, const JsonBounds& bounds = {});

// Writes a value on one line. Bytes that are not UTF-8, which clients may send, become U+FFFD; dump() alone
// would throw.
inline std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace holdfast
