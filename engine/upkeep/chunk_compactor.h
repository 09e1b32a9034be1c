// Gives the space of messages that are done back to the device.
#pragma once

#include <memory>

#include "engine/context/context.h"

namespace holdfast {

class ChunkCompactor {
 public:
  explicit ChunkCompactor(EngineContext& engine) : engine_(engine) {}

  // Compacts a bounded number of chunks that stay for a few stragglers. Returns true if there may be more.
  bool compact_chunks(const std::shared_ptr<Queue>& queue) HOLDFAST_EXCLUDES(inside_gate);
  // Has the space of the queue's removed chunks reclaimed, if there are any.
  void reclaim(Queue& queue) HOLDFAST_EXCLUDES(inside_gate);

 private:
  EngineContext& engine_;
};

}  // namespace holdfast
