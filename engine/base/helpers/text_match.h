// Looks for a part of a text, whatever its ASCII case.
#pragma once

#include <string_view>

namespace holdfast {

// Returns whether the text has the part. Every text has the empty part.
bool contains(std::string_view text, std::string_view part);

// Returns whether a text that normalised() (fingerprint.h) turns into `form` may have the part. If false, no
// such text has it.
bool may_contain(std::string_view form, std::string_view part);

}  // namespace holdfast
