// Writes a dead letter as a line of an archive, a JSON object without newlines, and reads it again.
//
//   {"format":1, "queue":…, "id":…, "history":…,
//    "died_at":…, "cause":…, "attempts":[…], "triage":{…}, …,     for people: readable.h
//    "record_base64":…, "attributes":[…], "body":…}               what is read back, byte for byte
//
// record_base64 is a row of `dead_letters`: record, triage and audit. A body becomes body_base64 if it is not
// UTF-8, or if escapes would make it longer than base64 does. An attribute whose name or value is not UTF-8
// has name_base64 or value_base64. A line that is too long with these readable parts leaves out what is only
// for people, and has attributes_base64, a list of names and values in turn. original_body and
// original_attributes belong to a message that a redrive edited. A line of history has no body. A line with
// "redacted":[…] has no body either, and cannot be read back.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"
#include "holdfast/error.h"

namespace holdfast {

std::string archive_line(std::string_view queue, const DeadLetter& letter);
// Reads a line of an archive. kInvalidArgument if the line is not one of an archive, or was redacted; the
// error names what is wrong.
Result<DeadLetter> parse_archive_line(std::string_view line);

}  // namespace holdfast
