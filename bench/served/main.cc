// holdfast-bench-served: holdfastd through its client on loopback, beside the engine without a server and a
// server without an engine. tools/bench --served builds it and passes its arguments on.
#include <CLI/CLI.hpp>
#include <iostream>
#include <regex>
#include <span>

#include "pipeline/contest.h"
#include "served/echo_service.h"
#include "served/embedded_service.h"
#include "served/holdfast_service.h"
#include "temp_dir.h"

namespace {

using namespace holdfast::bench;
using holdfast::Durability;

constexpr std::size_t kKiB = 1024;

Shape shape(std::size_t callers, std::size_t batch, std::size_t body_bytes, Durability durability) {
  return {.producers = callers,
          .consumers = callers,
          .workload = {.body_bytes = body_bytes, .batch = batch, .durability = durability}};
}

// A load that is far from what the server can do: latencies that are its own, not those of a full queue.
Shape paced(Durability durability) {
  Shape calm = shape(1, 1, kKiB, durability);
  calm.producers = 8;
  calm.take = 100;
  calm.rate = 1000;
  return calm;
}

std::vector<Shape> shapes(bool full) {
  std::vector<Shape> all;
  for (const auto durability : {Durability::kFsync, Durability::kBuffered}) {
    all.push_back(paced(durability));
    for (const std::size_t callers : {1, 8, 64}) {
      for (const std::size_t batch : {1, 10, 100}) {
        for (const std::size_t body_bytes : {std::size_t{100}, kKiB, 64 * kKiB}) {
          const bool is_headline = body_bytes == kKiB && batch != 10 && (callers != 64 || batch == 1);
          if (full || is_headline) all.push_back(shape(callers, batch, body_bytes, durability));
        }
      }
    }
  }
  return all;
}

struct Arguments {
  ContestOptions contest{.family = "served"};
  std::filesystem::path data = std::filesystem::temp_directory_path();
  std::string filter;
  bool full = false;
  bool list = false;
};

void run(const Arguments& arguments) {
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
  if (!arguments.contest.json) print_standings_head(std::cout);
  for (const Shape& shape : shapes(arguments.full)) {
    std::vector<Service*> services;
    for (Service* service : contenders) {
      if (picked(*service, shape)) services.push_back(service);
    }
    auto standings = hold_contest(arguments.contest, shape, services);
    if (!services.empty() && services.front() == &embedded) {
      for (Standing& standing : std::span(standings).subspan(1)) standing.reference = &standings.front();
    }
    for (const Standing& standing : standings) print_standing(std::cout, standing, arguments.contest.json);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("holdfastd on loopback, beside the embedded engine and an echo.", "holdfast-bench-served");
  Arguments arguments;
  std::size_t turn_ms = 700;
  app.add_flag("--json", arguments.contest.json, "JSON objects, one a line, instead of a table");
  app.add_flag("--full", arguments.full, "The whole matrix: an hour");
  app.add_flag("--list", arguments.list, "Print the names and stop");
  app.add_option("--filter", arguments.filter, "Only loads whose name this regular expression finds")
      ->type_name("REGEX");
  app.add_option("--data", arguments.data, "Where the data goes: a real disk")->capture_default_str();
  app.add_option("--rounds", arguments.contest.rounds, "How often contenders take turns")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--turn", turn_ms, "Milliseconds of one turn")
      ->check(CLI::Range(10, 600'000))
      ->capture_default_str();
  std::string address;
  auto* echo = app.add_subcommand("serve-echo")->group("");
  echo->add_option("address", address)->required();
  CLI11_PARSE(app, argc, argv);

  try {
    if (*echo) serve_echo(address);
    arguments.contest.turn = std::chrono::milliseconds(turn_ms);
    if (!arguments.list) {
      run(arguments);
      return 0;
    }
    for (const Shape& shape : shapes(arguments.full)) std::cout << "served/*/" << shape_name(shape) << '\n';
    return 0;
  } catch (const std::regex_error& error) {
    std::cerr << "--filter: not a regular expression: " << error.what() << '\n';
  } catch (const BenchError& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}
