#include "tests/simulation/run/subject.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

bool is_given_up_to_the_archive(const AutoRedrive& policy) {
  return policy.every > Duration{0} && policy.give_up_after > Duration{0} &&
         policy.on_give_up == OnGiveUp::kArchive;
}

}  // namespace

bool is_bounded(const QueueOptions& options) {
  return options.limits.max_length > 0 || options.limits.max_bytes > 0;
}

std::uint32_t fewest_until_death(const QueueOptions& options) {
  return options.retry.budget > Duration{0} ? 1 : options.retry.max_deliveries;
}

Home home_of(const Subject& queue) {
  Home home{.max_deliveries = fewest_until_death(queue.options),
            .dead_letters = queue.dead_letters,
            .brakes = queue.options.brake.deaths_per_minute > 0,
            .retry = queue.options.retry.policy,
            .archives = is_given_up_to_the_archive(queue.options.dead_letters.auto_redrive)};
  if (!queue.options.dead_letters.queue.empty())
    home.promised.most_deliveries = std::max(queue.most_deliveries, queue.options.retry.max_deliveries);
  for (const std::string& next :
       {queue.options.dead_letters.queue, queue.options.dead_letters.parking_queue}) {
    if (!next.empty()) home.promised.next.push_back(next);
  }
  for (const DeadLetterRoute& route : queue.options.dead_letters.routes)
    home.promised.next.push_back(route.queue);
  return home;
}

}  // namespace holdfast::simulation
