// A short campaign; tools/simulate runs long ones.
#include "simulation/simulation.h"

#include <gtest/gtest.h>

#include <memory>

namespace holdfast::simulation {
namespace {

using testing::environment_number;

TEST(Simulation, KeepsItsPromisesThroughFaults) {
  const std::uint64_t first = environment_number("HOLDFAST_SIMULATION_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_number("HOLDFAST_SIMULATION_SEEDS", 200);
  const std::uint64_t steps = environment_number("HOLDFAST_SIMULATION_STEPS", 300);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    std::unique_ptr<Simulation> simulation;
    try {
      simulation = std::make_unique<Simulation>(seed);
      simulation->run(steps);
    } catch (const std::exception& wrong) {
      FAIL() << "seed " << seed << ": " << wrong.what() << "\nagain: tools/simulate --seed " << seed
             << "\nthe last steps:\n"
             << (simulation ? simulation->trace() : "");
    }
  }
}

}  // namespace
}  // namespace holdfast::simulation
