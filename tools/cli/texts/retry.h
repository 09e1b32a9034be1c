// Retry policies as people write and read them.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/queue.h"

namespace holdfast::command {

// "immediate", "fixed:5s", "exponential:1s:10m", "stages:1s:10s:5m"; each but the first may end in
// ":jitter=0.2", and each in ":to=tail". kInvalidArgument otherwise.
Result<RetryPolicy> parse_retry(std::string_view text);

// Parsed back by parse_retry.
std::string format_retry(const RetryPolicy& retry);

std::string_view to_string(RetryKind kind);  // "immediate", "fixed", "exponential", "stages"

}  // namespace holdfast::command
