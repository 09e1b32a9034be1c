// Wall time, CPU time and allocations of the measured stretches of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace holdfast::bench {

// A Sample says what one contender did in its share of a round.
struct Sample {
  std::uint64_t messages = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // the CPU time of the whole process, with background flushes and compactions
  std::uint64_t allocations = 0;
  std::vector<double> laps = {};  // microseconds of CPU time per message of each measured stretch

  double rate() const { return static_cast<double>(messages) / seconds; }
  double cpu_microseconds() const { return cpu_seconds * 1e6 / static_cast<double>(messages); }
  double allocations_per_message() const {
    return static_cast<double>(allocations) / static_cast<double>(messages);
  }

  Sample& operator+=(const Sample& other);
};

// Meter is a stopwatch that adds up what passes between start() and stop().
class Meter {
 public:
  void start();
  void stop(std::uint64_t messages);

  const Sample& total() const { return total_; }

 private:
  Sample total_;
  std::chrono::steady_clock::time_point started_;
  double cpu_started_ = 0;
  std::uint64_t allocations_started_ = 0;
};

// Return the resident memory of this process in MiB: the present one, and the most since
// reset_peak_resident().
double resident_mib();
double peak_resident_mib();
void reset_peak_resident();

}  // namespace holdfast::bench
