// Measures contenders side by side. The machine's speed drifts, because of other work and of its own disk. So
// contenders take turns in short slices, and a ratio is the median of the ratios of the rounds.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/harness/meter.h"
#include "bench/harness/suite.h"

namespace holdfast::bench {

using Slice = std::function<Sample(std::chrono::duration<double>)>;

// A Reference is what a subject is compared with. It makes one line.
struct Reference {
  std::string line;
  std::string description;
  Slice slice;
};

// Runs the rounds of `state`, after one that is not measured, and adds a line for each reference. Without
// references it adds a line `name` for the subject alone. The counters of the state have what the lines say,
// and CPU and allocations per message of all contenders.
void compare(benchmark::State& state, Run& run, const std::string& name, const Slice& subject,
             const std::vector<Reference>& references);

double median(std::vector<double> values);

}  // namespace holdfast::bench
