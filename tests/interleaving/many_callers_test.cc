// Runs the campaign of many callers over many seeds: no promise is broken, and the same seed does the same.
#include "tests/interleaving/many_callers.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/random.h"

namespace holdfast::testing {
namespace {

// HOLDFAST_MANY_CALLERS_SEEDS says how many seeds are run, and HOLDFAST_MANY_CALLERS_FIRST_SEED which one
// comes first.
TEST(ManyCallers, KeepTheirPromisesWhateverTheirTurns) {
  const std::uint64_t first = environment_number("HOLDFAST_MANY_CALLERS_FIRST_SEED", 1);
  const std::uint64_t count = environment_count("HOLDFAST_MANY_CALLERS_SEEDS", 100);
  Campaign all;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    const Campaign campaign = run_many_callers(seed);
    for (const std::string& wrong : campaign.wrong) {
      ADD_FAILURE() << wrong
                    << "\nagain: HOLDFAST_MANY_CALLERS_SEEDS=1 HOLDFAST_MANY_CALLERS_FIRST_SEED=" << seed;
    }
    for (const auto& [verb, times] : campaign.done) all.done[verb] += times;
    for (const auto& [end, times] : campaign.ends) all.ends[end] += times;
  }
  for (const auto& [verb, times] : all.done) std::printf("%s %zu, ", verb.c_str(), times);
  for (const auto& [end, times] : all.ends) std::printf("%s %zu, ", end.c_str(), times);
  std::printf("\n");
  if (count < 100) return;
  for (const char* verb : {"send", "receive", "ack", "reject", "release", "spare", "extend", "commit",
                           "redrive", "alter", "repeat", "pause", "scratch", "look"}) {
    EXPECT_GT(all.done[verb], 0U) << verb << " has never succeeded";
  }
}

TEST(ManyCallers, TheSameSeedDoesTheSame) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    EXPECT_EQ(run_many_callers(seed).trace, run_many_callers(seed).trace) << "seed " << seed;
  }
}

}  // namespace
}  // namespace holdfast::testing
