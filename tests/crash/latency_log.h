// Measures how long the load's calls take, for tools/soak. If HOLDFAST_CRASH_LATENCIES is set, each thread
// appends the median and the slowest of its calls to that file after every kCalls calls, in microseconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace holdfast::testing {

class LatencyLog {
 public:
  LatencyLog() {
    const char* path = std::getenv("HOLDFAST_CRASH_LATENCIES");  // NOLINT(concurrency-mt-unsafe): only read
    if (path != nullptr) file_.open(path, std::ios::app);
  }

  template <class Call>
  void time(Call&& call) {
    if (!file_.is_open()) return call();
    const auto begin = std::chrono::steady_clock::now();
    call();
    micros_.push_back(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin)
            .count());
    if (micros_.size() == kCalls) write();
  }

 private:
  static constexpr std::size_t kCalls = 200;

  void write() {
    std::ranges::sort(micros_);
    file_ << std::to_string(micros_[micros_.size() / 2]) + " " + std::to_string(micros_.back()) + "\n"
          << std::flush;
    micros_.clear();
  }

  std::ofstream file_;
  std::vector<std::int64_t> micros_;
};

}  // namespace holdfast::testing
