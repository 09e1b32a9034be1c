// The process that the kill test kills: crash_child <directory> <seed> <round> [<kill point> <nth>]. With a
// kill point it kills itself there.
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "crash/killing_store.h"
#include "crash/load.h"
#include "storage/rocksdb_store.h"

namespace holdfast::testing {
namespace {

Result<Engine> open(const std::vector<std::string>& arguments, const EngineOptions& options) {
  if (arguments.size() == 3) return Engine::open(arguments[0], options);
  auto store = open_rocksdb_store(arguments[0]);
  if (!store) return tl::unexpected(store.error());
  const auto point = parse_kill_point(arguments[3]);
  if (!point) return fail(ErrorCode::kInvalidArgument, "there is no kill point '" + arguments[3] + "'");
  return Engine::open(std::make_unique<KillingStore>(std::move(*store), *point, std::stoull(arguments[4])),
                      options);
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  using namespace holdfast;
  using namespace holdfast::testing;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 3 && arguments.size() != 5) return 2;
  const std::uint64_t seed = std::stoull(arguments[1]);
  const std::uint64_t round = std::stoull(arguments[2]);

  // Each round begins after everything that the round before, or its check, may have put off.
  ManualClock clock(kTestEpoch + std::chrono::hours(24) * static_cast<std::int64_t>(round));
  auto engine = open(arguments, {.clock = &clock, .background = false});
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
