// Arithmetic on places in a log.
#pragma once

#include <cstdint>

#include "holdfast/ids.h"

namespace holdfast {

inline Seq operator+(Seq seq, std::uint64_t count) { return Seq{static_cast<std::uint64_t>(seq) + count}; }
inline std::uint64_t operator-(Seq later, Seq earlier) {
  return static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
}

}  // namespace holdfast
