// The failed deliveries of a message, within rows of `deliveries`, `dead_letters` and of what is carried.
//
//   attempts = left_out:varint count:varint attempt*
//   attempt  = failed_at:u64 end:u8 flags:u8 [instance:bytes version:bytes] [held_ms:varint extended:u8]
//              (flags bit 0: the consumer is that of the attempt before it, of the first one: none; bit 1:
//              with the last two, which are 0 otherwise)
//
// limits::kFirstAttempts + limits::kLastAttempts of them at most. In a failure record
//
//   descriptions = (index:varint failure:bytes)*      of the attempts that have one: see failure.h
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/wire.h"
#include "engine/core/attempts.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

void put_attempts(std::string& out, const AttemptNotes& attempts);
// Without the home, which the rows have elsewhere.
AttemptNotes read_attempts(wire::Reader& reader);

// As a record has them, without what was said of them, and back.
AttemptHistory history_of(const AttemptNotes& notes);
AttemptNotes notes_of(const AttemptHistory& attempts);

std::string encode_descriptions(const AttemptHistory& attempts);
// False if they do not decode, or are of other attempts than there are.
bool read_descriptions(std::string_view bytes, AttemptHistory& attempts);

}  // namespace holdfast
