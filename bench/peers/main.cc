// holdfast-bench-peers measures holdfastd beside other brokers, each at the same stated durability. ./run
// builds it and passes its arguments on.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <regex>

#include "bench/harness/temp_dir.h"
#include "bench/peers/beanstalkd.h"
#include "bench/peers/postgresql.h"
#include "bench/peers/rabbitmq.h"
#include "bench/peers/redis.h"
#include "bench/pipeline/contest_command.h"
#include "bench/served/holdfast_service.h"

namespace {

using namespace holdfast::bench;
using holdfast::Durability;

bool is_headline(const Shape& shape) {
  const auto& [body_bytes, batch, durability] = shape.workload;
  return body_bytes == kKiB &&
         ((shape.producers == 1 && batch != 10) || (shape.producers == 8 && batch == 1));
}

using Start = std::unique_ptr<Service> (*)(const std::filesystem::path&, Durability);

// Returns the brokers that start. For one that does not, it says that it is left out.
std::vector<std::unique_ptr<Service>> start_peers(const std::filesystem::path& directory,
                                                  Durability durability) {
  std::vector<std::unique_ptr<Service>> peers;
  for (const Start start : {start_redis, start_beanstalkd, start_rabbitmq, start_postgresql}) {
    try {
      peers.push_back(start(directory, durability));
    } catch (const BenchError& error) {
      std::cerr << "left out: " << error.what() << '\n';
    }
  }
  return peers;
}

// Compares holdfastd's standings, which are the first two, with the best of the others.
void compare(std::vector<Standing>& standings) {
  constexpr std::ptrdiff_t kOurs = 2;
  if (std::ssize(standings) <= kOurs) return;
  const auto best =
      std::max_element(standings.begin() + kOurs, standings.end(),
                       [](const Standing& a, const Standing& b) { return a.rate() < b.rate(); });
  for (auto ours = standings.begin(); ours != standings.begin() + kOurs; ++ours) ours->reference = &*best;
}

std::vector<Shape> picked_loads(const ContestArguments& arguments, Durability durability) {
  const std::regex filter(arguments.filter);
  std::vector<Shape> picked = loads(durability, arguments.full, is_headline);
  std::erase_if(picked, [&](const Shape& shape) { return !std::regex_search(shape_name(shape), filter); });
  return picked;
}

// Runs loads of one durability, with brokers that are started for it.
void run(const ContestArguments& arguments, Durability durability, const std::vector<Shape>& shapes) {
  if (shapes.empty()) return;
  const TempDir directory(std::filesystem::absolute(arguments.data));
  // Servers that do not run as root look into their parts of the directory.
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  const HoldfastServer server(directory.path());
  HoldfastService push(server, Take::kPush, "holdfastd");
  HoldfastService poll(server, Take::kPoll, "holdfastd-poll");
  const auto peers = start_peers(directory.path(), durability);
  std::vector<Service*> services = {&push, &poll};
  for (const auto& peer : peers) services.push_back(peer.get());
  for (const Shape& shape : shapes) {
    auto standings = hold_contest(arguments.contest, shape, services);
    compare(standings);
    for (const Standing& standing : standings) print_standing(std::cout, standing, arguments.contest.json);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("holdfastd beside Redis streams, beanstalkd, RabbitMQ and PostgreSQL.",
               "holdfast-bench-peers");
  ContestArguments arguments{.contest = {.family = "peers", .turn = std::chrono::seconds(1)}, .filter = {}};
  add_contest_options(app, arguments,
                      "Only loads (1+1/1KiB/batch100/fsync) that this regular expression finds");
  CLI11_PARSE(app, argc, argv);
  return run_contests([&] {
    const auto with_fsync = picked_loads(arguments, Durability::kFsync);
    const auto buffered = picked_loads(arguments, Durability::kBuffered);
    if (with_fsync.empty() && buffered.empty()) throw BenchError(kNoMatch);
    if (!arguments.contest.json) print_standings_head(std::cout);
    run(arguments, Durability::kFsync, with_fsync);
    run(arguments, Durability::kBuffered, buffered);
  });
}
