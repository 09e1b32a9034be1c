#include "engine/context/locked_queues.h"

#include <algorithm>
#include <utility>

namespace holdfast {

LockedQueues::LockedQueues(Gate& gate, std::vector<Queue*> queues) : pass_(gate) {
  std::ranges::sort(queues, {}, &Queue::id);
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  for (Queue* queue : queues) locks_.emplace_back(queue->mutex);
}

LockedWithTarget::LockedWithTarget(Gate& gate, Queue& queue, std::string_view category) {
  for (;;) {
    {
      const LockedQueue locked(gate, queue);
      target_ = queue.dead_letter_target(category);
    }
    std::vector<Queue*> both{&queue};
    if (target_) both.push_back(target_.get());
    locked_.emplace(gate, std::move(both));
    queue.mutex.assert_held();
    if (queue.dead_letter_target(category) == target_) return;
    locked_.reset();
  }
}

}  // namespace holdfast
