// Tells the service manager about this process (sd_notify(3)). Nothing happens if there is no service
// manager, as at a terminal.
#pragma once

#include <chrono>
#include <string>

#include "holdfast/operations.h"

namespace holdfast::server {

// It is for one thread only. It obeys NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and ignores what is
// meant for another process.
class ServiceManager {
 public:
  // Says that clients can connect. `status` is a line for `systemctl status`.
  explicit ServiceManager(std::string status);

  // Returns how much time may pass between calls of alive(): at most a second.
  std::chrono::nanoseconds period() const { return period_; }
  // Says that the process still works. It may be called more often than needed.
  void alive();
  // Tells whether the server is draining, drained, or back in service, when that changes.
  void note(const DrainStatus& drain);
  void stopping();

 private:
  const std::string serving_;
  std::string status_;
  bool watched_;
  std::chrono::nanoseconds period_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace holdfast::server
