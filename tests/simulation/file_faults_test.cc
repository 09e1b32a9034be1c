// The simulation over RocksDB on a file system that fails: every n-th operation in turn, power losses that
// tear what was not synced, flipped bits. tools/file-faults runs the long form.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "simulation/disk_world.h"
#include "simulation/simulation.h"

namespace holdfast::simulation {
namespace {

using testing::environment_number;

constexpr std::uint64_t kSteps = 60;

// Runs it to the end; gives the world as long as `look` looks at it. Fails the test at a broken promise.
void run(std::uint64_t seed, const DiskFault& fault, bool breaks, std::uint64_t& operations) {
  std::unique_ptr<Simulation> simulation;
  DiskWorld* world = nullptr;
  try {
    simulation = std::make_unique<Simulation>(
        seed,
        [&](std::uint64_t world_seed) {
          auto made = std::make_unique<DiskWorld>(world_seed, fault);
          world = made.get();
          return made;
        },
        breaks);
    simulation->run(kSteps);
    operations = world->operations();
  } catch (const Refused&) {
    return;  // the end of this run; see Refused
  } catch (const std::exception& wrong) {
    FAIL() << "seed " << seed << ", operation " << fault.nth << (fault.once ? " only" : " and all after it")
           << (fault.full ? ", ENOSPC" : ", EIO") << ": " << wrong.what() << "\nthe last steps:\n"
           << (simulation ? simulation->trace() : "");
  }
}

TEST(FileFaults, EveryOperationMayFail) {
  const std::uint64_t seed = environment_number("HOLDFAST_FILE_FAULTS_SEED", 1);
  const std::uint64_t every = environment_number("HOLDFAST_FILE_FAULTS_EVERY", 29);
  std::uint64_t operations = 0;
  run(seed, {}, false, operations);
  ASSERT_GT(operations, 100);
  std::uint64_t ignored = 0;
  for (std::uint64_t nth = 1; nth <= operations && !::testing::Test::HasFailure(); nth += every) {
    // Over the run, all four kinds.
    run(seed, {.nth = nth, .once = nth / every % 2 == 0, .full = nth / every % 4 < 2}, false, ignored);
  }
  RecordProperty("operations", static_cast<int>(operations));
}

TEST(FileFaults, ARunOverRocksdbKeepsItsPromises) {
  const std::uint64_t first = environment_number("HOLDFAST_FILE_FAULTS_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_number("HOLDFAST_FILE_FAULTS_SEEDS", 10);
  std::uint64_t ignored = 0;
  for (std::uint64_t seed = first; seed < first + seeds && !::testing::Test::HasFailure(); ++seed)
    run(seed, {}, true, ignored);
}

// Either it is found and named, or everything is there all the same.
TEST(FileFaults, AFlippedBitIsNamedOrHarmsNothing) {
  const std::uint64_t first = environment_number("HOLDFAST_FILE_FAULTS_FIRST_SEED", 1);
  const std::uint64_t flips = environment_number("HOLDFAST_FILE_FAULTS_FLIPS", 20);
  std::uint64_t named = 0;
  for (std::uint64_t seed = first; seed < first + flips; ++seed) {
    std::unique_ptr<Simulation> simulation;
    DiskWorld* world = nullptr;
    std::string found;
    try {
      simulation = std::make_unique<Simulation>(
          seed,
          [&](std::uint64_t world_seed) {
            auto made = std::make_unique<DiskWorld>(world_seed);
            world = made.get();
            return made;
          },
          false);
      simulation->work(kSteps);
      found = world->flip_a_bit();
      if (found.empty()) simulation->drain();
    } catch (const std::exception& wrong) {
      FAIL() << "seed " << seed << ": a bit was flipped, verify found nothing, and " << wrong.what();
    }
    named += found.empty() ? 0 : 1;
  }
  EXPECT_GT(named, 0);
}

}  // namespace
}  // namespace holdfast::simulation
