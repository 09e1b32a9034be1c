// A directory of format version 1 with something of everything in it.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "holdfast/engine.h"
#include "tests/golden/manifest.h"
#include "tests/support/manual_clock.h"

namespace holdfast::golden {

// Returns the queues by name, as they were declared.
std::map<std::string, QueueOptions> queues_of_version_1();

// kWrittenAt is the time at which the directory was closed.
inline constexpr Timestamp kWrittenAt = testing::kTestEpoch + std::chrono::minutes(1);

// Fills an engine that was just created.
void write_version_1(Engine& engine, testing::ManualClock& clock, Manifest& manifest);

}  // namespace holdfast::golden
