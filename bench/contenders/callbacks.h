// Many callers at once that use callbacks, without a thread for each.
#pragma once

#include <chrono>
#include <cstddef>

#include "bench/harness/meter.h"
#include "holdfast/engine.h"

namespace holdfast::bench {

// Does what run_threads() does, but has `callers` sends and `callers` receives under way at any time instead
// of threads.
Sample run_callbacks(Engine& engine, std::size_t callers, std::size_t body_bytes,
                     std::chrono::duration<double> duration);

}  // namespace holdfast::bench
