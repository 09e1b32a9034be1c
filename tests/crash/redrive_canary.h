// The redrive kill test and its process agree on kRedriveCanary.
#pragma once

#include <cstdint>

namespace holdfast::testing {

inline constexpr std::uint32_t kRedriveCanary = 100;

}  // namespace holdfast::testing
