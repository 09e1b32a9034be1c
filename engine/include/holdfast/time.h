// This header declares times, durations and clocks. Time comes into the engine from outside, so that tests
// and simulations can drive it.
#pragma once

#include <chrono>
#include <string>

#include "holdfast/detail/duration.h"

namespace holdfast {

// A Timestamp counts microseconds since the Unix epoch, UTC.
using Timestamp = std::chrono::sys_time<Duration>;

// Writes a duration exactly, for settings: "250us", "1m30s", "12h", "3650d"; zero is "0s".
std::string format_duration(Duration duration);

// Writes a duration for people to read, for what was measured or is left. It is rounded to two units at most,
// and to tenths of a second between a second and a minute: "250 us", "15 ms", "9.0 s", "1 min 30 s", "2 h 5
// min", "3 d 4 h".
std::string format_rounded(Duration duration);

// Tells the engine the time. An implementation must be thread-safe. The wall clock may be set at any time, in
// either direction, so the engine measures durations by the steady clock.
class Clock {
 public:
  virtual ~Clock() = default;
  // Returns the time of day.
  virtual Timestamp now() const = 0;
  // Returns the time that has passed since some moment, which stays the same as long as the process lives.
  // This clock is never set and never goes back. It may leave out time in which the machine sleeps.
  virtual Duration steady() const = 0;
};

// Returns what reads the clocks of the machine.
const Clock& system_clock();

}  // namespace holdfast
