// A queue's dead letters go to its targets.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "holdfast/queue.h"

namespace holdfast {

class Queue;

struct DeadLetterTargets {
  std::shared_ptr<Queue> fallback = {};             // of dead_letter_queue; null if there is none
  std::vector<std::shared_ptr<Queue>> routes = {};  // of dead_letter_routes, in the same order
  std::shared_ptr<Queue> parking = {};              // where dead letters are put aside; null if nowhere

  // Returns whether messages die to the queue: it is the fallback or that of a route.
  bool contains(const Queue& queue) const;
  // Returns where a dead letter of this category goes, or null if nowhere. `options` are those that have
  // these targets.
  const std::shared_ptr<Queue>& of(std::string_view category, const QueueOptions& options) const;
  // Adds the targets to `queues`, once for each way that leads there.
  void add_to(std::vector<Queue*>& queues) const;
  // Adds `by` to the number of queues that each target serves (Queue::served). Stops the process unless the
  // calling thread has locked each of them.
  void count_served(std::int64_t by) const;
};

}  // namespace holdfast
