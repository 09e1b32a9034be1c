// The recorder is a histogram that many threads add to. Values that follow one another are mostly alike, so a
// run of them is added at once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "holdfast/statistics.h"

namespace holdfast {

class LatencyRecorder {
 public:
  // Adds the values of one call.
  class Run {
   public:
    explicit Run(LatencyRecorder& to) : to_(to) {}
    ~Run() { flush(); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void add(std::uint64_t value) {
      const std::size_t bucket = Histogram::bucket_of(value);
      if (bucket != bucket_) {
        flush();
        bucket_ = bucket;
      }
      ++count_;
      sum_ += value;
    }

   private:
    void flush() {
      if (count_ == 0) return;
      to_.buckets_[bucket_].fetch_add(count_, std::memory_order_relaxed);
      to_.sum_.fetch_add(sum_, std::memory_order_relaxed);
      count_ = sum_ = 0;
    }

    LatencyRecorder& to_;
    std::size_t bucket_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
  };

  Histogram read() const {
    Histogram result;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      result.buckets[i] = buckets_[i].load(std::memory_order_relaxed);
      result.count += result.buckets[i];
    }
    result.sum = sum_.load(std::memory_order_relaxed);
    return result;
  }

 private:
  std::array<std::atomic<std::uint64_t>, Histogram::kBuckets> buckets_{};
  std::atomic<std::uint64_t> sum_ = 0;
};

}  // namespace holdfast
