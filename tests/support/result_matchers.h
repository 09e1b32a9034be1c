// This header declares matchers for a Result.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/print.h"

namespace holdfast::testing {

MATCHER(Succeeds, "") {
  if (!arg) *result_listener << to_string(arg.error());
  return static_cast<bool>(arg);
}

MATCHER_P(FailsWith, code, "") { return !arg && arg.error().code == code; }

// Matches an error whose message also names what was wrong.
MATCHER_P2(FailsNaming, code, text, "") {
  return !arg && arg.error().code == code && arg.error().message.find(text) != std::string::npos;
}

// Matches the error for a value out of its bounds. It may count as a limit or as an invalid value (limits.h),
// but the error must name it.
MATCHER_P(RefusesValue, text, "") {
  return !arg &&
         (arg.error().code == ErrorCode::kInvalidArgument || arg.error().code == ErrorCode::kLimitExceeded) &&
         arg.error().message.find(text) != std::string::npos;
}

// Matches the error for a delivery that is over, whichever of the two ways the engine remembers it.
MATCHER(FailsAsSettled, "") {
  return !arg &&
         (arg.error().code == ErrorCode::kReceiptStale || arg.error().code == ErrorCode::kMessageNotFound);
}

// Returns the reason in the record of a message that was delivered too often.
inline std::string exhausted_reason(std::uint32_t deliveries) {
  return "delivered " + std::to_string(deliveries) + (deliveries == 1 ? " time" : " times") +
         " without an ack";
}

// Returns the value. Without a value it throws, which ends the test.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return *std::move(result);
}

inline void must(const Result<void>& result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
}

}  // namespace holdfast::testing
