// Retry policies as people write and read them.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/queue.h"

namespace holdfast::command {

// Reads "immediate", "fixed:5s", "exponential:1s:10m" or "stages:1s:10s:5m". Each but the first may end in
// ":jitter=0.2", and each may end in ":to=tail". kInvalidArgument for any other text.
Result<RetryPolicy> parse_retry(std::string_view text);

// Writes a policy as parse_retry() reads it.
std::string format_retry(const RetryPolicy& retry);

std::string_view to_string(RetryKind kind);  // returns "immediate", "fixed", "exponential" or "stages"

}  // namespace holdfast::command
