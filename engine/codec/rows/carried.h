// Carried is a field of a message's record. It has what a message that was delivered before takes along while
// it waits outside the log.
//
//   carried = to:u8 deliveries:varint first_failed_at:u64 last_failed_at:u64 instance:bytes version:bytes
//             attempts [described:varint home:varint]      (see attempts.h and core/attempts.h)
#pragma once

#include <string>
#include <string_view>

#include "engine/core/attempts.h"
#include "holdfast/queue.h"

namespace holdfast {

struct Carried {
  FailureHistory history;
  ReturnTo to = ReturnTo::kHead;  // where it enters the log
};

std::string encode_carried(const Carried& carried);
// Decodes the field. Requires bytes that Chunk::decode() has found whole.
Carried decode_carried(std::string_view carried);
bool is_valid_carried(std::string_view carried);

}  // namespace holdfast
