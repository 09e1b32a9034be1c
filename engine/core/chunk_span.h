// These types say where chunks and messages lie in the log.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/chunk_state.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// A ChunkSpan is one chunk's place in the log, with what is known of its messages.
struct ChunkSpan {
  Seq first{};
  std::uint32_t count = 0;
  bool dead_letters = false;
  Timestamp sent_at = {};             // of the first message
  std::vector<GroupKey> groups = {};  // one for each message, on a queue with grouping
  bool replayed = false;              // messages that were redriven
  // `sizes` has the bytes of each message (Entry::bytes). A chunk of the window does not need them here.
  std::vector<std::uint32_t> sizes = {};
};

// Names a message of the log.
struct MessageRef {
  Seq chunk{};
  std::uint32_t index = 0;  // within the chunk
  Seq seq() const { return Seq{static_cast<std::uint64_t>(chunk) + index}; }
};

}  // namespace holdfast
