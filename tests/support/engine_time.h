// Makes time pass for an engine opened with background = false.
#pragma once

#include "holdfast/engine.h"
#include "tests/support/manual_clock.h"

namespace holdfast::testing {

// Does everything that is due now. A single call of run_due() does a bounded amount.
inline void run_due_until_quiet(Engine& engine, const Clock& clock) {
  while (engine.run_due() <= clock.now()) {
  }
}

inline void advance(Engine& engine, ManualClock& clock, Duration step) {
  clock.advance(step);
  run_due_until_quiet(engine, clock);
}

}  // namespace holdfast::testing
