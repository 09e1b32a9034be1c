// These functions compute places in a log. A lane is the log of the messages of one priority. The top byte of
// a Seq is its lane, so keys, chunks and receipts have the same form in all lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "holdfast/ids.h"

namespace holdfast {

inline Seq operator+(Seq seq, std::uint64_t count) { return Seq{static_cast<std::uint64_t>(seq) + count}; }
inline std::uint64_t operator-(Seq later, Seq earlier) {
  return static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
}

inline constexpr int kLaneShift = 56;

inline std::size_t lane_of(Seq seq) { return static_cast<std::uint64_t>(seq) >> kLaneShift; }
// Returns the first seq of a lane.
inline Seq lane_begin(std::size_t lane) { return Seq{(std::uint64_t{lane} << kLaneShift) + 1}; }

}  // namespace holdfast
