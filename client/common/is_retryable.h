// Errors that are no last word.
#pragma once

#include "holdfast/error.h"

namespace holdfast::client {

// Whether what was refused so may be tried again.
inline bool is_retryable(ErrorCode code) {
  return code == ErrorCode::kOverloaded || code == ErrorCode::kUnavailable ||
         code == ErrorCode::kOutcomeUnknown;
}

// Whether a refusal with this code says of a repetition that no earlier try has had an effect. These codes
// are given only by a server that has looked the call's request id up, or the delivery that the call is
// about, and found nothing done; or they are about the size of the arguments, which the first try had too.
// (Of a delivery that is over, such a server says the same whatever an earlier try did, unless the call has a
// request id: settle_verbs.cc.) Any other refusal (limits of the connection, rights, a drain, a queue that is
// gone, a store that has failed, a server without the call) comes before the look-up, or instead of it, and
// leaves the outcome of the earlier try unknown.
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
