// A seeded load of every verb on an engine, for as long as the process lives.
#pragma once

#include <cstdint>
#include <string>

#include "holdfast/engine.h"
#include "support/manual_clock.h"

namespace holdfast::testing {

void declare_crash_queues(Engine& engine);

// One thread of it. Time moves as the threads work.
[[noreturn]] void run_load(Engine& engine, ManualClock& clock, std::uint64_t seed, std::uint64_t thread,
                           std::uint64_t round);

}  // namespace holdfast::testing
