// The failed deliveries of a message, within rows of `deliveries` and `dead_letters`.
//
//   attempts = left_out:varint count:varint attempt*
//   attempt  = failed_at:u64 end:u8 same:u8 [instance:bytes version:bytes]
//              (same 1: the consumer is that of the attempt before it, of the first one: none)
//
// limits::kFirstAttempts + limits::kLastAttempts of them at most.
#pragma once

#include <string>

#include "codec/wire.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

void put_attempts(std::string& out, const AttemptHistory& attempts);
AttemptHistory read_attempts(wire::Reader& reader);

}  // namespace holdfast
