// Encodes the failed deliveries of a message, as rows of `deliveries` and `dead_letters` and the field
// `carried` have them.
//
//   attempts = left_out:varint count:varint attempt*
//   attempt  = failed_at:u64 end:u8 flags:u8 [instance:bytes version:bytes] [held_ms:varint extended:u8]
//              (flags bit 0: the consumer is that of the attempt before it, or none in the first attempt;
//              bit 1: with held_ms and extended, which are 0 otherwise)
//
// There are at most limits::kFirstAttempts + limits::kLastAttempts attempts. A failure record also has
//
//   descriptions = (index:varint failure:bytes)*      one for each attempt with a description: see failure.h
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/wire.h"
#include "engine/core/attempts.h"
#include "holdfast/dead_letter.h"

namespace holdfast {

void put_attempts(std::string& out, const AttemptNotes& attempts);
void put_attempts(std::string& out, const AttemptHistory& attempts);
// Reads attempts. Their `home` is left empty: the rows have it elsewhere.
AttemptNotes read_attempts(wire::Reader& reader);

// Returns the history in a failure record that the notes of the window make. The descriptions of failures are
// not part of the notes.
AttemptHistory history_of(const AttemptNotes& notes);

std::string encode_descriptions(const AttemptHistory& attempts);
// Reads descriptions into `attempts`. Returns false if they do not decode, or if one belongs to an attempt
// that is not there.
bool read_descriptions(std::string_view bytes, AttemptHistory& attempts);

}  // namespace holdfast
