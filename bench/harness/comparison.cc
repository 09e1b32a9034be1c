#include "bench/harness/comparison.h"

#include <algorithm>

#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

// Returns the median of one number of all samples.
double median_of(const std::vector<Sample>& samples, double (Sample::*number)() const) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const auto& sample : samples) values.push_back((sample.*number)());
  return median(std::move(values));
}

double median_ratio(const std::vector<Sample>& subject, const std::vector<Sample>& reference) {
  std::vector<double> ratios;
  ratios.reserve(subject.size());
  for (std::size_t i = 0; i < subject.size(); ++i) ratios.push_back(subject[i].rate() / reference[i].rate());
  return median(std::move(ratios));
}

// Returns the 5th percentile of the CPU times of all laps. Nothing if there are too few laps for one.
std::optional<double> quiet_cpu_of(const std::vector<Sample>& samples) {
  Sample all;
  for (const auto& sample : samples) all += sample;
  if (all.laps.size() < 20) return std::nullopt;
  const auto quiet = all.laps.begin() + static_cast<std::ptrdiff_t>(all.laps.size() / 20);
  std::ranges::nth_element(all.laps, quiet);
  return *quiet;
}

Line subject_line(const std::string& name, const std::vector<Sample>& samples) {
  return {.name = name,
          .value = median_of(samples, &Sample::rate),
          .cpu_microseconds = median_of(samples, &Sample::cpu_microseconds),
          .quiet_cpu_microseconds = quiet_cpu_of(samples),
          .allocations = median_of(samples, &Sample::allocations_per_message)};
}

void count(benchmark::State& state, const std::string& prefix, const std::vector<Sample>& samples) {
  state.counters[prefix + "messages_per_second"] = median_of(samples, &Sample::rate);
  state.counters[prefix + "cpu_us_per_message"] = median_of(samples, &Sample::cpu_microseconds);
  if (const auto quiet = quiet_cpu_of(samples)) state.counters[prefix + "quiet_cpu_us_per_message"] = *quiet;
  state.counters[prefix + "allocations_per_message"] = median_of(samples, &Sample::allocations_per_message);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void compare(benchmark::State& state, Run& run, const std::string& name, const Slice& subject,
             const std::vector<Reference>& references) {
  std::vector<Slice> slices = {subject};
  for (const auto& reference : references) slices.push_back(reference.slice);
  std::vector<std::vector<Sample>> samples(slices.size());

  for (const auto& slice : slices) {
    if (slice(run.settings().slice).messages == 0) throw BenchError("no message came through");
  }
  for (int round = 0; state.KeepRunning(); ++round) {
    for (std::size_t turn = 0; turn < slices.size(); ++turn) {
      // The order turns around in each round, so that nobody always comes after the same contender.
      const std::size_t which = round % 2 == 0 ? turn : slices.size() - 1 - turn;
      samples[which].push_back(slices[which](run.settings().slice));
    }
    state.SetIterationTime(samples.front().back().seconds);
  }

  count(state, "", samples.front());
  if (references.empty()) run.add(subject_line(name, samples.front()));
  for (std::size_t i = 0; i < references.size(); ++i) {
    const auto& reference = samples[i + 1];
    const std::string prefix = "reference" + std::to_string(i + 1) + "_";
    Line line = subject_line(references[i].line, samples.front());
    line.reference = references[i].description;
    line.reference_value = median_of(reference, &Sample::rate);
    line.ratio = median_ratio(samples.front(), reference);
    count(state, prefix, reference);
    state.counters[prefix + "ratio"] = *line.ratio;
    run.add(std::move(line));
  }
}

}  // namespace holdfast::bench
