#include "client/worker/checks.h"

#include <string>

namespace holdfast::worker {
namespace {

std::string to_text(std::size_t value) { return std::to_string(value); }
std::string to_text(Duration value) { return format_duration(value); }

template <class Value>
Result<void> check_range(std::string_view field, Value value, Value min, Value max) {
  if (value >= min && value <= max) return {};
  return fail(
      value > max ? ErrorCode::kLimitExceeded : ErrorCode::kInvalidArgument,
      std::string(field) + " is " + to_text(value) + ", it must be " + to_text(min) + ".." + to_text(max));
}

}  // namespace

Result<void> check(std::string_view field, std::size_t value, std::size_t min, std::size_t max) {
  return check_range(field, value, min, max);
}

Result<void> check(std::string_view field, Duration value, Duration min, Duration max) {
  return check_range(field, value, min, max);
}

}  // namespace holdfast::worker
