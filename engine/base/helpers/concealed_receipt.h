// A concealed receipt settles nothing, and carries everything that its original carries. A server hands it on
// in place of a receipt whose queue its client may not consume. A repeated call is recognised by its request
// id and its content (content_hash.h), which is the same for both receipts. So a repetition still gets its
// first answer if the queue was deleted, or the client's rights were changed, in between.
#pragma once

#include <cstdint>

#include "holdfast/ids.h"

namespace holdfast {

// Set in a queue's number, this bit makes the number of no queue: numbers count up from 1.
inline constexpr std::uint64_t kConcealed = std::uint64_t{1} << 63;

constexpr QueueId concealed(QueueId queue) { return QueueId{static_cast<std::uint64_t>(queue) | kConcealed}; }

constexpr QueueId revealed(QueueId queue) { return QueueId{static_cast<std::uint64_t>(queue) & ~kConcealed}; }

}  // namespace holdfast
