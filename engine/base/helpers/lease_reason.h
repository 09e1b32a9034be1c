// The reason of a delivery that failed because its lease ran out, where its consumer said none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"

namespace holdfast {

// "the lease ran out: 'worker-1', version '2.1', had it for 30.0 s; extensions of the lease: 2"
std::string lease_reason(const Consumer& consumer, std::uint32_t held_ms, std::uint32_t extended);

// What all of them have in common; empty if `reason` is none of them.
std::string_view lease_reason_kind(std::string_view reason);

}  // namespace holdfast
