// Subject is a queue of a simulation.
#pragma once

#include <cstdint>
#include <string>

#include "holdfast/queue.h"
#include "tests/simulation/world/ledger.h"

namespace holdfast::simulation {

struct Subject {
  std::string name;
  QueueOptions options;
  bool dead_letters = false;          // it is a dead letter queue
  std::uint32_t most_deliveries = 0;  // the greatest limit of all times; the options have the least
};

bool is_bounded(const QueueOptions& options);
// Returns how often a message is delivered at least before it dies.
std::uint32_t fewest_until_death(const QueueOptions& options);
// Returns what the ledger must know of the queue.
Home home_of(const Subject& queue);

}  // namespace holdfast::simulation
