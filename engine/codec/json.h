// JSON that comes from outside: bodies, patches, archives.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "holdfast/limits.h"

namespace holdfast {

using Json = nlohmann::ordered_json;  // keeps the order of members

// Discarded if it is no JSON, or nested deeper than limits::kJsonDepth: values are copied, written and
// destroyed by recursion, which a deep one would drive off the end of the stack.
inline Json parse_json(std::string_view text) {
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

}  // namespace holdfast
