// CrashableEngine is an engine in memory, of a process that can die and on a machine that can lose its power.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {

enum class Crash : std::uint8_t {
  kProcess,
  kMachine,  // what was not synced may be lost; the disk's seed says how much
};

class CrashableEngine {
 protected:
  // Without `archive`, retention deletes nothing.
  explicit CrashableEngine(std::uint64_t seed, std::filesystem::path archive = {})
      : disk_(std::make_shared<MemoryDisk>(seed)), archive_(std::move(archive)) {
    open();
  }
  ~CrashableEngine() = default;

  void open() {
    engine_.reset();
    power_ = power_on();
    engine_.emplace(must(
        EngineInside::open_over(std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_),
                                {.clock = &clock_, .background = false, .archive_directory = archive_})));
  }

  // Ends the process or the machine. The engine is not told.
  void end(Crash how) {
    *power_ = false;
    engine_.reset();
    if (how == Crash::kMachine) disk_->crash();
  }

  void crash(Crash how = Crash::kMachine) {
    end(how);
    open();
  }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_;
  std::optional<Engine> engine_;

 private:
  const std::filesystem::path archive_;
  PowerSwitch power_;
};

}  // namespace holdfast::testing
