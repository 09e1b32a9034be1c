#include "bench/harness/meter.h"

#include <ctime>
#include <fstream>
#include <string>

#include "bench/harness/allocations.h"

namespace holdfast::bench {
namespace {

double process_cpu_seconds() {
  timespec now{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double status_mib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != field) continue;
    double kib = 0;
    status >> kib;
    return kib / 1024;
  }
  return 0;
}

}  // namespace

Sample& Sample::operator+=(const Sample& other) {
  messages += other.messages;
  seconds += other.seconds;
  cpu_seconds += other.cpu_seconds;
  allocations += other.allocations;
  laps.insert(laps.end(), other.laps.begin(), other.laps.end());
  return *this;
}

void Meter::start() {
  allocations_started_ = allocation_count();
  cpu_started_ = process_cpu_seconds();
  started_ = std::chrono::steady_clock::now();
}

void Meter::stop(std::uint64_t messages) {
  total_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const double cpu_seconds = process_cpu_seconds() - cpu_started_;
  total_.cpu_seconds += cpu_seconds;
  total_.allocations += allocation_count() - allocations_started_;
  total_.messages += messages;
  if (messages > 0) total_.laps.push_back(cpu_seconds * 1e6 / static_cast<double>(messages));
}

double resident_mib() { return status_mib("VmRSS:"); }
double peak_resident_mib() { return status_mib("VmHWM:"); }

void reset_peak_resident() {
  std::ofstream("/proc/self/clear_refs") << '5';  // proc(5): this resets the peak resident set size
}

}  // namespace holdfast::bench
