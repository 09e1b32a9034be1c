#include "bench/runner.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "bench/cases/cases.h"
#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

bool in_set(const Case& one, const RunOptions& options) {
  switch (one.set) {
    case Set::kHeadline:
      return !options.scaling;
    case Set::kLarge:
      return !options.scaling && !options.quick;
    case Set::kScaling:
      return options.scaling;
  }
  return false;
}

std::vector<std::string> wanted_lines(const Case& one, const RunOptions& options) {
  std::vector<std::string> lines = one.lines.empty() ? std::vector{one.name} : one.lines;
  std::erase_if(lines, [&](const auto& line) { return !std::regex_search(line, options.filter); });
  return lines;
}

// Collects the lines and the failures of the benchmark that is running. The failures do not go through Google
// Benchmark, since each of its releases reports them differently.
class LineRun final : public Run {
 public:
  explicit LineRun(const RunOptions& options) : options_(options) {}

  const Settings& settings() const override { return options_.settings; }
  bool wanted(const std::string& line) const override { return std::regex_search(line, options_.filter); }
  void add(Line line) override { lines_.push_back(std::move(line)); }
  void fail(std::string what) { failures_.push_back(std::move(what)); }
  std::vector<Line> take() { return std::exchange(lines_, {}); }
  std::vector<std::string> take_failures() { return std::exchange(failures_, {}); }

 private:
  const RunOptions& options_;
  std::vector<Line> lines_;
  std::vector<std::string> failures_;
};

// Prints lines instead of Google Benchmark's own table, and prints failures to standard error.
class LineReporter final : public benchmark::BenchmarkReporter {
 public:
  LineReporter(LineRun& run, bool json) : run_(run), json_(json) {}

  bool failed() const { return failed_; }

  bool ReportContext(const Context& /*context*/) override {
    if (!json_) print_table_head(std::cout);
    return true;
  }

  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& /*reports*/) override {
    for (const auto& failure : run_.take_failures()) {
      failed_ = true;
      std::cerr << failure << std::endl;
    }
    for (const auto& line : run_.take())
      json_ ? print_json(std::cout, line) : print_table_row(std::cout, line);
  }

 private:
  LineRun& run_;
  bool json_;
  bool failed_ = false;
};

void register_case(const Case& one, LineRun& run) {
  auto* registered = benchmark::RegisterBenchmark(one.name.c_str(), [&](benchmark::State& state) {
    try {
      one.body(state, run);
    } catch (const BenchError& error) {
      run.fail(one.name + ": " + error.what());
      state.SkipWithError(error.what());
    }
  });
  registered->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(one.once ? 1 : run.settings().rounds);
}

}  // namespace

std::vector<Case> picked_cases(const RunOptions& options) {
  std::vector<Case> picked;
  for (const auto& cases :
       {lifecycle_cases(), sqlite_cases(), contended_cases(), poison_cases(), redrive_cases(),
        dead_letters_cases(), find_dead_letters_cases(), schedule_cases(), backlog_cases(), queues_cases(),
        scaling_cases(), semantics_cases()}) {
    std::ranges::copy_if(cases, std::back_inserter(picked), [&](const Case& one) {
      return in_set(one, options) && !wanted_lines(one, options).empty();
    });
  }
  return picked;
}

std::vector<std::string> picked_lines(const RunOptions& options) {
  std::vector<std::string> lines;
  for (const auto& one : picked_cases(options))
    std::ranges::move(wanted_lines(one, options), std::back_inserter(lines));
  return lines;
}

int run_cases(const std::vector<Case>& cases, const RunOptions& options) {
  std::vector<std::string> arguments = {"holdfast-bench"};
  if (!options.history.empty()) {
    arguments.push_back("--benchmark_out=" + options.history);
    arguments.push_back("--benchmark_out_format=json");
  }
  std::vector<char*> argv;
  argv.reserve(arguments.size());
  for (auto& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());

  LineRun run(options);
  LineReporter reporter(run, options.json);
  for (const auto& one : cases) register_case(one, run);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return reporter.failed() ? 1 : 0;
}

}  // namespace holdfast::bench
