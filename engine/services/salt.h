// Returns a number that no other engine has.
#pragma once

#include <cstdint>
#include <random>

namespace holdfast {

inline std::uint64_t random_salt() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace holdfast
