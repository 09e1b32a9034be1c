// A seeded load of every verb, on an engine or through a server, for as long as the process lives.
#pragma once

#include <cstdint>
#include <string>

#include "holdfast/engine.h"
#include "tests/support/manual_clock.h"

namespace holdfast::testing {

void declare_crash_queues(Engine& engine);

// Transactions put the application's rows in kTransfers: one for each message that they send, by its key.
inline constexpr const char* kTransfers = "transfers";

// Runs one thread of the load. Time moves as the threads work. `broker` is the engine or a client of it; what
// only the engine has goes to it at once.
[[noreturn]] void run_load(Broker& broker, Engine& engine, ManualClock& clock, std::uint64_t seed,
                           std::uint64_t thread, std::uint64_t round);

}  // namespace holdfast::testing
