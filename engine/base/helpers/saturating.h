// Counts that stop at their largest value: the counts of an imported dead letter may be there already.
#pragma once

#include <cstdint>

namespace holdfast {

constexpr std::uint32_t one_more(std::uint32_t count) { return count == UINT32_MAX ? count : count + 1; }

}  // namespace holdfast
