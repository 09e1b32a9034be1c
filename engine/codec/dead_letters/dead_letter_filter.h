// Encodes a filter of dead letters as tagged fields (tagged.h; the tags are in dead_letter_filter.cc) for the
// row of a redrive task. `history` is not encoded, since a task never means history.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Returns an empty text for a filter without conditions.
std::string encode_dead_letter_filter(const DeadLetterFilter& filter);
DeadLetterFilter decode_dead_letter_filter(std::string_view bytes);

}  // namespace holdfast
