// A lane: the log of the messages of one priority. The top byte of a Seq is its lane, so that keys, chunks
// and receipts are the same for all lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "holdfast/ids.h"

namespace holdfast {

inline constexpr int kLaneShift = 56;

inline std::size_t lane_of(Seq seq) { return static_cast<std::uint64_t>(seq) >> kLaneShift; }
// The first seq of a lane.
inline Seq lane_begin(std::size_t lane) { return Seq{(std::uint64_t{lane} << kLaneShift) + 1}; }

}  // namespace holdfast
