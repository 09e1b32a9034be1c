// Gives the space of messages that are done back to the device.
#pragma once

#include <memory>

#include "engine/context/context.h"

namespace holdfast {

class ChunkCompactor {
 public:
  explicit ChunkCompactor(EngineContext& engine) : engine_(engine) {}

  // Thins out chunks that stay for a few stragglers, a bounded number. True if there may be more.
  bool compact_chunks(const std::shared_ptr<Queue>& queue);
  // Has the space of the queue's removed chunks looked after, if there are any.
  void reclaim(Queue& queue);

 private:
  EngineContext& engine_;
};

}  // namespace holdfast
