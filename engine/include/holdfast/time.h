// Time comes into the engine from outside, so that tests and simulations can drive it.
#pragma once

#include <chrono>
#include <string>

namespace holdfast {

using Duration = std::chrono::microseconds;
// Microseconds since the Unix epoch, UTC.
using Timestamp = std::chrono::sys_time<Duration>;

// Exact and short: "250us", "1m30s", "12h", "3650d"; "0s".
std::string format_duration(Duration duration);

// Where the engine reads the time. Implementations must be thread-safe. The wall clock may be set at any
// time, in either direction: durations pass by the steady one.
class Clock {
 public:
  virtual ~Clock() = default;
  // The time of day.
  virtual Timestamp now() const = 0;
  // What has passed since some moment, the same one as long as the process lives. It is never set and never
  // goes back; time in which the machine sleeps need not count.
  virtual Duration steady() const = 0;
};

// The machine's clocks.
const Clock& system_clock();

}  // namespace holdfast
