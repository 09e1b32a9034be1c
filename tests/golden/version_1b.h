// A second directory of format version 1. It has redriven messages that were edited, acknowledged, or died
// elsewhere. Beside the data it has the other files that the engine writes: retention's archive and backups.
#pragma once

#include <filesystem>

#include "holdfast/engine.h"
#include "tests/golden/manifest.h"
#include "tests/support/manual_clock.h"

namespace holdfast::golden {

// kWrittenAt1b is the time at which the directory was closed.
inline constexpr Timestamp kWrittenAt1b = testing::kTestEpoch + std::chrono::hours(2);

// Fills an engine that was just created, and the directory `backups`.
void write_version_1b(Engine& engine, testing::ManualClock& clock, Manifest& manifest,
                      const std::filesystem::path& backups);

}  // namespace holdfast::golden
