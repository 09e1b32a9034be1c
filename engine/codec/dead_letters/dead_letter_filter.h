// A filter of dead letters as tagged fields (tagged.h; tags: dead_letter_filter.cc), within a task's row. But
// for `history`, which a task never means.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Empty for a filter that asks nothing.
std::string encode_dead_letter_filter(const DeadLetterFilter& filter);
DeadLetterFilter decode_dead_letter_filter(std::string_view bytes);

}  // namespace holdfast
