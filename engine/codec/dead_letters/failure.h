// Encodes what a consumer said of a delivery that failed. It is a row of its own in `scheduled` until the
// message is settled, and then a part of the failure record. It consists of tagged fields (tagged.h); the
// tags are in failure.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"

namespace holdfast {

// Returns the failure with its texts cut to what is kept of a message's last failure.
Failure bounded_failure(const Failure& failure);
// Returns the failure with its texts cut to what is kept of failures before the last one.
Failure bounded_attempt_failure(const Failure& failure);

// Returns about how many bytes the failure takes in a row.
std::size_t byte_size(const Failure& failure);

std::string encode_failure(const Failure& failure);
std::optional<Failure> decode_failure(std::string_view row);

}  // namespace holdfast
