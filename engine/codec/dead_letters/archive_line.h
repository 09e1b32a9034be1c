// A dead letter as a line of an archive: a JSON object without newlines.
//
//   {"format":1, "queue":…, "id":…, "history":…,
//    "died_at":…, "cause":…, "attempts":[…], "triage":{…}, …,     for people: readable.h
//    "record_base64":…, "attributes":[…], "body":…}               what is read back, byte for byte
//
// record_base64 is a row of `dead_letters`: record, triage and audit. A body that is no text, or not shorter
// as one, is body_base64; of attributes each name and value likewise, or attributes_base64 has all of them in
// turn. original_body and original_attributes are of a message that a redrive edited. History has no body;
// what was redacted has "redacted":[…] instead of one, and is not read back.
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
