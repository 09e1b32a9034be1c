// Contenders measured side by side. The machine's speed drifts, by others' work and its own disk, so
// contenders take turns in short slices, and a ratio is the median of the ratios of the rounds.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/meter.h"
#include "bench/suite.h"

namespace holdfast::bench {

using Slice = std::function<Sample(std::chrono::duration<double>)>;

// What a subject is compared with: gives one line.
struct Reference {
  std::string line;
  std::string description;
  Slice slice;
};

// Runs the rounds of `state`, with an unmeasured one first, and adds a line for each reference (for the
// subject alone, called `name`, if there is none). Counters of the state: what the lines say, and CPU and
// allocations per message of all.
void compare(benchmark::State& state, Run& run, const std::string& name, const Slice& subject,
             const std::vector<Reference>& references);

double median(std::vector<double> values);

}  // namespace holdfast::bench
