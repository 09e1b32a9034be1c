// A dead letter as a line of an archive: a JSON object without newlines.
//
//   {"format":1, "queue":…, "id":…, "message_id":…, "died_at_us":…, …,       for people and other programs
//    "record_base64":…, "attributes_base64":[…], "body_base64":…}            what is read back, byte for byte
//
// record_base64 is a row of `dead_letters`; attributes_base64 has names and values in turn. History has no
// body; what was redacted has "redacted":[…] instead of one, and is not read back.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"
#include "holdfast/error.h"

namespace holdfast {

std::string archive_line(std::string_view queue, const DeadLetter& letter);
// kInvalidArgument, naming what is wrong with it.
Result<DeadLetter> parse_archive_line(std::string_view line);

}  // namespace holdfast
