// The simulation over RocksDB on a file system that fails. Every n-th operation fails in turn, power losses
// tear what was not synced, and bits flip. tools/file-faults runs the long form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>

#include "tests/simulation/disk/disk_world.h"
#include "tests/simulation/simulation.h"
#include "tests/support/last_words.h"

namespace holdfast::simulation {
namespace {

using testing::environment_count;
using testing::environment_number;
using ::testing::HasSubstr;

constexpr std::uint64_t kFaultSteps = 60;
// With fewer seeds, the runs need not reach everything that they should show.
constexpr std::uint64_t kFaultSeeds = 40;

struct Outcome {
  std::uint64_t operations = 0;  // how many operations could fail
  std::uint64_t failed = 0;
  std::uint64_t salvages = 0;
  std::uint64_t restores = 0;  // how many backups were restored
  LosingFileSystem::Losses losses = {};
};

// Runs a simulation to its end. Fails the test at a broken promise.
Outcome run(std::uint64_t seed, const DiskFault& fault, bool breaks) {
  std::unique_ptr<Simulation> simulation;
  DiskWorld* world = nullptr;
  Outcome outcome;
  const testing::LastWords words("seed " + std::to_string(seed) + ", operation " + std::to_string(fault.nth));
  try {
    simulation = std::make_unique<Simulation>(
        seed,
        [&](std::uint64_t world_seed) {
          auto made = std::make_unique<DiskWorld>(world_seed, fault);
          world = made.get();
          return made;
        },
        breaks);
    simulation->run(all_steps(kFaultSteps));
  } catch (const std::exception& wrong) {
    ADD_FAILURE() << "seed " << seed << ", operation " << fault.nth
                  << (fault.once ? " only" : " and all after it") << (fault.full ? ", ENOSPC" : ", EIO")
                  << ": " << wrong.what() << "\nagain: tools/file-faults --seed " << seed
                  << (fault.nth > 0 ? " --operation " + std::to_string(fault.nth) : " --seeds 1")
                  << "\nits steps:\n"
                  << (simulation ? simulation->event_record() : "");
  }
  if (world != nullptr && simulation) {
    outcome.operations = world->operations();
    outcome.failed = world->failed();
    outcome.salvages = world->salvages();
    outcome.restores = world->restores();
    outcome.losses = world->losses();
  }
  return outcome;
}

constexpr std::uint64_t kWaysToFail = 4;

// Runs a simulation for each way in which its n-th operation may fail. Returns how many of them met the
// fault.
std::uint64_t fail_in_each_way(std::uint64_t seed, std::uint64_t nth) {
  std::uint64_t met = 0;
  for (const bool once : {true, false}) {
    for (const bool full : {true, false}) {
      const Outcome outcome = run(seed, {.nth = nth, .once = once, .full = full}, false);
      if (::testing::Test::HasFailure()) return met;
      met += outcome.failed > 0 ? 1 : 0;
    }
  }
  return met;
}

TEST(FileFaults, EveryOperationMayFail) {
  const std::uint64_t seed = environment_number("HOLDFAST_FILE_FAULTS_SEED", 1);
  const std::uint64_t every = environment_count("HOLDFAST_FILE_FAULTS_EVERY", 199);
  const std::uint64_t only = environment_number("HOLDFAST_FILE_FAULTS_OPERATION", 0);
  if (only > 0) {
    const std::uint64_t met = fail_in_each_way(seed, only);
    EXPECT_TRUE(met > 0 || HasFailure()) << "no run came to its operation " << only;
    return;
  }
  const std::uint64_t operations = run(seed, {}, false).operations;
  ASSERT_GT(operations, 100);
  std::uint64_t runs = 0;
  std::uint64_t met = 0;
  for (std::uint64_t nth = 1; nth <= operations; nth += every) {
    met += fail_in_each_way(seed, nth);
    if (::testing::Test::HasFailure()) return;
    runs += kWaysToFail;
  }
  // The number of operations of a run depends a little on RocksDB's threads.
  EXPECT_GE(met * 10, runs * 9) << "of " << runs << " runs, a fault was met by " << met;
  RecordProperty("operations", static_cast<int>(operations));
}

TEST(FileFaults, ARunOverRocksdbKeepsItsPromises) {
  const std::uint64_t first = environment_number("HOLDFAST_FILE_FAULTS_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_FILE_FAULTS_SEEDS", kFaultSeeds);
  Outcome all;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Outcome outcome = run(seed, {}, true);
    if (::testing::Test::HasFailure()) return;
    all.salvages += outcome.salvages;
    all.restores += outcome.restores;
    all.losses += outcome.losses;
  }
  if (seeds < kFaultSeeds) return;
  EXPECT_GT(all.losses.bytes, 0);
  EXPECT_GT(all.losses.torn_writes, 0);
  EXPECT_GT(all.losses.zeros, 0);
  EXPECT_GT(all.losses.renames, 0);
  EXPECT_GT(all.losses.deletions, 0);
  EXPECT_GT(all.salvages, 0);
  EXPECT_GT(all.restores, 0);
  std::cout << "lost " << all.losses.bytes << " bytes (" << all.losses.torn_writes << " torn writes, "
            << all.losses.zeros << " ends in zeros), " << all.losses.given_up << " failed syncs, "
            << all.losses.files << " files, " << all.losses.renames << " renames and " << all.losses.deletions
            << " deletions; salvaged " << all.salvages << " times, restored " << all.restores << " backups\n";
}

// A flipped bit is either found and named, or everything is there all the same.
TEST(FileFaults, AFlippedBitIsNamedOrHarmsNothing) {
  const std::uint64_t first = environment_number("HOLDFAST_FILE_FAULTS_FIRST_SEED", 1);
  const std::uint64_t flips = environment_count("HOLDFAST_FILE_FAULTS_FLIPS", 20);
  std::uint64_t found = 0;
  for (std::uint64_t seed = first; seed < first + flips; ++seed) {
    const testing::LastWords words("seed " + std::to_string(seed));
    std::unique_ptr<Simulation> simulation;
    DiskWorld* world = nullptr;
    DiskWorld::Flip flip;
    try {
      simulation = std::make_unique<Simulation>(
          seed,
          [&](std::uint64_t world_seed) {
            auto made = std::make_unique<DiskWorld>(world_seed);
            world = made.get();
            return made;
          },
          false);
      simulation->work(all_steps(kFaultSteps));
      flip = world->flip_a_bit();
      if (flip.found.empty()) simulation->drain();
    } catch (const std::exception& wrong) {
      FAIL() << "seed " << seed << ": a bit was flipped in " << flip.file << ", verify found nothing, and "
             << wrong.what() << "\nagain: tools/file-faults --seed " << seed << " --flips 1";
    }
    if (flip.found.empty()) continue;
    ++found;
    EXPECT_THAT(flip.found, HasSubstr(flip.file))
        << "seed " << seed << ": a bit was flipped there\nagain: tools/file-faults --seed " << seed
        << " --flips 1";
  }
  if (flips >= 10) {
    EXPECT_GT(found, 0);
  }
}

}  // namespace
}  // namespace holdfast::simulation
