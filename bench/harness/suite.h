// A benchmark is a Case. Its body is given the Run that it is in.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness/line.h"

namespace holdfast::bench {

struct Settings {
  std::filesystem::path data;  // for the benchmarks' data; fsync means nothing unless it is a real disk
  int rounds = 15;             // how often contenders alternate
  std::chrono::duration<double> slice = std::chrono::milliseconds(200);  // of one contender in one round
};

// A Run is what surrounds a benchmark.
class Run {
 public:
  virtual ~Run() = default;
  virtual const Settings& settings() const = 0;
  // Returns whether the user picked the line. A benchmark leaves out work that no picked line needs.
  virtual bool wanted(const std::string& line) const = 0;
  virtual void add(Line line) = 0;
};

enum class Set {
  kHeadline,  // always run
  kLarge,     // has 10 million messages; not run with --quick
  kScaling,   // for the plots; run only when asked for
};

struct Case {
  std::string name;                     // Google Benchmark's name for it
  std::vector<std::string> lines = {};  // the lines that it makes; empty: one with the name of the case
  Set set = Set::kHeadline;
  bool once = false;  // only one round, since its preparation takes long
  std::function<void(benchmark::State&, Run&)> body = {};
};

}  // namespace holdfast::bench
