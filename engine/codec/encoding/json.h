// JSON that comes from outside (bodies, patches, archives), and how it is written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "holdfast/limits.h"

namespace holdfast {

using Json = nlohmann::ordered_json;  // keeps the order of members

// The library takes a zero byte for the end of the text, so that what follows would be lost unseen.
inline bool has_zero_byte(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// Discarded if it is no JSON, or nested deeper than limits::kJsonDepth: values are copied, written and
// destroyed by recursion, which a deep one would drive off the end of the stack.
inline Json parse_json(std::string_view text) {
  if (has_zero_byte(text)) return Json::value_t::discarded;
  bool too_deep = false;
  Json value = Json::parse(
      text,
      [&](int depth, Json::parse_event_t event, Json& /*value*/) {
        const bool opens =
            event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
        too_deep |= opens && depth >= limits::kJsonDepth;
        return !too_deep;
      },
      false);
  return too_deep ? Json(Json::value_t::discarded) : value;
}

// On one line. Texts of clients need not be UTF-8: what is not becomes U+FFFD, where dump() would throw.
inline std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace holdfast
