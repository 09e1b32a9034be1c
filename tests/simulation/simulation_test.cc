// A short campaign; tools/simulate runs long ones.
#include "simulation/simulation.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "simulation/shrink.h"
#include "support/last_words.h"

namespace holdfast::simulation {
namespace {

using testing::environment_count;
using testing::environment_number;

struct Broken {
  std::string what;
  std::string trace;
};

// Nothing if every promise is kept.
std::optional<Broken> broken_by(std::uint64_t seed, const Steps& steps) {
  std::unique_ptr<Simulation> simulation;
  try {
    simulation = std::make_unique<Simulation>(seed);
    simulation->run(steps);
    return std::nullopt;
  } catch (const std::exception& wrong) {
    return Broken{wrong.what(), simulation ? simulation->trace() : ""};
  }
}

TEST(Simulation, KeepsItsPromisesThroughFaults) {
  const std::uint64_t first = environment_number("HOLDFAST_SIMULATION_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_SIMULATION_SEEDS", 200);
  const Steps steps = all_steps(environment_count("HOLDFAST_SIMULATION_STEPS", 300));
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const testing::LastWords words("seed " + std::to_string(seed));
    const auto broken = broken_by(seed, steps);
    if (!broken) continue;
    const auto fails = [seed](const Steps& some) { return broken_by(seed, some).has_value(); };
    const Steps fewest = shrink(steps, fails);
    const Broken least = broken_by(seed, fewest).value_or(*broken);
    FAIL() << "seed " << seed << ": " << broken->what << "\nagain: tools/simulate --seed " << seed
           << " --steps " << steps.size() << "\n"
           << fewest.size() << " of these steps are enough for: " << least.what << "\n"
           << least.trace;
  }
}

}  // namespace
}  // namespace holdfast::simulation
