// A Lifecycle leads messages through their lives: it sends, receives and acks them in whatever keeps them.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/harness/meter.h"
#include "bench/harness/workload.h"

namespace holdfast::bench {

// Messages pass through a Lifecycle. It has one caller, and one batch at a time. Calls throw BenchError.
class Lifecycle {
 public:
  virtual ~Lifecycle() = default;

  // Sends the bodies as one batch, receives as many messages under a lease, and acknowledges them. Sends and
  // acks are as durable as the workload says, and leases are buffered. Returns the sum of the received
  // stamps, which proves that every body was read.
  virtual std::uint64_t run(Bodies bodies) = 0;
};

// Runs lifecycles for about `duration`. Making the bodies is not measured. Throws BenchError if what was
// received is not what was sent.
Sample run_lifecycles(Lifecycle& lifecycle, BodySource& bodies, std::size_t batch,
                      std::chrono::duration<double> duration);

}  // namespace holdfast::bench
