// What a consumer said of a delivery that failed: a row of `scheduled` of its own until the message is
// settled, then a part of its failure record. Tagged fields: see tagged.h; the tags are in failure.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"

namespace holdfast {

// A failure with its texts cut to what is kept of the last one.
Failure bounded_failure(const Failure& failure);
// A failure with its texts cut to what is kept of those before the last one.
Failure bounded_attempt_failure(const Failure& failure);

// About what it takes in a row.
std::size_t byte_size(const Failure& failure);

std::string encode_failure(const Failure& failure);
std::optional<Failure> decode_failure(std::string_view row);

}  // namespace holdfast
