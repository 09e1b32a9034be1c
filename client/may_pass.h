// Errors that are no last word.
#pragma once

#include "holdfast/error.h"

namespace holdfast::client {

// Whether what was refused so may be tried again.
inline bool may_pass(ErrorCode code) {
  return code == ErrorCode::kOverloaded || code == ErrorCode::kUnavailable ||
         code == ErrorCode::kOutcomeUnknown;
}

}  // namespace holdfast::client
