// The numbers that a server counts about itself.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "holdfast/error.h"
#include "holdfast/statistics.h"
#include "server/bounds/in_flight.h"

namespace holdfast::server {

// SharedHistogram is a histogram that any thread may add to and read.
class SharedHistogram {
 public:
  void add(std::uint64_t value) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    buckets_[Histogram::bucket_of(value)].fetch_add(1, kRelaxed);
    sum_.fetch_add(value, kRelaxed);
  }

  Histogram read() const {
    Histogram copy;
    for (std::size_t i = 0; i < copy.buckets.size(); ++i) {
      copy.buckets[i] = buckets_[i].load(std::memory_order_relaxed);
      copy.count += copy.buckets[i];
    }
    copy.sum = sum_.load(std::memory_order_relaxed);
    return copy;
  }

 private:
  std::array<std::atomic<std::uint64_t>, Histogram::kBuckets> buckets_{};
  std::atomic<std::uint64_t> sum_ = 0;
};

// Any thread may write and read it. It lives as long as the Server does.
class Meter {
 public:
  // There are fewer names of calls (logging/method_names.h) than kMethods, and fewer error codes than
  // kErrorCodes.
  static constexpr std::size_t kMethods = 64;
  static constexpr std::size_t kErrorCodes = 64;

  // Measures one call, and counts it as in flight as long as this object lives.
  class Timed {
   public:
    Timed(Meter& meter, std::size_t method) : meter_(meter), method_(method) { ++meter_.calls_in_flight; }
    ~Timed() {
      --meter_.calls_in_flight;
      const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(elapsed()).count();
      if (method_ < kMethods) meter_.calls[method_].add(static_cast<std::uint64_t>(micros));
    }
    std::chrono::steady_clock::duration elapsed() const { return std::chrono::steady_clock::now() - start_; }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    Meter& meter_;
    const std::size_t method_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  // Counts an error that answers a whole call.
  void count_error(ErrorCode code) {
    const auto number = static_cast<std::size_t>(code);
    if (number < kErrorCodes) errors[number].fetch_add(1, std::memory_order_relaxed);
  }

  std::atomic<std::size_t> connections = 0;  // open connections, including those that are being closed
  std::atomic<std::uint64_t> opened = 0;     // how many connections were made since the start
  std::atomic<std::uint64_t> refused = 0;    // how many connections were refused, or lost their seats
  std::atomic<std::size_t> calls_in_flight = 0;
  InFlight in_flight;  // the deliveries that DrainStatus::in_flight counts
  std::atomic<bool> draining = false;
  std::atomic<bool> stopping = false;
  std::array<SharedHistogram, kMethods> calls;  // durations in microseconds, by the method's name
  std::array<std::atomic<std::uint64_t>, kErrorCodes> errors{};
};

}  // namespace holdfast::server
