// Send, receive, ack: the life of a message, in whatever keeps the messages.
#pragma once

#include <chrono>
#include <cstdint>

#include "bench/meter.h"
#include "bench/workload.h"

namespace holdfast::bench {

// Something that messages live in. One caller, one batch at a time. Calls throw BenchError.
class Lifecycle {
 public:
  virtual ~Lifecycle() = default;

  // Sends the bodies as one batch, receives as many messages under a lease and acknowledges them, each
  // step as durable as the step's promise asks: sends and acks as the workload says, leases buffered.
  // Gives the sum of the received stamps: proof that every body was read.
  virtual std::uint64_t run(Bodies bodies) = 0;
};

// Lifecycles for about `duration`. Making the bodies is not measured. Throws BenchError if what was received
// is not what was sent.
Sample run_lifecycles(Lifecycle& lifecycle, BodySource& bodies, std::size_t batch,
                      std::chrono::duration<double> duration);

}  // namespace holdfast::bench
