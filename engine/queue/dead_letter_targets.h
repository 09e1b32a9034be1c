// The queues that a queue's dead letters go to.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "holdfast/queue.h"

namespace holdfast {

class Queue;

struct DeadLetterTargets {
  std::shared_ptr<Queue> fallback = {};             // dead_letter_queue; null: none
  std::vector<std::shared_ptr<Queue>> routes = {};  // as dead_letter_routes
  std::shared_ptr<Queue> parking = {};              // where they are put aside; null: nowhere

  // Whether messages die to it.
  bool contains(const Queue& queue) const;
  // Where a dead letter of this category goes, by the options that have these targets; null: nowhere.
  const std::shared_ptr<Queue>& of(std::string_view category, const QueueOptions& options) const;
  // Adds to the number of queues that each of them serves.
  void count_served(std::int64_t by) const;
};

}  // namespace holdfast
