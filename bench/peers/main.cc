// holdfast-bench-peers: holdfastd beside other brokers, each at the same stated durability. ./run builds it
// and passes its arguments on.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <regex>

#include "peers/beanstalkd.h"
#include "peers/postgresql.h"
#include "peers/rabbitmq.h"
#include "peers/redis.h"
#include "pipeline/contest.h"
#include "served/holdfast_service.h"
#include "temp_dir.h"

namespace {

using namespace holdfast::bench;
using holdfast::Durability;

constexpr std::size_t kKiB = 1024;

std::vector<Shape> shapes(bool full, Durability durability) {
  std::vector<Shape> all;
  for (const std::size_t callers : {1, 8, 64}) {
    for (const std::size_t batch : {1, 10, 100}) {
      for (const std::size_t body_bytes : {std::size_t{100}, kKiB, 64 * kKiB}) {
        const bool is_headline =
            body_bytes == kKiB && ((callers == 1 && batch != 10) || (callers == 8 && batch == 1));
        if (!full && !is_headline) continue;
        all.push_back({.producers = callers,
                       .consumers = callers,
                       .workload = {.body_bytes = body_bytes, .batch = batch, .durability = durability}});
      }
    }
  }
  return all;
}

struct Arguments {
  ContestOptions contest{.family = "peers"};
  std::filesystem::path data = std::filesystem::temp_directory_path();
  std::string filter;
  bool full = false;
};

using Start = std::unique_ptr<Service> (*)(const std::filesystem::path&, Durability);

// Those that start. One that does not is left out, in so many words.
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

// holdfastd, the first two, with the best of the others.
void compare(std::vector<Standing>& standings) {
  constexpr std::ptrdiff_t kOurs = 2;
  if (std::ssize(standings) <= kOurs) return;
  const auto best =
      std::max_element(standings.begin() + kOurs, standings.end(),
                       [](const Standing& a, const Standing& b) { return a.rate() < b.rate(); });
  for (auto ours = standings.begin(); ours != standings.begin() + kOurs; ++ours) ours->reference = &*best;
}

void run(const Arguments& arguments, Durability durability) {
  const std::regex filter(arguments.filter);
  std::vector<Shape> picked = shapes(arguments.full, durability);
  std::erase_if(picked, [&](const Shape& shape) { return !std::regex_search(shape_name(shape), filter); });
  if (picked.empty()) return;
  const TempDir directory(std::filesystem::absolute(arguments.data));
  // Servers that do not run as root look into their part of it.
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  const HoldfastServer server(directory.path());
  HoldfastService push(server, Take::kPush, "holdfastd");
  HoldfastService poll(server, Take::kPoll, "holdfastd-poll");
  const auto peers = start_peers(directory.path(), durability);
  std::vector<Service*> services = {&push, &poll};
  for (const auto& peer : peers) services.push_back(peer.get());
  for (const Shape& shape : picked) {
    auto standings = hold_contest(arguments.contest, shape, services);
    compare(standings);
    for (const Standing& standing : standings) print_standing(std::cout, standing, arguments.contest.json);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("holdfastd beside Redis streams, beanstalkd, RabbitMQ and PostgreSQL.",
               "holdfast-bench-peers");
  Arguments arguments;
  std::size_t turn_ms = 1000;
  app.add_flag("--json", arguments.contest.json, "JSON objects, one a line, instead of a table");
  app.add_flag("--full", arguments.full, "The whole matrix: an hour");
  app.add_option("--filter", arguments.filter,
                 "Only loads (1+1/1KiB/batch100/fsync) that this regular expression finds")
      ->type_name("REGEX");
  app.add_option("--data", arguments.data, "Where the data goes: a real disk")->capture_default_str();
  app.add_option("--rounds", arguments.contest.rounds, "How often contenders take turns")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--turn", turn_ms, "Milliseconds of one turn")
      ->check(CLI::Range(10, 600'000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  try {
    arguments.contest.turn = std::chrono::milliseconds(turn_ms);
    if (!arguments.contest.json) print_standings_head(std::cout);
    for (const auto durability : {Durability::kFsync, Durability::kBuffered}) run(arguments, durability);
    return 0;
  } catch (const std::regex_error& error) {
    std::cerr << "--filter: not a regular expression: " << error.what() << '\n';
  } catch (const BenchError& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}
