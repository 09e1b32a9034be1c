// The simulation over RocksDB on a disk that fails, and keeps failing while the engine answers, while it is
// closed, and while it is opened again. Each run is a process of its own: an assertion of RocksDB's, which
// Debian's build contains, is an abort, and a hang is a SIGALRM.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "tests/simulation/disk/disk_world.h"
#include "tests/simulation/own_child.h"
#include "tests/simulation/simulation.h"
#include "tests/support/last_words.h"

namespace holdfast::simulation {
namespace {

using testing::environment_count;
using testing::environment_number;
using testing::FileOperation;

constexpr std::uint64_t kLastingSteps = 60;
constexpr std::string_view kOperations = "operations: ";
constexpr std::string_view kFailed = "failed: ";

struct Way {
  FileOperation kind;
  std::string_view name;
};
constexpr std::array kWays{
    Way{FileOperation::kAny, "anything"},  Way{FileOperation::kCreate, "create"},
    Way{FileOperation::kAppend, "append"}, Way{FileOperation::kSync, "sync"},
    Way{FileOperation::kClose, "close"},   Way{FileOperation::kRename, "rename"},
    Way{FileOperation::kDelete, "delete"}, Way{FileOperation::kMakeDirectory, "make a directory"},
    Way{FileOperation::kOpen, "open"},     Way{FileOperation::kRead, "read"},
};

// Makes one run, which the environment describes.
TEST(LastingFaults, DISABLED_OneRun) {
  const std::uint64_t seed = environment_number("HOLDFAST_LASTING_SEED", 1);
  const DiskFault fault{
      .nth = environment_number("HOLDFAST_LASTING_NTH", 0),
      .full = environment_number("HOLDFAST_LASTING_FULL", 0) != 0,
      .kind = static_cast<FileOperation>(environment_number("HOLDFAST_LASTING_KIND", 255)),
      .lasts = environment_number("HOLDFAST_LASTING_LASTS", 0),
  };
  const testing::LastWords words("seed " + std::to_string(seed) + ", operation " + std::to_string(fault.nth));
  DiskWorld* world = nullptr;
  Simulation simulation(
      seed,
      [&](std::uint64_t world_seed) {
        auto made = std::make_unique<DiskWorld>(world_seed, fault);
        world = made.get();
        return made;
      },
      false);
  try {
    simulation.run(all_steps(kLastingSteps));
  } catch (const std::exception& wrong) {
    ADD_FAILURE() << wrong.what() << "\nits steps:\n" << simulation.event_record();
  }
  std::cout << kOperations << world->operations() << '\n' << kFailed << world->failed() << '\n';
}

struct LastingRun {
  std::uint64_t seed = 1;
  std::uint64_t nth = 0;  // 0: nothing fails
  FileOperation kind = FileOperation::kAny;
  bool full = false;
  std::uint64_t lasts = 0;
};

ChildEnd run(const LastingRun& how) {
  return run_in_child("LastingFaults.DISABLED_OneRun",
                      {{"HOLDFAST_LASTING_SEED", std::to_string(how.seed)},
                       {"HOLDFAST_LASTING_NTH", std::to_string(how.nth)},
                       {"HOLDFAST_LASTING_FULL", how.full ? "1" : "0"},
                       {"HOLDFAST_LASTING_KIND", std::to_string(static_cast<std::uint32_t>(how.kind))},
                       {"HOLDFAST_LASTING_LASTS", std::to_string(how.lasts)},
                       {"HOLDFAST_TEST_TIME_LIMIT", "120"}});
}

// Returns the number that the run printed after `word`; 0 if it printed none.
std::uint64_t said(const ChildEnd& end, std::string_view word) {
  const auto at = end.printed.find(word);
  return at == std::string::npos ? 0 : std::stoull(end.printed.substr(at + word.size()));
}

// Returns how often a fault outlasts the engine. It is over with the first close, or after a few attempts to
// open.
std::uint64_t lasts(std::uint64_t nth) { return 1 + nth % 3; }

TEST(LastingFaults, NeverEndTheProcessNorLoseAnything) {
  const std::uint64_t seed = environment_number("HOLDFAST_LASTING_FAULTS_SEED", 1);
  const std::uint64_t each = environment_count("HOLDFAST_LASTING_FAULTS_EACH", 3);
  std::uint64_t runs = 0;
  std::uint64_t met = 0;
  for (const Way& way : kWays) {
    const std::uint64_t operations = said(run({.seed = seed, .kind = way.kind}), kOperations);
    ASSERT_GT(operations, 0) << way.name;
    for (std::uint64_t i = 0; i < each; ++i) {
      // The first operation is never chosen, since there would be no data yet.
      const std::uint64_t nth = 1 + (2 * i + 1) * operations / (2 * each);
      for (const bool full : {false, true}) {
        const ChildEnd end =
            run({.seed = seed, .nth = nth, .kind = way.kind, .full = full, .lasts = lasts(nth)});
        EXPECT_TRUE(end.sound) << "seed " << seed << ", " << way.name << ' ' << nth << " of " << operations
                               << " and all that follow, " << (full ? "ENOSPC" : "EIO") << ": " << end.how
                               << '\n'
                               << end.printed;
        ++runs;
        met += said(end, kFailed) > 0 ? 1 : 0;
      }
    }
  }
  // The number of operations of a run depends a little on RocksDB's threads.
  EXPECT_GE(met * 10, runs * 9) << "of " << runs << " runs, a fault was met by " << met;
  std::cout << runs << " faults that lasted, met by " << met << " runs\n";
}

}  // namespace
}  // namespace holdfast::simulation
