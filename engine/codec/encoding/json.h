// JSON that comes from outside (bodies, patches, archives), and how it is written.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "holdfast/limits.h"

namespace holdfast {

using Json = nlohmann::ordered_json;  // keeps the order of members

// The library takes a zero byte for the end of the text, so that what follows would be lost unseen.
inline bool has_zero_byte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// What a text may have, beside limits::kJsonDepth: values are copied, written and destroyed by recursion,
// which a deep one would drive off the end of the stack.
struct JsonBounds {
  std::size_t values =
      limits::kJsonValues;  // altogether: one that takes two bytes of the text takes many of memory
  std::size_t members = limits::kJsonMembers;  // of one object: they are looked up one after the other
};

// Discarded if it is no JSON, or past the bounds. Takes time in proportion to the length of the text.
Json parse_json(std::string_view text, const JsonBounds& bounds = {});

// What is wrong with a text that parse_json() discards, as the end of a sentence: "is not JSON", "is nested
// deeper than 256 levels".
std::string json_fault(std::string_view text, const JsonBounds& bounds = {});

// On one line. Texts of clients need not be UTF-8: what is not becomes U+FFFD, where dump() would throw.
inline std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace holdfast
