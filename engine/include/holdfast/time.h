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

// Where the engine reads the time. Implementations must be thread-safe. A clock may jump; the
// engine never lets its own time run backwards, so a backward jump delays leases, it never
// shortens them.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;
};

// The machine's wall clock.
const Clock& system_clock();

}  // namespace holdfast
