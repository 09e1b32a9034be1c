// Checks a store against everything that must be true of it after every commit (docs/on-disk-format.md). It
// reads the whole store once. Its memory grows with the number of queues, not with the number of messages.
#pragma once

#include <atomic>

#include "engine/storage/store.h"
#include "holdfast/operations.h"

namespace holdfast {

// Requires that `reader` does not change: it is a snapshot, or a store that nobody writes.
VerifyReport verify_store(const Reader& reader);
// Checks a store as long as `stop` is false. kClosed once it is true.
Result<VerifyReport> verify_store(const Reader& reader, const std::atomic<bool>& stop);

}  // namespace holdfast
