// Checks the options of a queue: each by the rule of its row in the option table, and those that depend on
// each other.
#pragma once

#include "holdfast/error.h"
#include "holdfast/queue.h"

namespace holdfast {

// The error names the first option that is wrong, in the table's order. kInvalidArgument; kLimitExceeded for
// a value above its limit.
Result<void> validate(const QueueOptions& options);

}  // namespace holdfast
