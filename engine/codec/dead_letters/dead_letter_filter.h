// Encodes a filter of dead letters as tagged fields (tagged.h; the tags are in dead_letter_filter.cc) for the
// row of a redrive task. `history` is not encoded, since a task never means history. Unlike other readers of
// tagged fields, this one skips none: a filter with a condition less selects more.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Returns an empty text for a filter without conditions.
std::string encode_dead_letter_filter(const DeadLetterFilter& filter);
// Returns nothing if a field does not decode or is not known.
std::optional<DeadLetterFilter> decode_dead_letter_filter(std::string_view bytes);

}  // namespace holdfast
