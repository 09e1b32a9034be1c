// Picks benchmarks and runs them with Google Benchmark.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "bench/harness/suite.h"

namespace holdfast::bench {

struct RunOptions {
  Settings settings;
  std::regex filter;
  bool json = false;
  bool quick = false;
  bool scaling = false;
  std::string history = {};  // the file for Google Benchmark's own JSON; empty: none
};

// Return the cases that have at least one picked line, and the names of those lines.
std::vector<Case> picked_cases(const RunOptions& options);
std::vector<std::string> picked_lines(const RunOptions& options);

// Runs the cases, and prints their lines as they come. Returns the exit status, which is 1 if a case failed.
int run_cases(const std::vector<Case>& cases, const RunOptions& options);

}  // namespace holdfast::bench
