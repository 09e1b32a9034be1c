// Producers and consumers at work through a service, each with a connection and a thread of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

struct Shape {
  std::size_t producers = 1;
  std::size_t consumers = 1;
  Workload workload;
  std::size_t take = 0;             // the most messages that a consumer takes at a time; 0: a batch
  std::optional<double> rate = {};  // messages a second of all producers together; none: as many as they can
};

// Returns a name such as "8+8/1KiB/batch100/fsync" or "8+1/1KiB/batch1/fsync/1000ps".
std::string shape_name(const Shape& shape);

// Latencies in microseconds.
class Latencies {
 public:
  void add(double microseconds) { values_.push_back(static_cast<float>(microseconds)); }
  void add(const Latencies& other) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  }
  bool empty() const { return values_.empty(); }
  // Returns a percentile: 0.99 is the 99th. It is 0 if there are no values.
  double percentile(double share);

 private:
  std::vector<float> values_;
};

// A Passage is what came through in one turn.
struct Passage {
  std::uint64_t messages = 0;
  double seconds = 0;
  // With a rate, both are counted from when a send is due, and else from when it begins.
  Latencies send;      // of each call
  Latencies delivery;  // of each message, until its consumer has it
  double server_cpu_seconds = 0;
  double server_memory_mib = 0;  // at the end
  double own_cpu_seconds = 0;    // the CPU time of this process, which has the producers and consumers

  double rate() const { return static_cast<double>(messages) / seconds; }
};

class Pipeline {
 public:
  // Connects the producers and consumers.
  Pipeline(Service& service, const std::string& queue, const Shape& shape);

  // Runs for about `duration`. At most kAhead batches per producer are on their way at a time, so that
  // latencies are those of a queue that is being emptied. Throws BenchError if a message got lost.
  Passage run(std::chrono::duration<double> duration);

  static constexpr std::size_t kAhead = 16;

 private:
  const Shape shape_;
  const pid_t server_;
  std::vector<std::unique_ptr<Producer>> producers_;
  std::vector<std::unique_ptr<Consumer>> consumers_;
};

}  // namespace holdfast::bench
