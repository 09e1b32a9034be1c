// Enums, between Cap'n Proto and the public headers. All values but the wire's first, which says nothing,
// have the same numbers in both.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::convert {

template <class Wire, class Enum>
Wire same_number(Enum from) {
  return static_cast<Wire>(from);
}

// `last`: the wire's last value.
template <class Enum, class Wire>
Result<Enum> read_number(Wire from, Wire last, std::string_view field) {
  const auto number = static_cast<unsigned>(from);
  if (number == 0 || number > static_cast<unsigned>(last)) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(field) + ": unknown value " + std::to_string(number));
  }
  return static_cast<Enum>(number);
}

}  // namespace holdfast::convert
