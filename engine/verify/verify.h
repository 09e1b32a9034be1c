// Holds a store against everything that is to be true of it after every commit (docs/on-disk-format.md).
// Reads all of it once; memory grows with the queues, not with the messages.
#pragma once

#include "holdfast/findings.h"
#include "storage/store.h"

namespace holdfast {

// `reader` stands still: a snapshot, or a store that nobody writes.
VerifyReport verify_store(const Reader& reader);

}  // namespace holdfast
