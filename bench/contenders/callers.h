// This header has many callers at once, each with a thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "bench/harness/meter.h"
#include "holdfast/engine.h"

namespace holdfast::bench {

inline constexpr Duration kWait = std::chrono::milliseconds(50);  // it bounds how long a run takes to stop

// Runs `callers` producers that send one message a call, and as many consumers that receive and acknowledge
// one message a call, on kQueue, with fsync, for about `duration`. Counts the acknowledged messages. Leaves
// the queue empty.
Sample run_threads(Engine& engine, std::size_t callers, std::size_t body_bytes,
                   std::chrono::duration<double> duration);

// Acknowledges everything that is left in kQueue. Returns the sum of the stamps.
std::uint64_t drain(Engine& engine);

}  // namespace holdfast::bench
