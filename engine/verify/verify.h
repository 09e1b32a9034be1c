// Checks a store against everything that must be true of it after every commit (docs/on-disk-format.md).
//
// Its memory does not grow with the number of messages. It grows with the number of queues, and holds, of one
// queue at a time: a few tens of bytes for each chunk with messages that expire and for each message with
// descriptions of failures, and 8 bytes for each dead letter of the largest group that one call made die or
// gave a status.
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
