// The process that the kill test kills: crash_child embedded|served <directory> <seed> <round> [<kill point>
// <nth>]. If it is served, the load goes through a server, with a client for each of its threads. With a kill
// point the process kills itself there.
#include <signal.h>
#include <spdlog/sinks/null_sink.h>
#include <sys/prctl.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/client.h"
#include "server/net/server.h"
#include "tests/crash/killing_store.h"
#include "tests/crash/load.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

struct Arguments {
  bool served;
  std::string directory;
  std::uint64_t seed;
  std::uint64_t round;
  std::optional<KillPoint> point;
  std::uint64_t nth = 0;
};

std::optional<Arguments> parse(const std::vector<std::string>& words) {
  if (words.size() != 4 && words.size() != 6) return std::nullopt;
  Arguments arguments{words[0] == "served", words[1], std::stoull(words[2]), std::stoull(words[3]), {}};
  if (words.size() == 4) return arguments;
  arguments.point = parse_kill_point(words[4]);
  arguments.nth = std::stoull(words[5]);
  return arguments.point ? std::optional(arguments) : std::nullopt;
}

Engine open(const Arguments& arguments, const ManualClock& clock) {
  const EngineOptions options{.clock = &clock, .background = false};
  if (!arguments.point) return must(Engine::open(arguments.directory, options));
  return must(
      EngineInside::open_over(std::make_unique<KillingStore>(must(open_rocksdb_store(arguments.directory)),
                                                             *arguments.point, arguments.nth),
                              options));
}

server::Server serve(Engine& engine) {
  auto log = std::make_shared<spdlog::logger>("quiet", std::make_shared<spdlog::sinks::null_sink_mt>());
  return must(server::Server::start(engine, {.listen = {"127.0.0.1:0"}, .log = std::move(log)}));
}

void run(const Arguments& arguments) {
  // Each round begins after everything that the round before it, or its check, may have put off.
  ManualClock clock(kTestEpoch + std::chrono::hours(24) * static_cast<std::int64_t>(arguments.round));
  Engine engine = open(arguments, clock);
  declare_crash_queues(engine);
  std::optional<server::Server> server;
  if (arguments.served) server = serve(engine);
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::optional<Client> client;
      if (server) client = must(Client::connect(server->addresses().front()));
      Broker& broker = client ? static_cast<Broker&>(*client) : engine;
      run_load(broker, engine, clock, arguments.seed, thread, arguments.round);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  const auto arguments = holdfast::testing::parse({argv + 1, argv + argc});
  if (!arguments) return 2;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a signal may end the test, and then this child
  try {
    holdfast::testing::run(*arguments);
  } catch (const std::exception& wrong) {
    std::cerr << wrong.what() << std::endl;
    return 1;
  }
}
