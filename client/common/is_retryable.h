// Tells which errors are not final.
#pragma once

#include "holdfast/error.h"

namespace holdfast::client {

// Returns whether a call that was refused with this code may be tried again.
inline bool is_retryable(ErrorCode code) {
  return code == ErrorCode::kOverloaded || code == ErrorCode::kUnavailable ||
         code == ErrorCode::kOutcomeUnknown;
}

// Returns whether a refusal of a repeated call says that no earlier try has had an effect. A server answers
// most of these codes only after it has looked up the call's request id, or the delivery that the call is
// about, and has found nothing done; the others are about the size of the arguments, which the first try had
// too. (If the delivery is over, such a server answers the same whatever an earlier try did, unless the call
// has a request id: settle_verbs.cc.) Any other refusal comes before the look-up, or instead of it, and
// leaves the outcome of the earlier try unknown: limits of the connection, rights, a drain, a queue that is
// gone, a store that has failed, a server without the call.
inline bool answers_repetition(ErrorCode code) {
  switch (code) {
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kMessageNotFound:
    case ErrorCode::kReceiptStale:
    case ErrorCode::kNoDeadLetterQueue:
    case ErrorCode::kDiskFull:
    case ErrorCode::kQueuePaused:
    case ErrorCode::kQueueFull:
      return true;
    default:
      return false;
  }
}

}  // namespace holdfast::client
