// Random operations run on an engine and on a simple model, side by side. HOLDFAST_MODEL_SEEDS says how many
// seeds each test runs, HOLDFAST_MODEL_FIRST_SEED which one comes first, and HOLDFAST_MODEL_STEPS how many
// operations a seed has.
#include <gtest/gtest.h>

#include <exception>
#include <functional>

#include "tests/model/backing.h"
#include "tests/model/driver.h"
#include "tests/support/last_words.h"

namespace holdfast::testing {
namespace {

void run(std::uint64_t seed, std::uint64_t steps, Backing& backing) {
  SCOPED_TRACE("HOLDFAST_MODEL_FIRST_SEED=" + std::to_string(seed) + " HOLDFAST_MODEL_SEEDS=1");
  const LastWords words("seed " + std::to_string(seed));
  std::optional<Driver> driver;
  try {
    driver.emplace(seed, backing);
    for (std::uint64_t i = 0; i < steps; ++i) driver->step();
    driver->drain();
  } catch (const std::exception& wrong) {
    FAIL() << "seed " << seed << ": " << wrong.what() << "\nthe last operations:\n"
           << (driver ? driver->last_operations() : std::string());
  }
}

void run_seeds(std::uint64_t default_seeds,
               const std::function<std::unique_ptr<Backing>(std::uint64_t)>& make_backing) {
  const std::uint64_t first = environment_number("HOLDFAST_MODEL_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_MODEL_SEEDS", default_seeds);
  const std::uint64_t steps = environment_count("HOLDFAST_MODEL_STEPS", 2000);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    run(seed, steps, *make_backing(seed));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ModelTest, HoldsOverRocksdbWithReopensAndKilledProcesses) {
  run_seeds(2, [](std::uint64_t) { return make_rocksdb_backing(); });
}

TEST(ModelTest, HoldsOverRocksdbWithFlushesAndCompactions) {
  run_seeds(2, [](std::uint64_t) { return make_small_rocksdb_backing(); });
}

TEST(ModelTest, HoldsOverAMemoryStoreThatLosesUnsyncedWrites) {
  run_seeds(20, [](std::uint64_t seed) { return make_memory_backing(seed); });
}

}  // namespace
}  // namespace holdfast::testing
