// Where chunks and messages lie in the log.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/chunk_state.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// Where a chunk lies in the log.
struct ChunkSpan {
  Seq first{};
  std::uint32_t count = 0;
  bool dead_letters = false;
  Timestamp sent_at = {};             // as ChunkState::sent_at
  std::vector<GroupKey> groups = {};  // as ChunkState::groups
  bool replayed = false;              // as ChunkState::replayed
  // Of each message, as Entry::bytes. Not needed of a chunk of the window.
  std::vector<std::uint32_t> sizes = {};
};

// Names a message of the log.
struct MessageRef {
  Seq chunk{};
  std::uint32_t index = 0;  // within the chunk
  Seq seq() const { return Seq{static_cast<std::uint64_t>(chunk) + index}; }
};

}  // namespace holdfast
