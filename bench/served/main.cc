// holdfast-bench-served measures holdfastd through its client on loopback, beside the engine without a server
// and a server without an engine. tools/bench --served builds it and passes its arguments on.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <regex>
#include <span>
#include <utility>
#include <vector>

#include "bench/harness/temp_dir.h"
#include "bench/pipeline/contest_command.h"
#include "bench/served/echo_service.h"
#include "bench/served/embedded_service.h"
#include "bench/served/holdfast_service.h"

namespace {

using namespace holdfast::bench;
using holdfast::Durability;

// Makes a load that is far below what the server can do, so that the latencies are its own and not those of a
// full queue.
Shape paced(Durability durability) {
  Shape calm = symmetric(1, 1, kKiB, durability);
  calm.producers = 8;
  calm.take = 100;
  calm.rate = 1000;
  return calm;
}

bool is_headline(const Shape& shape) {
  const std::size_t batch = shape.workload.batch;
  return shape.workload.body_bytes == kKiB && batch != 10 && (shape.producers != 64 || batch == 1);
}

std::vector<Shape> shapes(bool full) {
  std::vector<Shape> all;
  for (const auto durability : {Durability::kFsync, Durability::kBuffered}) {
    all.push_back(paced(durability));
    std::ranges::move(loads(durability, full, is_headline), std::back_inserter(all));
  }
  return all;
}

void run(const ContestArguments& arguments) {
  const std::regex filter(arguments.filter);
  const auto picked = [&](const Service& service, const Shape& shape) {
    return std::regex_search(line_name(arguments.contest.family, service, shape), filter);
  };
  const TempDir directory(std::filesystem::absolute(arguments.data));
  const HoldfastServer server(directory.path());
  HoldfastService push(server, Take::kPush, "push");
  HoldfastService poll(server, Take::kPoll, "poll");
  EmbeddedService embedded(directory.path());
  EchoService echo(directory.path());
  const std::vector<Service*> contenders = {&embedded, &push, &poll, &echo};
  std::vector<std::pair<Shape, std::vector<Service*>>> contests;
  for (const Shape& shape : shapes(arguments.full)) {
    std::vector<Service*> services;
    for (Service* service : contenders) {
      if (picked(*service, shape)) services.push_back(service);
    }
    if (!services.empty()) contests.emplace_back(shape, std::move(services));
  }
  if (contests.empty()) throw BenchError(kNoMatch);
  if (!arguments.contest.json) print_standings_head(std::cout);
  for (const auto& [shape, services] : contests) {
    auto standings = hold_contest(arguments.contest, shape, services);
    if (services.front() == &embedded) {
      for (Standing& standing : std::span(standings).subspan(1)) standing.reference = &standings.front();
    }
    for (const Standing& standing : standings) print_standing(std::cout, standing, arguments.contest.json);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("holdfastd on loopback, beside the embedded engine and an echo.", "holdfast-bench-served");
  ContestArguments arguments{.contest = {.family = "served"}, .filter = {}};
  add_contest_options(app, arguments, "Only lines whose name this regular expression finds");
  bool list = false;
  app.add_flag("--list", list, "Print the names and stop");
  std::string address;
  auto* echo = app.add_subcommand("serve-echo")->group("");
  echo->add_option("address", address)->required();
  CLI11_PARSE(app, argc, argv);
  return run_contests([&] {
    if (*echo) serve_echo(address);
    if (!list) return run(arguments);
    for (const Shape& shape : shapes(arguments.full)) std::cout << "served/*/" << shape_name(shape) << '\n';
  });
}
