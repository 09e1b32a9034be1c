// The benchmarks there are, and what they need from the run they are in.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/line.h"

namespace holdfast::bench {

struct Settings {
  std::filesystem::path data;  // where benchmarks put their data: a real disk, or fsync means nothing
  int rounds = 15;             // contenders alternate this often
  std::chrono::duration<double> slice = std::chrono::milliseconds(200);  // of one contender in one round
};

// What a benchmark is run with.
class Run {
 public:
  virtual ~Run() = default;
  virtual const Settings& settings() const = 0;
  // Whether the user picked the line: work that no picked line needs is left out.
  virtual bool wanted(const std::string& line) const = 0;
  virtual void add(Line line) = 0;
};

enum class Set {
  kHeadline,  // always
  kLarge,     // 10 million messages: not with --quick
  kScaling,   // for the plots: only when asked for
};

struct Case {
  std::string name;                     // Google Benchmark's name for it
  std::vector<std::string> lines = {};  // the lines it gives; empty: one, called as it is
  Set set = Set::kHeadline;
  bool once = false;  // one round: its preparation takes long
  std::function<void(benchmark::State&, Run&)> body = {};
};

std::vector<Case> lifecycle_cases();
std::vector<Case> sqlite_cases();
std::vector<Case> contended_cases();
std::vector<Case> poison_cases();
std::vector<Case> redrive_cases();
std::vector<Case> dead_letters_cases();
std::vector<Case> find_dead_letters_cases();
std::vector<Case> schedule_cases();
std::vector<Case> backlog_cases();
std::vector<Case> queues_cases();
std::vector<Case> scaling_cases();
std::vector<Case> semantics_cases();

}  // namespace holdfast::bench
