// What a message that was delivered before takes along while it waits outside the log: a field of its record.
//
//   carried = deliveries:varint first_failed_at:u64 last_failed_at:u64 instance:bytes version:bytes
//             attempts         (see attempts.h)
#pragma once

#include <string>
#include <string_view>

#include "core/queue_state.h"

namespace holdfast {

std::string encode_carried(const FailureHistory& history);
// Of what Chunk::decode found whole.
FailureHistory decode_carried(std::string_view carried);
bool is_valid_carried(std::string_view carried);

}  // namespace holdfast
