// This is a short campaign. tools/simulate runs long ones.
#include "tests/simulation/simulation.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "tests/simulation/shrink.h"
#include "tests/support/last_words.h"

namespace holdfast::simulation {
namespace {

using testing::environment_count;
using testing::environment_number;

struct Broken {
  std::string what;
  std::string record;
};

// With fewer seeds, the runs need not reach everything that they should show.
constexpr std::uint64_t kManySeeds = 200;
constexpr std::uint64_t kSteps = 300;

// Returns nothing if every promise is kept. Adds what the run has reached to `marks`.
std::optional<Broken> broken_by(std::uint64_t seed, const Steps& steps, Simulation::Marks& marks) {
  const testing::LastWords words("seed " + std::to_string(seed));
  std::unique_ptr<Simulation> simulation;
  try {
    simulation = std::make_unique<Simulation>(seed);
    simulation->run(steps);
    marks |= simulation->marks();
    return std::nullopt;
  } catch (const std::exception& wrong) {
    return Broken{wrong.what(), simulation ? simulation->event_record() : ""};
  }
}

TEST(Simulation, KeepsItsPromisesThroughFaults) {
  const std::uint64_t first = environment_number("HOLDFAST_SIMULATION_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_SIMULATION_SEEDS", kManySeeds);
  const Steps steps = all_steps(environment_count("HOLDFAST_SIMULATION_STEPS", kSteps));
  Simulation::Marks marks;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const auto broken = broken_by(seed, steps, marks);
    if (!broken) continue;
    const auto fails = [&](const Steps& some) { return broken_by(seed, some, marks).has_value(); };
    const Steps fewest = shrink(steps, fails);
    const Broken least = broken_by(seed, fewest, marks).value_or(*broken);
    FAIL() << "seed " << seed << ": " << broken->what << "\nagain: tools/simulate --seed " << seed
           << " --steps " << steps.size() << "\n"
           << fewest.size() << " of these steps are enough for: " << least.what << "\n"
           << least.record;
  }
  if (seeds >= kManySeeds && steps.size() >= kSteps) {
    EXPECT_TRUE(marks.all()) << "some of Simulation::Mark were never reached, in reverse: " << marks;
  }
}

std::string record_of(std::uint64_t seed) {
  Simulation simulation(seed);
  simulation.run(all_steps(kSteps));
  return simulation.event_record();
}

TEST(Simulation, TheSameSeedDoesTheSame) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::string record = record_of(seed);
    EXPECT_EQ(record, record_of(seed)) << "seed " << seed;
    EXPECT_NE(record, record_of(seed + 3)) << "seeds " << seed << " and " << seed + 3;
  }
}

}  // namespace
}  // namespace holdfast::simulation
