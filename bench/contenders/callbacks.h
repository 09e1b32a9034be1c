// Many callers at once, on callbacks: no thread each.
#pragma once

#include <chrono>
#include <cstddef>

#include "bench/meter.h"
#include "holdfast/engine.h"

namespace holdfast::bench {

// What run_threads() does, with `callers` sends and `callers` receives under way at any time instead of
// threads.
Sample run_callbacks(Engine& engine, std::size_t callers, std::size_t body_bytes,
                     std::chrono::duration<double> duration);

}  // namespace holdfast::bench
