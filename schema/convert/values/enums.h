// Converts enums between Cap'n Proto and the public headers. All values have the same numbers in both, except
// the first value of the protocol, which means that nothing was said.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::convert {

template <class Wire, class Enum>
Wire same_number(Enum from) {
  return static_cast<Wire>(from);
}

// Reads a value. `last` is the protocol's last value. kInvalidArgument for a number that is 0 or past `last`.
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
