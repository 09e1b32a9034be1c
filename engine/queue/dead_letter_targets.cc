#include "engine/queue/dead_letter_targets.h"

#include <algorithm>

#include "engine/queue/queue.h"

namespace holdfast {

bool DeadLetterTargets::contains(const Queue& queue) const {
  const auto is_it = [&](const auto& target) { return target.get() == &queue; };
  return is_it(fallback) || std::ranges::any_of(routes, is_it);
}

const std::shared_ptr<Queue>& DeadLetterTargets::of(std::string_view category,
                                                    const QueueOptions& options) const {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (options.dead_letters.routes[i].category == category) return routes[i];
  }
  return fallback;
}

void DeadLetterTargets::add_to(std::vector<Queue*>& queues) const {
  const auto add = [&](const std::shared_ptr<Queue>& target) {
    if (target) queues.push_back(target.get());
  };
  add(fallback);
  add(parking);
  std::ranges::for_each(routes, add);
}

void DeadLetterTargets::count_served(std::int64_t by) const {
  std::vector<Queue*> targets;
  add_to(targets);
  for (Queue* target : targets) {
    target->mutex.assert_held();
    target->served.fetch_add(by);
  }
}

}  // namespace holdfast
