#include "bench/pipeline/contest_command.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <regex>

#include "bench/harness/workload.h"

namespace holdfast::bench {

void add_contest_options(CLI::App& app, ContestArguments& arguments, const std::string& filter_help) {
  ContestOptions& contest = arguments.contest;
  app.add_flag("--json", contest.json, "JSON objects, one a line, instead of a table");
  app.add_flag("--full", arguments.full, "The whole matrix: an hour");
  app.add_option("--filter", arguments.filter, filter_help)->type_name("REGEX");
  app.add_option("--data", arguments.data, "Where the data goes: a real disk")
      ->take_last()
      ->capture_default_str();
  app.add_option("--rounds", contest.rounds, "How often contenders take turns")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  const auto set_turn = [&contest](const std::int64_t& ms) { contest.turn = std::chrono::milliseconds(ms); };
  app.add_option_function<std::int64_t>("--turn", set_turn, "Milliseconds of one turn")
      ->check(CLI::Range(10, 600'000))
      ->default_str(
          std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(contest.turn).count()));
}

Shape symmetric(std::size_t callers, std::size_t batch, std::size_t body_bytes, Durability durability) {
  return {.producers = callers,
          .consumers = callers,
          .workload = {.body_bytes = body_bytes, .batch = batch, .durability = durability}};
}

std::vector<Shape> loads(Durability durability, bool full,
                         const std::function<bool(const Shape&)>& is_headline) {
  std::vector<Shape> all;
  for (const std::size_t callers : {1, 8, 64}) {
    for (const std::size_t batch : {1, 10, 100}) {
      for (const std::size_t body_bytes : {std::size_t{100}, kKiB, 64 * kKiB}) {
        const Shape shape = symmetric(callers, batch, body_bytes, durability);
        if (full || is_headline(shape)) all.push_back(shape);
      }
    }
  }
  return all;
}

int run_contests(const std::function<void()>& run) {
  try {
    run();
    return 0;
  } catch (const std::regex_error& error) {
    std::cerr << "--filter: not a regular expression: " << error.what() << '\n';
  } catch (const BenchError& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}

}  // namespace holdfast::bench
