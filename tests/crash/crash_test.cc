// Kills a process under load with SIGKILL, again and again, and checks each time what is left.
// HOLDFAST_CRASH_KILLS sets how often, HOLDFAST_CRASH_SECONDS for how long at most, HOLDFAST_CRASH_SEED where
// the seeds begin, HOLDFAST_CRASH_SETTLED how many operations a life settles at most, and
// HOLDFAST_CRASH_PER_DIRECTORY how many kills a directory sees before the next one begins.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "tests/crash/child_process.h"
#include "tests/crash/oracle.h"
#include "tests/crash/survivors.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

// A directory sees this many kills unless another number is asked for. Then another directory begins.
constexpr std::uint64_t kKillsPerDirectory = 10;

using SteadyTime = std::chrono::steady_clock::time_point;

// Runs the load until it has settled `settled` operations, or until `end`. Then kills it, and reads what it
// has written.
void run_and_kill(const std::filesystem::path& directory, const std::string& how, std::uint64_t seed,
                  std::uint64_t round, std::uint64_t settled, SteadyTime end, Oracle& oracle) {
  ChildProcess child(
      {HOLDFAST_CRASH_CHILD, how, directory.string(), std::to_string(seed), std::to_string(round)});
  if (settled == 0) child.kill();
  while (const auto line = child.read_line()) {
    const LogLine parsed = parse_log_line(*line);
    oracle.read(parsed);
    if (!parsed.settled || settled == 0) continue;
    settled = std::chrono::steady_clock::now() < end ? settled - 1 : 0;
    if (settled == 0) child.kill();
  }
  ASSERT_TRUE(child.was_killed()) << "the load ended by itself";
}

// Runs the load until it kills itself.
void run_to(const std::string& how, const std::string& point, std::uint64_t nth,
            const std::filesystem::path& directory, std::uint64_t round, Oracle& oracle) {
  ChildProcess child({HOLDFAST_CRASH_CHILD, how, directory.string(), std::to_string(nth),
                      std::to_string(round), point, std::to_string(nth)});
  while (const auto line = child.read_line()) oracle.read(parse_log_line(*line));
  ASSERT_TRUE(child.was_killed()) << "the load ended by itself";
}

// Says in words what the kills met, for a reader of the log.
std::string summary(const std::vector<Survivor>& survivors) {
  std::size_t dead = 0;
  std::size_t replayed = 0;
  for (const Survivor& survivor : survivors) {
    dead += survivor.record ? 1 : 0;
    replayed += survivor.replays > 0 ? 1 : 0;
  }
  return std::to_string(survivors.size()) + " messages left, " + std::to_string(dead) + " dead, " +
         std::to_string(replayed) + " replayed";
}

std::string check(const std::filesystem::path& directory, std::uint64_t round, Oracle& oracle) {
  const Findings findings =
      find_survivors(directory, kTestEpoch + std::chrono::hours(24) * static_cast<std::int64_t>(round) +
                                    std::chrono::hours(12));
  for (const std::string& wrong : findings.wrong) ADD_FAILURE() << wrong;
  std::size_t shown = 0;
  for (const std::string& wrong : oracle.check(findings.survivors, findings.transfers)) {
    if (++shown <= 20) ADD_FAILURE() << wrong;
  }
  return summary(findings.survivors);
}

TEST(CrashTest, AKilledProcessLosesNothingThatWasAnswered) {
  const std::uint64_t kills = environment_count("HOLDFAST_CRASH_KILLS", 20);
  const std::uint64_t first_seed = environment_number("HOLDFAST_CRASH_SEED", 1);
  const std::uint64_t most_settled = environment_count("HOLDFAST_CRASH_SETTLED", 3000);
  const std::uint64_t per_directory = environment_count("HOLDFAST_CRASH_PER_DIRECTORY", kKillsPerDirectory);
  const SteadyTime end = std::chrono::steady_clock::now() +
                         std::chrono::seconds(environment_count("HOLDFAST_CRASH_SECONDS", 1'000'000));
  const auto goes_on = [&](std::uint64_t kill) {
    return kill < kills && std::chrono::steady_clock::now() < end;
  };
  for (std::uint64_t kill = 0; goes_on(kill);) {
    const TempDir directory;
    Oracle oracle;
    for (std::uint64_t round = 0; round < per_directory && goes_on(kill); ++round, ++kill) {
      const std::uint64_t seed = first_seed + kill;
      const std::string how = seed % 2 == 0 ? "embedded" : "served";
      // What earlier kills have left in the directory matters too, so they are repeated.
      SCOPED_TRACE(::testing::Message() << "seed " << seed << "\nagain: HOLDFAST_CRASH_SEED=" << seed - round
                                        << " HOLDFAST_CRASH_KILLS=" << round + 1 << " HOLDFAST_CRASH_SETTLED="
                                        << most_settled << " HOLDFAST_CRASH_PER_DIRECTORY=" << per_directory);
      Random random(seed);
      const std::uint64_t settled = random.below(random.one_in(4) ? 30 : most_settled);
      run_and_kill(directory / "data", how, seed * 1000, round, settled, end, oracle);
      if (HasFatalFailure()) return;
      const std::string found = check(directory / "data", round, oracle);
      std::cout << "seed " << seed << ", " << how << ": killed after " << settled << " settled operations, "
                << found << std::endl;
      if (HasFailure()) return;
    }
  }
}

// The first kills hit the commits of the opening and of the queues, and later kills any commits.
TEST(CrashTest, AProcessKilledAtANamedPointLosesNothingThatWasAnswered) {
  const std::uint64_t kills = environment_count("HOLDFAST_CRASH_KILLS", 20);
  const std::uint64_t seed = environment_number("HOLDFAST_CRASH_SEED", 1);
  Random random(seed);
  for (const std::string point : {"before_commit", "after_commit", "after_fsync"}) {
    std::vector<std::uint64_t> when{1, 2, 3, 7, 20, 100};
    for (std::uint64_t i = 0; i < kills / 10; ++i) when.push_back(random.between(1, 1000));
    std::optional<TempDir> directory;
    std::optional<Oracle> oracle;
    for (std::uint64_t kill = 0; kill < when.size(); ++kill) {
      const std::uint64_t round = kill % kKillsPerDirectory;
      if (round == 0) {
        directory.emplace();
        oracle.emplace();
      }
      const std::string how = kill % 2 == 0 ? "embedded" : "served";
      SCOPED_TRACE(::testing::Message()
                   << how << ", " << point << ", the " << when[kill]
                   << ". time\nagain: HOLDFAST_CRASH_SEED=" << seed << " HOLDFAST_CRASH_KILLS=" << kills);
      run_to(how, point, when[kill], *directory / "data", round, *oracle);
      if (HasFatalFailure()) return;
      check(*directory / "data", round, *oracle);
      if (HasFailure()) return;
    }
  }
}

TEST(CrashTest, AProcessKilledBetweenAFamilyAndItsNameOpensAgain) {
  const TempDir directory;
  Oracle oracle;
  run_to("embedded", "after_family", 1, directory / "data", 0, oracle);
  check(directory / "data", 0, oracle);
}

}  // namespace
}  // namespace holdfast::testing
