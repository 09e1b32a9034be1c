// Looking for a part in texts, whatever its ASCII case.
#pragma once

#include <string_view>

namespace holdfast {

// Whether the text has this part; every text has an empty one.
bool contains(std::string_view text, std::string_view part);

// Whether a text of which normalised() (fingerprint.h) gives `form` may have the part. False: none has.
bool may_contain(std::string_view form, std::string_view part);

}  // namespace holdfast
