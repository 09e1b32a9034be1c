// A delivery has this reason if it failed because its lease ran out and its consumer had given no reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/dead_letter.h"

namespace holdfast {

// Returns the reason: "the lease ran out: 'worker-1', version '2.1', had it for 30.0 s; extensions of the
// lease: 2".
std::string lease_reason(const Consumer& consumer, std::uint32_t held_ms, std::uint32_t extended);

// Returns what all reasons of this kind have in common; an empty text if `reason` is not one of them.
std::string_view lease_reason_kind(std::string_view reason);

}  // namespace holdfast
