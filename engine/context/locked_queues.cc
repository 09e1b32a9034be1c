#include "engine/context/locked_queues.h"

#include <algorithm>

namespace holdfast {

LockedQueues::LockedQueues(Gate& gate, std::vector<Queue*> queues) : pass_(gate) {
  std::ranges::sort(queues, {}, &Queue::id);
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  for (Queue* queue : queues) locks_.emplace_back(queue->mutex);
}

}  // namespace holdfast
