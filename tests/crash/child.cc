// The process that the kill test kills: crash_child <directory> <seed> <round>.
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "crash/load.h"

int main(int argc, char** argv) {
  using namespace holdfast;
  using namespace holdfast::testing;
  if (argc != 4) return 2;
  const std::uint64_t seed = std::stoull(argv[2]);
  const std::uint64_t round = std::stoull(argv[3]);

  // Each round begins after everything that the round before, or its check, may have put off.
  ManualClock clock(kTestEpoch + std::chrono::hours(24) * static_cast<std::int64_t>(round));
  auto engine = Engine::open(argv[1], {.clock = &clock, .background = false});
  if (!engine) {
    std::cerr << "open: " << to_string(engine.error()) << std::endl;
    return 1;
  }
  declare_crash_queues(*engine);
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] { run_load(*engine, clock, seed, thread, round); });
  }
  for (std::thread& thread : threads) thread.join();
}
