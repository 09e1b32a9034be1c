// Holds a store against everything that is to be true of it after every commit (docs/on-disk-format.md).
// Reads all of it once; memory grows with the queues, not with the messages.
#pragma once

#include <atomic>

#include "engine/storage/store.h"
#include "holdfast/operations.h"

namespace holdfast {

// `reader` stands still: a snapshot, or a store that nobody writes.
VerifyReport verify_store(const Reader& reader);
// The same, as long as `stop` is false; kClosed once it is true.
Result<VerifyReport> verify_store(const Reader& reader, const std::atomic<bool>& stop);

}  // namespace holdfast
