// holdfast-bench: runs the benchmarks that the user picks. tools/bench builds it and passes its arguments on.
#include <CLI/CLI.hpp>
#include <iostream>
#include <regex>

#include "bench/children/backlog_child.h"
#include "bench/children/queues_child.h"
#include "bench/harness/workload.h"
#include "bench/runner.h"

namespace {

using namespace holdfast::bench;

int run_benchmarks(const RunOptions& options, bool list) {
  const auto cases = picked_cases(options);
  if (cases.empty()) throw BenchError(kNoMatch);
  if (list) {
    for (const auto& line : picked_lines(options)) std::cout << line << '\n';
    return 0;
  }
  return run_cases(cases, options);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Benchmarks of the engine beside what it is compared with.", "holdfast-bench");
  RunOptions options;
  options.settings.data = std::filesystem::temp_directory_path();
  bool list = false;
  std::string filter;
  std::size_t slice_ms = 200;
  app.add_option("--filter", filter, "Only lines whose name this regular expression finds")
      ->type_name("REGEX");
  app.add_flag("--json", options.json, "A JSON object a line on standard output instead of a table");
  app.add_flag("--quick", options.quick, "Leave out the ten million messages");
  app.add_flag("--scaling", options.scaling, "The runs behind the plots instead of the headline ones");
  app.add_flag("--list", list, "Print the names and stop");
  app.add_option("--data", options.settings.data,
                 "Where the data goes: a real disk, 30 GiB free unless --quick")
      ->type_name("DIR")
      ->take_last()
      ->capture_default_str();
  app.add_option("--rounds", options.settings.rounds, "How often contenders take turns")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--slice", slice_ms, "Milliseconds of one turn")
      ->check(CLI::Range(10, 60'000))
      ->capture_default_str();
  app.add_option("--history", options.history, "Also write Google Benchmark's own JSON here")
      ->type_name("FILE");

  // Benchmarks that need processes of their own run these commands. They are not for people.
  std::filesystem::path directory;
  std::filesystem::path report;
  std::size_t count = 0;
  auto* fill = app.add_subcommand("fill-backlog")->group("");
  auto* measure = app.add_subcommand("measure-backlog")->group("");
  auto* create = app.add_subcommand("create-queues")->group("");
  auto* measure_idle = app.add_subcommand("measure-queues")->group("");
  for (auto* child : {fill, measure, create, measure_idle}) {
    child->add_option("directory", directory)->required();
    child->add_option("count", count)->required();
  }
  for (auto* child : {measure, measure_idle}) child->add_option("report", report)->required();
  CLI11_PARSE(app, argc, argv);

  try {
    if (*fill) fill_backlog(directory, count);
    if (*create) {
      create_queues(directory, count);
      return 0;
    }
    if (*measure_idle) {
      write_queues_report(measure_queues(directory, count), report);
      return 0;
    }
    if (*measure) {
      write_report(measure_backlog(directory, count), report);
      return 0;
    }
    options.settings.slice = std::chrono::milliseconds(slice_ms);
    options.filter = std::regex(filter);
    return run_benchmarks(options, list);
  } catch (const std::regex_error& error) {
    std::cerr << "--filter: not a regular expression: " << error.what() << '\n';
  } catch (const BenchError& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}
