// Says how two sets of options differ.
#pragma once

#include <string>

#include "holdfast/queue.h"

namespace holdfast::command {

// Returns, for example, "--max-deliveries is 5, not 3; --dedup is none, not id".
std::string differences(const QueueOptions& is, const QueueOptions& asked);

}  // namespace holdfast::command
