// The table of errors is the one place where a code gets its name, the exit status of the command and the
// status of HTTP. A code that is not in it counts as internal.
#include "holdfast/error.h"

#include <algorithm>
#include <array>

namespace holdfast {
namespace {

using enum ErrorCode;

constexpr std::array kTable = {
    ErrorInfo{kInternal, "internal", 1, 500},
    ErrorInfo{kInvalidArgument, "invalid_argument", 2, 400},
    ErrorInfo{kLimitExceeded, "limit_exceeded", 3, 413},
    ErrorInfo{kQueueNotFound, "queue_not_found", 4, 404},
    ErrorInfo{kQueueExists, "queue_exists", 5, 409},
    ErrorInfo{kQueueInUse, "queue_in_use", 6, 409},
    ErrorInfo{kMessageNotFound, "message_not_found", 7, 404},
    ErrorInfo{kReceiptStale, "receipt_stale", 8, 409},
    ErrorInfo{kNoDeadLetterQueue, "no_dead_letter_queue", 9, 409},
    ErrorInfo{kDeadLetterCycle, "dead_letter_cycle", 10, 409},
    ErrorInfo{kDiskFull, "disk_full", 11, 507},
    ErrorInfo{kStorageFailed, "storage_failed", 12, 500},
    ErrorInfo{kCorruption, "corruption", 13, 500},
    ErrorInfo{kLocked, "locked", 14, 423},
    ErrorInfo{kFormatTooNew, "format_too_new", 15, 500},
    ErrorInfo{kClosed, "closed", 16, 503},
    ErrorInfo{kUnavailable, "unavailable", 17, 503},
    ErrorInfo{kOutcomeUnknown, "outcome_unknown", 18, 504},
    ErrorInfo{kOverloaded, "overloaded", 19, 429},
    ErrorInfo{kPermissionDenied, "permission_denied", 20, 403},
    ErrorInfo{kTaskNotFound, "task_not_found", 21, 404},
    ErrorInfo{kFamilyNotFound, "family_not_found", 22, 404},
    ErrorInfo{kPreconditionFailed, "precondition_failed", 23, 412},
    ErrorInfo{kQueuePaused, "queue_paused", 24, 409},
    ErrorInfo{kQueueFull, "queue_full", 25, 429},
    ErrorInfo{kCancelled, "cancelled", 26, 499},
};

}  // namespace

std::span<const ErrorInfo> error_table() { return kTable; }

const ErrorInfo& error_info(ErrorCode code) {
  const auto* row = std::ranges::find(kTable, code, &ErrorInfo::code);
  return row == kTable.end() ? kTable.front() : *row;
}

std::string to_string(const Error& error) {
  return std::string(error_info(error.code).name) + ": " + error.message;
}

}  // namespace holdfast
