// What one message of the protocol may take.
#pragma once

#include <cstdint>

#include "holdfast/limits.h"

namespace holdfast::convert {

// limits::kBatchBytes of bodies and attributes, the pointers and padding around limits::kBatchEntries of them
// with limits::kAttributes each (about 20 MiB), and room for new fields. For
// capnp::ReaderOptions::traversalLimitInWords.
inline constexpr std::uint64_t kMessageBytes = 2 * limits::kBatchBytes;
inline constexpr std::uint64_t kMessageWords = kMessageBytes / 8;

}  // namespace holdfast::convert
