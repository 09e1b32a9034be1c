// Checks whether an option's value is in its range. The error names the option and the range.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast::client {

inline std::string option_text(std::size_t value) { return std::to_string(value); }
inline std::string option_text(Duration value) { return format_duration(value); }

template <class Value>
Result<void> check_range(std::string_view field, Value value, Value min, Value max) {
  if (value >= min && value <= max) return {};
  return fail(value > max ? ErrorCode::kLimitExceeded : ErrorCode::kInvalidArgument,
              std::string(field) + " is " + option_text(value) + ", it must be " + option_text(min) + ".." +
                  option_text(max));
}

inline Result<void> check(std::string_view field, std::size_t value, std::size_t min, std::size_t max) {
  return check_range(field, value, min, max);
}

inline Result<void> check(std::string_view field, Duration value, Duration min, Duration max) {
  return check_range(field, value, min, max);
}

}  // namespace holdfast::client
